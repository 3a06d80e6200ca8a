import { WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import { ABI, CODE, COMPILER, INPUT } from '@switchyard/evm/client/withdrawer';
import { fromHex, toHex } from '@switchyard/protocol';
import { keccak256 } from '@switchyard/protocol/ethereum';
import { type Clock, isTransportFailure, type WallClock } from '@switchyard/service';
import { HeldAnswers } from '../../http/held-answers.ts';
import type { IndexStore } from '../../store/store.ts';
import { type Abi, parseAbi } from '../decode/abi.ts';
import { type ContractNode, getCode } from './contract-node.ts';
import { type ProxyTarget, proxyTarget } from './proxy.ts';
import { type ContractRecord, findContract, saveContract } from './records.ts';

/** The rollup of a contract. */
export interface ContractRollup {
  readonly id: string;
  readonly node: ContractNode;
}

/** Facts about the contract at an address. */
export interface KnownContract {
  readonly record: ContractRecord | undefined;
  readonly proxy: ProxyTarget | undefined;
}

interface VerifiedContractsDeps {
  readonly store: Pick<IndexStore, 'read' | 'write'>;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly signal: AbortSignal;
}

const MAX_KNOWN = 1_024;
/** Bytes of ABIs that are remembered as text, and of the ones remembered in parsed form, which takes many times as much. */
const MAX_KNOWN_ABI_BYTES = 32 * 1_048_576;
const MAX_PARSED_ABI_BYTES = 4 * 1_048_576;
const KNOWN_FOR_MS = 10_000;
const NOTHING: KnownContract = { record: undefined, proxy: undefined };

/** Verified contracts whose code is the present one of their addresses. */
export class VerifiedContracts {
  readonly #deps: VerifiedContractsDeps;
  readonly #known = new HeldAnswers<KnownContract>(MAX_KNOWN);
  readonly #parsed = new Map<string, Abi>();
  #knownBytes = 0;
  #parsedBytes = 0;

  constructor(deps: VerifiedContractsDeps) {
    this.#deps = deps;
  }

  /** @param address Hex without `0x`, in lower case. The result is some seconds old at most. */
  find(rollup: ContractRollup, address: string): Promise<KnownContract> {
    const period = Math.floor(this.#deps.clock.now() / KNOWN_FOR_MS);
    return this.#known.get(`${rollup.id} ${address}`, String(period), async () => {
      const contract = await this.#look(rollup, address);
      this.#knownBytes += contract.record?.abi.length ?? 0;
      if (this.#knownBytes > MAX_KNOWN_ABI_BYTES) this.forget();
      return contract;
    });
  }

  /** To be called when a contract was verified. */
  forget(): void {
    this.#known.clear();
    this.#knownBytes = 0;
  }

  /** ABIs of the contract, and of the contract that runs in its place; none if its node does not answer. */
  async abis(rollup: ContractRollup, address: string): Promise<Abi[]> {
    try {
      const { record, proxy } = await this.find(rollup, address);
      const behind = proxy && (await this.find(rollup, proxy.implementation.slice(2))).record;
      return [record, behind].flatMap((each) => (each === undefined ? [] : [this.getAbi(each)]));
    } catch (error) {
      if (isTransportFailure(error)) return [];
      throw error;
    }
  }

  getAbi({ abi: json }: Pick<ContractRecord, 'abi'>): Abi {
    const known = this.#parsed.get(json);
    if (known !== undefined) return known;
    this.#parsedBytes += json.length;
    if (this.#parsedBytes > MAX_PARSED_ABI_BYTES) {
      this.#parsed.clear();
      this.#parsedBytes = json.length;
    }
    const abi = parseAbi(JSON.parse(json));
    this.#parsed.set(json, abi);
    return abi;
  }

  async #look({ id, node }: ContractRollup, address: string): Promise<KnownContract> {
    const { store, signal } = this.#deps;
    const code = await getCode(node, `0x${address}`, signal);
    if (code === '') return NOTHING;
    const [found, proxy] = await Promise.all([
      findContract(store, id, address),
      proxyTarget(node, `0x${address}`, code, signal),
    ]);
    const record = found?.codeHash === codeHash(code) ? found : undefined;
    const isOurs = `0x${address}` === WITHDRAWER_ADDRESS && `0x${code}` === CODE;
    return { record: isOurs && record?.kind !== 'full' ? await this.#keepOurs(id) : record, proxy };
  }

  /** The withdrawer of the first block comes with its sources. Each rollup has one at most, so its row needs no limit. */
  async #keepOurs(rollup: string): Promise<ContractRecord | undefined> {
    const { store, wall } = this.#deps;
    const address = WITHDRAWER_ADDRESS.slice(2);
    const [path = ''] = Object.keys(INPUT.sources);
    const record = {
      ...{ rollup, address, codeHash: codeHash(CODE.slice(2)), path, name: 'SequencerWithdrawer', compiler: COMPILER },
      ...{ constructorArguments: undefined, libraries: {}, abi: JSON.stringify(ABI), time: wall.unixMs() },
      kind: 'full',
    } as const;
    await saveContract(store, record, INPUT);
    return findContract(store, rollup, address);
  }
}

/** @param code Hex without `0x`. */
export const codeHash = (code: string): string => toHex(keccak256(fromHex(code)));
