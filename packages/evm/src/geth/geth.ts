import { JsonRpcError } from '@switchyard/service';
import { hexOf, ZERO_HASH } from '../hex.ts';
import type { Address, Data, Hash } from '../types.ts';
import { quantity, read } from './answer.ts';
import type { CallOptions, Link } from './link.ts';
import { attributesToJson, type Payload, type PayloadAttributes, payloadFromJson, payloadToJson } from './payload.ts';

export interface BlockName {
  readonly number: bigint;
  readonly hash: Hash;
}

/** An account as geth knows it after some block. */
export interface GethAccount {
  readonly nonce: bigint;
  /** Wei. */
  readonly balance: bigint;
  readonly hasCode: boolean;
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

/** geth lacks what comes before a block, or does not follow a request for another, transient reason. */
export class NotTaken extends Error {
  override readonly name = 'NotTaken';
}

/** geth executed a block that it had built itself, and reports it invalid. */
export class InvalidBlock extends Error {
  override readonly name = 'InvalidBlock';
}

/** How deep geth goes back in one fork choice (`--engine.maxreorgdepth`). */
const MAX_BACK = 32n;

/** What is asked of a geth, by name and with types. */
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

  async version(signal: AbortSignal): Promise<string> {
    return read.text(await this.#link.call('web3_clientVersion', [], { signal }), 'web3_clientVersion');
  }

  /** Undefined above the head. */
  async block(number: bigint, signal: AbortSignal): Promise<BlockName | undefined> {
    const block = await this.#link.call('eth_getBlockByNumber', [quantity(number), false], { signal });
    return block === null ? undefined : blockName(block);
  }

  async head(signal: AbortSignal): Promise<BlockName & { readonly timestamp: bigint }> {
    const head = await this.#link.call('eth_getBlockByNumber', ['latest', false], { signal });
    const { timestamp } = read.object(head, 'head');
    return { ...blockName(head), timestamp: read.quantity(timestamp, 'timestamp') };
  }

  /** After the block. */
  async account(address: Address, block: Hash, signal?: AbortSignal): Promise<GethAccount> {
    const ask = (method: string) =>
      this.#link.call(method, [address, { blockHash: block }], signal === undefined ? {} : { signal });
    const [nonce, balance, hasCode] = await Promise.all([
      ask('eth_getTransactionCount'),
      ask('eth_getBalance'),
      this.hasCode(address, block, signal),
    ]);
    return {
      nonce: read.quantity(nonce, 'eth_getTransactionCount'),
      balance: read.quantity(balance, 'eth_getBalance'),
      hasCode,
    };
  }

  async hasCode(address: Address, block: Hash, signal?: AbortSignal): Promise<boolean> {
    const options = signal === undefined ? {} : { signal };
    return (
      read.data(await this.#link.call('eth_getCode', [address, { blockHash: block }], options), 'eth_getCode') !== '0x'
    );
  }

  /**
   * Builds a block on geth's head and leaves everything as it is.
   *
   * @throws {CannotBuild} where a transaction does not apply.
   */
  async build(
    parent: Hash,
    attributes: PayloadAttributes,
    transactions: readonly Uint8Array[],
    signal: AbortSignal,
  ): Promise<Payload> {
    const params = [parent, attributesToJson(attributes), transactions.map(hexOf), attributes.extraData];
    try {
      const answer = await this.#link.call('testing_buildBlockV1', params, { signal });
      const { executionPayload } = read.object(answer, 'testing_buildBlockV1');
      return payloadFromJson(executionPayload, { ...attributes, transactions });
    } catch (error) {
      if (error instanceof JsonRpcError && error.code === SERVER_ERROR)
        throw new CannotBuild(error.message, { cause: error });
      throw error;
    }
  }

  /** Has the block executed and kept; the head stays. @throws {InvalidBlock} or {NotTaken} */
  async newPayload(payload: Payload, signal: AbortSignal): Promise<void> {
    const { number, parentBeaconBlockRoot } = payload.header;
    const params = [payloadToJson(payload), [], parentBeaconBlockRoot ?? ZERO_HASH];
    const answer = await this.#link.call('engine_newPayloadV3', params, { signal });
    const { status, validationError } = read.object(answer, 'engine_newPayloadV3');
    const what = `block ${number} (${payload.hash}): ${describe(status, validationError)}`;
    if (status === 'INVALID') throw new InvalidBlock(what);
    if (status !== 'VALID') throw new NotTaken(what);
  }

  /** Makes a block that geth has the head; another one is never named, since geth would look for it among its peers. */
  async forkchoice({ head, safe, finalized }: Forkchoice, signal: AbortSignal): Promise<void> {
    const state = { headBlockHash: head, safeBlockHash: safe, finalizedBlockHash: finalized };
    const answer = read.object(
      await this.#link.call('engine_forkchoiceUpdatedV3', [state, null], { signal }),
      'answer',
    );
    const { status, validationError } = read.object(answer.payloadStatus, 'payloadStatus');
    if (status !== 'VALID') throw new NotTaken(`fork choice of ${head}: ${describe(status, validationError)}`);
  }

  /**
   * Makes a block that geth has its head, also where that is far below the head it has.
   *
   * @throws {NotTaken} where the head does not move: geth goes back behind no final block.
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
  async rawReceipts(block: Hash, signal: AbortSignal): Promise<Data[]> {
    const answer = await this.#link.call('debug_getRawReceipts', [block], { signal });
    return read.list(answer, 'debug_getRawReceipts').map((each, index) => read.data(each, `receipt ${index}`));
  }
}

function describe(status: unknown, error: unknown): string {
  return typeof error === 'string' ? `${String(status)}: ${error}` : String(status);
}

/** All that the build refuses comes with this code. */
const SERVER_ERROR = -32_000;

function blockName(value: unknown): BlockName {
  const block = read.object(value, 'block');
  return { number: read.quantity(block.number, 'number'), hash: read.hash(block.hash, 'hash') };
}
