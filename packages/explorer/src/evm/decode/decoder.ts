import { isTransportFailure } from '@switchyard/service';
import type { Decoded } from '../../contract/evm.ts';
import { IndexLost, type IndexStore } from '../../store/store.ts';
import { findSignatures } from '../verify/records.ts';
import type { ContractRollup, VerifiedContracts } from '../verify/verified-contracts.ts';
import { type Abi, type AbiItem, toAbi } from './abi.ts';
import { decodeCall, decodeLog, decodeRevert, findMethod } from './decode.ts';
import { STANDARD } from './standard.ts';

interface DecoderDeps {
  readonly contracts: VerifiedContracts;
  /** Store of verified contracts. */
  readonly store: Pick<IndexStore, 'read'>;
}

/**
 * Reads calls, logs and reverts by known facts: the ABI of the contract, that of the contract behind it, standards that many
 * contracts follow, and then any verified ABI that has the selector. Addresses are lower-case hex without `0x`, bytes have it.
 */
export class Decoder {
  readonly #deps: DecoderDeps;

  constructor(deps: DecoderDeps) {
    this.#deps = deps;
  }

  async call(rollup: ContractRollup, to: string, input: string): Promise<Decoded | undefined> {
    if (input.length < 10) return undefined;
    const known = decodeCall(await this.#abis(rollup, to), input);
    return known ?? decodeCall(await this.#table('function', input.slice(0, 10)), input);
  }

  /** The name alone, for lists. */
  async method(rollup: ContractRollup, to: string, input: string): Promise<string | undefined> {
    if (input.length < 10) return undefined;
    const known = findMethod(await this.#abis(rollup, to), input);
    return known ?? findMethod(await this.#table('function', input.slice(0, 10)), input);
  }

  async log(
    rollup: ContractRollup,
    { address, topics, data }: { readonly address: string; readonly topics: readonly string[]; readonly data: string },
  ): Promise<Decoded | undefined> {
    const known = decodeLog(await this.#abis(rollup, address), topics, data);
    return known ?? decodeLog(await this.#table('event', topics[0] ?? ''), topics, data);
  }

  async revert(rollup: ContractRollup, to: string, data: string): Promise<Decoded | undefined> {
    if (data.length < 10) return undefined;
    const known = decodeRevert(await this.#abis(rollup, to), data);
    // It may come from a contract that was called on the way.
    return known ?? decodeRevert(await this.#table('error', data.slice(0, 10)), data);
  }

  async #abis(rollup: ContractRollup, address: string): Promise<Abi[]> {
    return [...(await this.#deps.contracts.abis(rollup, address)), STANDARD];
  }

  async #table(kind: AbiItem['kind'], selector: string): Promise<Abi[]> {
    try {
      return (await findSignatures(this.#deps.store, kind, selector.toLowerCase())).map((item) => toAbi([item]));
    } catch (error) {
      // Bytes that cannot be decoded are shown as hex.
      if (isTransportFailure(error) || error instanceof IndexLost) return [];
      throw error;
    }
  }
}
