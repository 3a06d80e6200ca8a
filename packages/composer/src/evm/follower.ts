import { rollupIdFromName } from '@switchyard/protocol';
import { anySignal, backoffMs, errorLine, JsonRpcError, type Logger, RPC, sleep, turn } from '@switchyard/service';
import { InvalidData } from '@switchyard/service/input';
import { findKnown, Ledger } from './ledger.ts';
import { listedTransactions } from './mempool.ts';
import { type Fetched, NodeFeed, type NodeFeedDeps } from './node-feed.ts';
import { type RollupEntry, shownUrl } from './rollup-entry.ts';
import { openSocket, type RpcSocket, type SocketOptions } from './socket.ts';
import { hashOfObject, parseHash, rawBytes, transactionBytes, UnusableTransaction } from './transaction-object.ts';

export interface FollowerDeps extends Omit<NodeFeedDeps, 'ledger' | 'fetch'> {
  /** Times of the connection, for tests. */
  readonly socket?: Partial<SocketOptions>;
  /** Milliseconds between two looks at the node's list of pending transactions. */
  readonly listEveryMs?: number;
}

const MAX_BEHIND = 10_000;

/**
 * Follows the pending transactions of an EVM node that knows nothing of composers.
 *
 * The node's own pool is authoritative: each connection subscribes first and then reads the pool's list, so that
 * nothing falls between, and looks at the list again from time to time. Transactions that cannot be taken now are listed later.
 */
export class Follower {
  readonly #entry: RollupEntry;
  readonly #deps: FollowerDeps;
  readonly #log: Logger;
  readonly #rollup;
  readonly #ledger = new Ledger();
  readonly #feed: NodeFeed;
  #socket: RpcSocket | undefined;
  #trouble: string | undefined = 'not connected yet';
  #received = 0;
  /** Announcements that wait for the end of a list; those beyond are in the next one. */
  #behind: unknown[] | undefined;
  #canList = true;

  constructor(entry: RollupEntry, deps: FollowerDeps) {
    this.#entry = entry;
    this.#deps = deps;
    this.#log = deps.log.child({ rollup: entry.name });
    this.#rollup = rollupIdFromName(entry.name);
    this.#feed = new NodeFeed(this.#rollup, {
      ...deps,
      log: this.#log,
      ledger: this.#ledger,
      fetch: (hash, signal) => this.#fetch(hash, signal),
    });
  }

  /**
   * Facts about the node, for people: why nothing comes or goes, and its transactions since the start, by outcome.
   * `waiting` was not given to the queue yet.
   */
  status() {
    const { counts, trouble, waiting } = this.#feed;
    return {
      rollup: this.#entry.name,
      url: shownUrl(this.#entry),
      connected: this.#socket !== undefined,
      trouble: this.#trouble ?? trouble,
      received: this.#received,
      ...counts,
      waiting,
    };
  }

  /** Runs until the signal aborts; a node that is away is waited for. @throws errors of the queue's disk. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#feed.run(signal), this.#follow(signal)]);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#deps;
    let failures = 0;
    while (!signal.aborted) {
      const before = clock.now();
      try {
        await this.#session(signal);
      } catch (error) {
        if (signal.aborted) return;
        if (this.#trouble === undefined || failures === 0) {
          this.#log.warn({ url: shownUrl(this.#entry), error: errorLine(error) }, 'cannot follow EVM node; retrying');
        }
        this.#trouble = errorLine(error);
      }
      // A connection that held for a while was a good one.
      failures = clock.now() - before > 10_000 ? 1 : failures + 1;
      await sleep(backoffMs(failures, { initialMs: 100, maxMs: 10_000 }, random), signal, clock).catch(() => undefined);
    }
  }

  /** One connection, to its end. */
  async #session(signal: AbortSignal): Promise<never> {
    const { clock, listEveryMs = 30_000 } = this.#deps;
    const socket = await openSocket(this.#entry.url, {
      ...this.#deps.socket,
      signal,
      onNotification: (result) => this.#announced(result),
    });
    try {
      this.#socket = socket;
      this.#canList = true;
      this.#behind = [];
      await subscribe(socket);
      this.#log.info({ url: shownUrl(this.#entry) }, 'following pending transactions of EVM node');
      this.#trouble = undefined;
      for (;;) {
        await this.#list(socket);
        this.#release();
        const cut = new AbortController();
        const pause = sleep(listEveryMs, anySignal(signal, cut.signal), clock);
        const gone = await Promise.race([socket.closed, pause.catch(() => undefined)]);
        cut.abort();
        if (signal.aborted) throw signal.reason;
        if (gone !== undefined) throw new Error(gone);
      }
    } finally {
      this.#socket = undefined;
      socket.close();
      // The next list has them, in their order.
      this.#behind = undefined;
    }
  }

  /** Announcements have to wait while the list is read: a transaction before them may be in the list only. */
  #announced(result: unknown): void {
    if (this.#behind === undefined) this.#shown(result, false);
    else if (this.#behind.length < MAX_BEHIND) this.#behind.push(result);
  }

  #release(): void {
    const behind = this.#behind ?? [];
    this.#behind = undefined;
    for (const result of behind) this.#shown(result, false);
  }

  /** Reads the transactions that the node lists as pending. */
  async #list(socket: RpcSocket): Promise<void> {
    if (!this.#canList) return;
    const { clock } = this.#deps;
    this.#behind ??= [];
    let content: unknown;
    try {
      content = await socket.call('txpool_content', []);
    } catch (error) {
      if (!(error instanceof JsonRpcError)) throw error;
      this.#canList = error.code !== RPC.methodNotFound;
      this.#log.warn(
        { error: errorLine(error) },
        'the EVM node does not list its pending transactions; what came while it was not followed is not seen',
      );
      return;
    }
    const block = await blockNumber(socket);
    const known = (submission: Parameters<typeof findKnown>[2]) => findKnown(this.#deps, this.#rollup, submission);
    for (const [index, object] of listedTransactions(content).entries()) {
      const isDue = this.#ledger.listed(hashIn(object), known, clock.now(), block);
      if (isDue) this.#shown(object, true);
      if (index % 100 === 99) await turn();
    }
  }

  /** A transaction as an object or as its hash. */
  #shown(value: unknown, isListed: boolean): void {
    this.#received += 1;
    let hash: string | undefined;
    try {
      hash = typeof value === 'string' ? parseHash(value) : hashOfObject(value);
      const isNew = this.#ledger.take(hash);
      if (!isNew && !isListed) return;
      const bytes = typeof value === 'string' ? undefined : transactionBytes(value).bytes;
      this.#feed.add({ hash, bytes, again: !isNew });
    } catch (error) {
      if (!(error instanceof InvalidData)) throw error;
      // The node may still give the bytes of an object that is not understood.
      if (hash !== undefined && !(error instanceof UnusableTransaction))
        this.#feed.add({ hash, bytes: undefined, again: false });
      else this.#unusable(error);
    }
  }

  /** Asks the node for the bytes of a transaction, until it answers. */
  async #fetch(hash: string, signal: AbortSignal): Promise<Fetched> {
    const { clock, random } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (this.#socket !== undefined) return await bytesFrom(this.#socket, hash);
      } catch (error) {
        if (error instanceof InvalidData) {
          this.#unusable(error);
          return 'unusable';
        }
      }
      await sleep(backoffMs(attempt, { initialMs: 50, maxMs: 1_000 }, random), signal, clock);
    }
  }

  #unusable({ message }: InvalidData): void {
    this.#feed.counts.unusable += 1;
    // A node can show any number of them.
    const level = this.#feed.counts.unusable > 10 ? 'debug' : 'warn';
    this.#log[level]({ reason: message }, 'a pending transaction cannot be used');
  }
}

/** @throws {InvalidData} if the answers of the node are useless; and errors of the connection. */
async function bytesFrom(socket: RpcSocket, hash: string): Promise<Fetched> {
  const answers = async (method: string): Promise<unknown> => {
    try {
      return await socket.call(method, [hash]);
    } catch (error) {
      if (error instanceof JsonRpcError) return undefined;
      throw error;
    }
  };
  const raw = await answers('eth_getRawTransactionByHash');
  if (typeof raw === 'string' && raw.length > 2) return rawBytes(raw, hash);
  const object = await answers('eth_getTransactionByHash');
  if (object === null || object === undefined) return 'gone';
  const made = transactionBytes(object);
  return made.hash === hash ? made.bytes : 'unusable';
}

/** Whole transactions if the node can show them, else their hashes. */
async function subscribe(socket: RpcSocket): Promise<void> {
  try {
    await socket.call('eth_subscribe', ['newPendingTransactions', true]);
  } catch (error) {
    if (!(error instanceof JsonRpcError) || error.code === RPC.methodNotFound) throw error;
    await socket.call('eth_subscribe', ['newPendingTransactions']);
  }
}

async function blockNumber(socket: RpcSocket): Promise<bigint> {
  const number = await socket.call('eth_blockNumber', []);
  return typeof number === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(number) ? BigInt(number) : 0n;
}

function hashIn(object: unknown): string {
  try {
    return hashOfObject(object);
  } catch {
    return '';
  }
}
