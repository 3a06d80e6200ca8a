import { isDelegation } from '@switchyard/evm-machine/delegation';
import type { Address, Data, Hash, Header } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, quantity, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import { type Input, list, mapped, object, optional, type Read, text } from '@switchyard/service/input';
import type { PoolAccount } from '../pool/deps.ts';
import type { CallOptions, Link } from './link.ts';
import { attributesToJson, type Payload, type PayloadAttributes, payloadFromJson, payloadToJson } from './payload.ts';
import { data, hash, quantity as number, readResponse } from './response.ts';

export interface BlockName {
  readonly number: bigint;
  readonly hash: Hash;
}

/** Rules, by a checksum of the times of all forks until then and by the precompiled contracts. */
export interface ForkState {
  readonly forkId: Data;
  readonly precompiles: number;
}

export interface Forkchoice {
  readonly head: Hash;
  readonly safe: Hash;
  readonly finalized: Hash;
}

/** geth refused to build a block because of one of the transactions. */
export class CannotBuild extends Error {
  override readonly name = 'CannotBuild';
}

/** geth lacks the ancestors of a block, or does not follow a request for another, transient reason. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/** geth executed a block that it had built itself, and reports it invalid. */
export class InvalidBlock extends Error {
  override readonly name = 'InvalidBlock';
}

/** How deep geth goes back in one fork choice (`--engine.maxreorgdepth`). */
const MAX_BACK = 32n;

/** Requests to a geth, by name and with types. */
export class Geth {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  get target(): string {
    return this.#link.target;
  }

  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown> {
    return this.#link.call(method, params, options);
  }

  version(signal: AbortSignal): Promise<string> {
    return this.#read('web3_clientVersion', [], text, { signal });
  }

  /** Forks that it has planned: the state of its rules after the last one (EIP-7910). */
  forks(signal: AbortSignal): Promise<ForkState> {
    return this.#read('eth_config', [], forkState, { signal });
  }

  /** Undefined above the head. */
  block(number: bigint, signal: AbortSignal): Promise<BlockName | undefined> {
    return this.#read('eth_getBlockByNumber', [quantity(number), false], optional(blockName), { signal });
  }

  head(signal: AbortSignal): Promise<BlockName & { readonly timestamp: bigint }> {
    return this.#read('eth_getBlockByNumber', ['latest', false], head, { signal });
  }

  /** After the block. */
  async account(address: Address, block: Hash, signal?: AbortSignal): Promise<PoolAccount> {
    const ask = (method: string) =>
      this.#read(method, [address, { blockHash: block }], number, signal === undefined ? {} : { signal });
    const [nonce, balance, code] = await Promise.all([
      ask('eth_getTransactionCount'),
      ask('eth_getBalance'),
      this.#code(address, block, signal),
    ]);
    const isDelegated = isDelegation(hexToBytes(code));
    return { nonce, balance, hasCode: code !== '0x' && !isDelegated, isDelegated };
  }

  /** Whether it has any code, be it another account's. */
  async hasCode(address: Address, block: Hash, signal?: AbortSignal): Promise<boolean> {
    return (await this.#code(address, block, signal)) !== '0x';
  }

  #code(address: Address, block: Hash, signal: AbortSignal | undefined): Promise<Data> {
    const options = signal === undefined ? {} : { signal };
    return this.#read('eth_getCode', [address, { blockHash: block }], data, options);
  }

  /**
   * Builds a block on geth's head and changes nothing.
   *
   * @throws {CannotBuild} if a transaction does not apply.
   */
  async build(
    parent: Hash,
    attributes: PayloadAttributes,
    transactions: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<Payload> {
    const params = [parent, attributesToJson(attributes), transactions.map(bytesToHex), attributes.extraData];
    try {
      const payload = (built: Input) => payloadFromJson(built, { ...attributes, transactions });
      return await this.#read('testing_buildBlockV1', params, payload, { signal });
    } catch (error) {
      if (error instanceof JsonRpcError && error.code === SERVER_ERROR)
        throw new CannotBuild(error.message, { cause: error });
      throw error;
    }
  }

  /** Has the block executed and kept; the head stays. @throws {InvalidBlock} or {NotTaken} */
  async newPayload(payload: Payload, signal: AbortSignal): Promise<void> {
    const { number, parentBeaconBlockRoot, requestsHash } = payload.header;
    const untilCancun = [payloadToJson(payload), [], parentBeaconBlockRoot ?? ZERO_HASH];
    const params = requestsHash === undefined ? untilCancun : [...untilCancun, payload.requests.map(bytesToHex)];
    const method = `engine_newPayloadV${newPayloadVersion(payload.header)}`;
    const { status, reason } = await this.#read(method, params, payloadStatus, { signal });
    const verdict = `block ${number} (${payload.hash}): ${reason}`;
    if (status === 'INVALID') throw new InvalidBlock(verdict);
    if (status !== 'VALID') throw new NotTaken(verdict);
  }

  /** Makes a block that geth has the head; another one is never named, since geth would look for it among its peers. */
  async forkchoice({ head, safe, finalized }: Forkchoice, signal: AbortSignal): Promise<void> {
    const state = { headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized };
    const updated = (answer: Input) => payloadStatus(answer.at('payloadStatus'));
    const { status, reason } = await this.#read('engine_forkchoiceUpdatedV3', [state, null], updated, { signal });
    if (status !== 'VALID') throw new NotTaken(`fork choice of ${head}: ${reason}`);
  }

  /**
   * Makes a block that geth has its head, also if that is far below the head it has.
   *
   * @throws {NotTaken} if the head does not move: geth goes back behind no final block.
   */
  async moveHead(to: BlockName, finalized: Hash, signal: AbortSignal): Promise<void> {
    let head = await this.head(signal);
    while (head.hash !== to.hash) {
      const below = head.number - MAX_BACK;
      const next = below > to.number ? await this.block(below, signal) : to;
      if (next === undefined) throw new NotTaken(`it has no block ${below} below its head`);
      await this.forkchoice({ head: next.hash, safe: finalized, finalized }, signal);
      const before = head.hash;
      head = await this.head(signal);
      if (head.hash === before) throw new NotTaken(`its head stays at block ${head.number} (${head.hash})`);
    }
  }

  /** In the encoding that the block commits to. */
  rawReceipts(block: Hash, signal: AbortSignal): Promise<readonly Data[]> {
    return this.#read('debug_getRawReceipts', [block], list(data), { signal });
  }

  async #read<T>(method: string, params: readonly unknown[], read: Read<T>, options: CallOptions): Promise<T> {
    return readResponse(await this.#link.call(method, params, options), method, read);
  }
}

/** The fourth is that of Prague and of Osaka, the fifth that of Amsterdam. */
function newPayloadVersion({ requestsHash, blockAccessListHash }: Header): number {
  if (blockAccessListHash !== undefined) return 5;
  return requestsHash === undefined ? 3 : 4;
}

/** A status of the Engine API, with the reason that geth gives for it. */
const payloadStatus = mapped(
  object({ status: text, validationError: optional(text) }),
  ({ status, validationError }) => ({
    status,
    reason: validationError === undefined ? status : `${status}: ${validationError}`,
  }),
);

/** All that the build refuses comes with this code. */
const SERVER_ERROR = -32_000;

const oneFork: Read<ForkState> = object({ forkId: data, precompiles: (input) => input.members().length });

/** Reads an answer of `eth_config`. */
export const forkState: Read<ForkState> = (config) =>
  config.at('last').optional(oneFork) ?? config.at('next').optional(oneFork) ?? oneFork(config.at('current'));

const blockName: Read<BlockName> = object({ number, hash });
const head = object({ number, hash, timestamp: number });
