import { randomBytes } from 'node:crypto';
import type { Data, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import type { ChainReader, Dropped, FoundLog } from '../chain/chain.ts';
import { limitExceeded, serverError } from '../json/errors.ts';
import { logJson, removedLogJson } from '../json/format.ts';
import { transactionJson } from '../json/format-transaction.ts';
import type { Pool } from '../pool/pool.ts';
import type { RpcBounds } from './deps.ts';
import { getTerms, type LogFilter, matches, toQuery } from './log-query.ts';

/** Blocks that one answer covers; the rest waits for the next one. */
const MAX_BLOCKS = 5_000n;
/** Pending transactions that are remembered for filters. A filter polled too seldom misses older ones. */
const REMEMBERED = 10_000;

type Kind =
  | { readonly kind: 'blocks'; readonly next: bigint }
  | {
      readonly kind: 'logs';
      readonly filter: LogFilter;
      readonly next: bigint;
      /** Logs before `next` whose blocks were taken back. */
      readonly removed: readonly FoundLog[];
    }
  | { readonly kind: 'pending'; readonly full: boolean; readonly next: number };

interface Filter {
  readonly kind: Kind;
  /** The address that made it. */
  readonly peer: string;
  readonly usedAt: number;
}

interface Held {
  readonly filters: number;
  readonly terms: number;
}

const NONE: Held = { filters: 0, terms: 0 };

interface FilterDeps {
  readonly chain: ChainReader;
  readonly pool: Pick<Pool, 'get' | 'onPending'>;
  readonly now: () => number;
  readonly newId: () => Data;
  readonly bounds: Pick<RpcBounds, 'maxFilters' | 'maxFilterTerms' | 'filterIdleMs' | 'maxLogs'>;
}

/**
 * Filters that clients poll. Each is a place in the chain and nothing that grows. Abandoned filters are forgotten after
 * some time, and earlier if its address has as many as are left for others, or they name as much.
 */
export class Filters {
  /** The one not polled for longest comes first. */
  readonly #filters = new Map<string, Filter>();
  /** Filters of an address, and their conditions. */
  readonly #ofPeer = new Map<string, Held>();
  #terms = 0;
  readonly #pending: Hash[] = [];
  /** How many were pending in all; the last of `#pending` is the one before. */
  #pendingCount = 0;

  constructor(readonly deps: FilterDeps) {
    deps.chain.onDrop?.((dropped) => this.#drop(dropped));
    deps.pool.onPending(({ hash }) => {
      this.#pending.push(hash);
      this.#pendingCount += 1;
      // Cut seldom, since cutting moves all.
      if (this.#pending.length >= 2 * REMEMBERED) this.#pending.splice(0, REMEMBERED);
    });
  }

  newBlocks(peer: string): Data {
    return this.#add(peer, { kind: 'blocks', next: this.#nextBlock });
  }

  newLogs(peer: string, filter: LogFilter): Data {
    return this.#add(peer, { kind: 'logs', filter, next: this.#nextBlock, removed: [] });
  }

  newPending(peer: string, full: boolean): Data {
    return this.#add(peer, { kind: 'pending', full, next: this.#pendingCount });
  }

  remove(id: string): boolean {
    return this.#remove(id);
  }

  /** @throws {JsonRpcError} if there is no such filter, or no longer, or it is not for logs. */
  logFilter(id: string): LogFilter {
    const { kind, peer } = this.#use(id);
    if (kind.kind !== 'logs') throw serverError('filter not found');
    this.#put(id, kind, peer);
    return kind.filter;
  }

  /** Changes since the last call. @throws {JsonRpcError} if there is no such filter, or no longer. */
  changes(id: string): readonly unknown[] {
    const { kind, peer } = this.#use(id);
    switch (kind.kind) {
      case 'blocks': {
        const { hashes, next } = this.#newHashes(kind.next);
        this.#put(id, { ...kind, next }, peer);
        return hashes;
      }
      case 'logs': {
        const { logs, next } = this.#newLogs(kind);
        this.#put(id, { ...kind, next, removed: [] }, peer);
        return [...kind.removed.map(removedLogJson), ...logs.map(logJson)];
      }
      case 'pending': {
        this.#put(id, { ...kind, next: this.#pendingCount }, peer);
        const hashes = this.#pending.slice(Math.max(0, this.#pending.length - (this.#pendingCount - kind.next)));
        return kind.full ? hashes.flatMap((hash) => this.#whole(hash)) : hashes;
      }
    }
  }

  get size(): number {
    return this.#filters.size;
  }

  get #nextBlock(): bigint {
    return this.deps.chain.heads.latest + 1n;
  }

  #newHashes(first: bigint): { readonly hashes: readonly Hash[]; readonly next: bigint } {
    const hashes: Hash[] = [];
    let next = first;
    for (; next < this.#nextBlock && next - first < MAX_BLOCKS; next += 1n) {
      const hash = this.deps.chain.findHash(next);
      if (hash !== undefined) hashes.push(hash);
    }
    return { hashes, next };
  }

  #newLogs({ filter, next }: { readonly filter: LogFilter; readonly next: bigint }) {
    const { chain, bounds } = this.deps;
    const end = smaller(this.#nextBlock, next + MAX_BLOCKS);
    const from = typeof filter.fromBlock === 'bigint' && filter.fromBlock > next ? filter.fromBlock : next;
    const to = typeof filter.toBlock === 'bigint' ? smaller(filter.toBlock, end - 1n) : end - 1n;
    if (from > to || filter.blockHash !== undefined) return { logs: [], next: end };
    const { logs, more } = chain.logs(toQuery(filter, from, to), bounds.maxLogs);
    const last = logs.at(-1)?.block;
    if (!more || last === undefined) return { logs, next: end };
    const whole = logs.filter(({ block }) => block < last);
    if (whole.length > 0) return { logs: whole, next: last };
    // A single block has more than an answer should have, and it cannot be divided. The gas of a block bounds it.
    return { logs: chain.logs(toQuery(filter, last, last), Number.MAX_SAFE_INTEGER).logs, next: last + 1n };
  }

  /** Filters that have answered with blocks that are gone answer with those in their place. */
  #drop({ after, logs }: Dropped): void {
    for (const [id, filter] of this.#filters) {
      const { kind } = filter;
      if (kind.kind === 'pending' || kind.next <= after + 1n) continue;
      const next = after + 1n;
      if (kind.kind === 'blocks') {
        this.#filters.set(id, { ...filter, kind: { ...kind, next } });
        continue;
      }
      const removed = logs.filter(
        ({ log, block }) => block < kind.next && isWithin(kind.filter, block) && matches(kind.filter, log),
      );
      const all = [...kind.removed, ...removed].slice(-this.deps.bounds.maxLogs);
      this.#filters.set(id, { ...filter, kind: { ...kind, next, removed: all } });
    }
  }

  /** The pending transaction in full; nothing once it is in a block, if the client has seen it. */
  #whole(hash: Hash): readonly unknown[] {
    const transaction = this.deps.pool.get(hash);
    return transaction === undefined ? [] : [transactionJson(transaction, undefined)];
  }

  #add(peer: string, kind: Kind): Data {
    const { bounds, newId, now } = this.deps;
    for (const [id, { usedAt }] of this.#filters) {
      if (usedAt + bounds.filterIdleMs > now()) break;
      this.#remove(id);
    }
    while (!this.#fits(peer, computeWeight(kind))) {
      if (!this.#removeOldestOf(peer)) throw limitExceeded('the filters of all clients are too many; try again later');
    }
    const id = newId();
    this.#put(id, kind, peer);
    this.#count(peer, 1, computeWeight(kind));
    return id;
  }

  #removeOldestOf(peer: string): boolean {
    for (const [id, each] of this.#filters) if (each.peer === peer) return this.#remove(id);
    return false;
  }

  #fits(peer: string, terms: number): boolean {
    const { maxFilters, maxFilterTerms } = this.deps.bounds;
    const own = this.#ofPeer.get(peer) ?? NONE;
    const named = terms === 0 || own.terms + terms <= maxFilterTerms - this.#terms;
    return named && own.filters < maxFilters - this.#filters.size;
  }

  #count(peer: string, filters: number, terms: number): void {
    const own = this.#ofPeer.get(peer) ?? NONE;
    this.#terms += terms;
    const now = { filters: own.filters + filters, terms: own.terms + terms };
    if (now.filters > 0) this.#ofPeer.set(peer, now);
    else this.#ofPeer.delete(peer);
  }

  #remove(id: string): boolean {
    const found = this.#filters.get(id);
    if (found !== undefined) this.#count(found.peer, -1, -computeWeight(found.kind));
    return this.#filters.delete(id);
  }

  #use(id: string): Filter {
    const found = this.#filters.get(id);
    if (found === undefined || found.usedAt + this.deps.bounds.filterIdleMs <= this.deps.now()) {
      this.#remove(id);
      throw serverError('filter not found');
    }
    return found;
  }

  /** Put again, a filter becomes the last of the map. */
  #put(id: string, kind: Kind, peer: string): void {
    this.#filters.delete(id);
    this.#filters.set(id, { kind, peer, usedAt: this.deps.now() });
  }
}

function isWithin({ blockHash, fromBlock, toBlock }: LogFilter, block: bigint): boolean {
  const isAfter = typeof fromBlock !== 'bigint' || fromBlock <= block;
  return blockHash === undefined && isAfter && (typeof toBlock !== 'bigint' || block <= toBlock);
}

function computeWeight(kind: Kind): number {
  return kind.kind === 'logs' ? getTerms(kind.filter) : 0;
}

export function randomId(): Data {
  return bytesToHex(randomBytes(16));
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
