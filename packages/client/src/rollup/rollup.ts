/*
 * The HTTP interface of a rollup. This file also runs in web pages, so it uses `fetch` and nothing of Node.
 */
import type { TxHash } from '@switchyard/protocol';
import { isTransportFailure, sleep, systemClock } from '@switchyard/service/browser';
import type { schema } from '@switchyard/service/contract';
import type { Input } from '@switchyard/service/input';
import { ApiRefused, type HttpApiOptions, httpApi } from '../http/http-api.ts';
import type { FollowOptions, StreamEvent } from './event-stream.ts';
import {
  type BatchResult,
  batchResult,
  block,
  deposit,
  nextNonce,
  outcome as outcomeRecord,
  type RollupBlock,
  type TransactionOutcome,
} from './rollup-records.ts';

export { requestPath } from '@switchyard/service/contract';
export { Input, object, optional, parseInput, type Read } from '@switchyard/service/input';
export { type NextAndSubmit, submitNext } from '../submit/submit-next.ts';
export type { StreamEvent } from './event-stream.ts';
export type { BatchResult, RollupBlock, TransactionOutcome } from './rollup-records.ts';

/** Cursors from an earlier answer: `older` as `before`, `newer` as `after`. */
export interface PageQuery {
  readonly before?: bigint;
  readonly after?: bigint;
  readonly limit?: number;
}

export interface RollupPage<T> {
  /** Newest first. */
  readonly items: readonly T[];
  /** Undefined if there are none. */
  readonly older: bigint | undefined;
  readonly newer: bigint | undefined;
}

export interface RollupDeposit extends Omit<schema.TypeOf<typeof deposit>, 'amount' | 'account' | 'reason'> {
  readonly amount: bigint;
  /** Account that was credited; undefined if the deposit was refused. */
  readonly account: string | undefined;
  readonly reason: string | undefined;
}

function toDeposit(answer: Input): RollupDeposit {
  const { amount, account, reason, ...rest } = deposit.read(answer);
  return { ...rest, amount: BigInt(amount), account: account ?? undefined, reason: reason ?? undefined };
}

/** @param name Name of the list in the answer. */
export function pageFrom<T>(answer: Input, name: string, read: (item: Input) => T): RollupPage<T> {
  const cursor = (key: string) => answer.at(key).optional((each) => each.big());
  return { items: answer.at(name).list().map(read), older: cursor('older'), newer: cursor('newer') };
}

/** `path` with those of the parameters that are given. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | bigint | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given}`;
}

export interface RollupStatus {
  readonly rollup: string;
  readonly chainId: string;
  /** Number of the newest block. */
  readonly soft: bigint;
  /** Number of the newest block that is final. */
  readonly firm: bigint | undefined;
  /** The whole status, for people. */
  readonly all: Readonly<Record<string, unknown>>;
}

/** The rollup refused a call. */
export class RollupRefused extends ApiRefused {
  override readonly name = 'RollupRefused';
}

export type RollupClientOptions = HttpApiOptions;

/** Blocks that can hold a transaction, as its sender knows: with them the end of its last one is an outcome. */
export interface TransactionBlocks {
  readonly first: bigint;
  readonly last: bigint;
}

/** Blocks behind the newest one in which a transaction may be executed: one to two minutes, at the usual pace. */
export const VALID_FOR = 64;

/** @param validFor Blocks behind the newest one. 0 is without end. */
export function blocksBehind(soft: bigint, validFor: number = VALID_FOR): TransactionBlocks | undefined {
  return validFor === 0 ? undefined : { first: soft + 1n, last: soft + BigInt(validFor) };
}

/** Members of a signed body besides its actions, and the blocks that can hold it. */
export type ToSign = Awaited<ReturnType<RollupClient['toSign']>>;

export interface WaitOptions {
  readonly until?: 'executed' | 'firm';
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly blocks?: TransactionBlocks | undefined;
}

export type RollupClient = ReturnType<typeof rollupClient>;

const LONG_POLL_MS = 20_000;
const BETWEEN_POLLS_MS = 100;

/** A rollup's HTTP interface as typed calls. Errors are `RollupRefused` if the rollup answered, else `TransportFailure`. */
export function rollupClient(options: RollupClientOptions) {
  const call = httpApi('rollup', options, RollupRefused);
  const get = (path: string, signal: AbortSignal | undefined, waitMs?: number) =>
    call(path, signal ? { signal } : {}, waitMs);
  const post = (path: string, body: Uint8Array, signal: AbortSignal | undefined) =>
    call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      // The bytes are not shared with another thread, which is all that the wider type could mean.
      body: body as Uint8Array<ArrayBuffer>,
      ...(signal && { signal }),
    });

  async function outcome(
    path: string,
    signal: AbortSignal | undefined,
    waitMs?: number,
  ): Promise<TransactionOutcome | undefined> {
    try {
      return outcomeRecord.read(await get(path, signal, waitMs));
    } catch (error) {
      if (error instanceof RollupRefused && error.status === 404) return undefined;
      throw error;
    }
  }

  return {
    /** Any other query of the rollup; its own client functions read the answer. @throws {RollupRefused} */
    get: (path: string, signal?: AbortSignal): Promise<Input> => get(path, signal),

    /** Events of a stream below `/v1`, resumed at the last event when the connection is lost. */
    async *follow(
      path: string,
      from: Pick<FollowOptions, 'lastId' | 'signal'>,
    ): AsyncGenerator<StreamEvent, void, undefined> {
      // Most pages follow nothing.
      const { followEvents } = await import('./event-stream.ts');
      const url = `${options.url.replace(/\/+$/, '')}${path}`;
      yield* followEvents({ url, ...from, ...(options.fetch && { fetch: options.fetch }) });
    },

    /** Newest first, as far as the rollup keeps them. */
    async blocks(query: PageQuery = {}, signal?: AbortSignal): Promise<RollupPage<RollupBlock>> {
      return pageFrom(await get(withQuery('/v1/blocks', { ...query }), signal), 'blocks', block.read);
    },

    /** @throws {RollupRefused} 404 if there is no such block yet, 410 if it is not kept any more. */
    async block(number: bigint, signal?: AbortSignal): Promise<RollupBlock> {
      return block.read(await get(`/v1/blocks/${number}`, signal));
    },

    /** Deposits from the sequencer, newest first. */
    async deposits(query: PageQuery = {}, signal?: AbortSignal): Promise<RollupPage<RollupDeposit>> {
      return pageFrom(await get(withQuery('/v1/deposits', { ...query }), signal), 'deposits', toDeposit);
    },

    async status(signal?: AbortSignal): Promise<RollupStatus> {
      const answer = await get('/v1/status', signal);
      return {
        rollup: answer.at('rollup').text(),
        chainId: answer.at('chainId').text(),
        soft: answer.at('soft').at('number').big(),
        firm: answer.at('firm').optional((firm) => firm.at('number').big()),
        all: answer.object(),
      };
    },

    /** The next nonce of an account, counting pending transactions; with `committed`, executed ones only. */
    async nonce(
      address: string,
      { committed = false, signal }: { committed?: boolean; signal?: AbortSignal } = {},
    ): Promise<number> {
      const query = committed ? '?state=committed' : '';
      return Number((await get(`/get_account_nonce/${encodeURIComponent(address)}${query}`, signal)).big());
    },

    /** Asks once for all that a signer needs for the next transaction of an account. */
    async toSign(address: string, validFor?: number, signal?: AbortSignal) {
      const answer = await get(`/v1/nonces/${encodeURIComponent(address)}`, signal);
      const { nonce, block: soft, chainId } = nextNonce.read(answer);
      const blocks = blocksBehind(soft, validFor);
      return { body: { nonce, chainId, lastBlock: blocks?.last }, blocks };
    },

    /** Resolves when the rollup has passed the bytes on; they will be in a block. @throws {RollupRefused} */
    async submit(bytes: Uint8Array, signal?: AbortSignal): Promise<{ readonly hash: TxHash }> {
      const hash = (await post('/v1/transactions', bytes, signal)).at('hash');
      if (!/^[0-9a-f]{64}$/.test(hash.text())) hash.fail('a hash');
      // Checked above; the constructor of the brand would bring the whole protocol into the page.
      return { hash: hash.text() as TxHash };
    },

    /** Many at once: at most 4,096, and 4 MiB. All that are not refused were passed on. */
    async submitBatch(transactions: readonly Uint8Array[], signal?: AbortSignal): Promise<BatchResult> {
      return batchResult.read(await post('/v1/transactions:batch', encodeBatch(transactions), signal));
    },

    /** @returns undefined for a transaction that the rollup does not know. */
    transaction(
      hash: string,
      signal?: AbortSignal,
      blocks?: TransactionBlocks,
    ): Promise<TransactionOutcome | undefined> {
      return outcome(withQuery(`/v1/transactions/${hash}`, { ...getQuery(blocks) }), signal);
    },

    /**
     * Waits until a transaction was executed (or is firm), was refused, or has expired.
     *
     * A connection that is lost in the meantime is made again.
     *
     * @returns the latest known state when the time is over, if it is over first.
     * @throws {TransportFailure} if the rollup was unreachable when the time was over.
     */
    async waitForTransaction(hash: string, options: WaitOptions = {}): Promise<TransactionOutcome | undefined> {
      const { until = 'executed', timeoutMs: patience = 30_000, signal, blocks } = options;
      const end = systemClock.now() + patience;
      for (;;) {
        // The parameter is a whole number of milliseconds.
        const waitMs = Math.ceil(Math.max(0, Math.min(LONG_POLL_MS, end - systemClock.now())));
        try {
          const query = { wait: until, timeoutMs: waitMs, ...getQuery(blocks) };
          const now = await outcome(withQuery(`/v1/transactions/${hash}`, query), signal, waitMs);
          if ((now !== undefined && isDone(now, until)) || systemClock.now() >= end) return now;
        } catch (error) {
          if (!isTransportFailure(error) || signal?.aborted === true || systemClock.now() >= end) throw error;
        }
        await sleep(BETWEEN_POLLS_MS, signal);
      }
    },
  };
}

const getQuery = (blocks: TransactionBlocks | undefined) =>
  blocks && { firstBlock: blocks.first, lastBlock: blocks.last };

function isDone({ state }: TransactionOutcome, until: 'executed' | 'firm'): boolean {
  return state === 'refused' || state === 'expired' || state === 'firm' || state === until;
}

/** For each item its length in four bytes, big-endian, and its bytes. */
function encodeBatch(items: readonly Uint8Array[]): Uint8Array {
  const body = new Uint8Array(items.reduce((sum, { length }) => sum + 4 + length, 0));
  const view = new DataView(body.buffer);
  let at = 0;
  for (const item of items) {
    view.setUint32(at, item.length);
    body.set(item, at + 4);
    at += 4 + item.length;
  }
  return body;
}
