import type { RollupId } from '@switchyard/protocol';
import {
  backoffMs,
  type Clock,
  errorLine,
  isTransportFailure,
  type Logger,
  Notifier,
  sleep,
  type WallClock,
} from '@switchyard/service';
import { readCursor } from '../sequencer/indexer.ts';
import { ROLLUP_NODE_TABLES } from '../store/schema.ts';
import { advance, type Cursor } from '../store/statements.ts';
import { IndexLost, type IndexStore, type Statement, Superseded } from '../store/store.ts';
import { type RollupHead, type RollupNode, SKIPPED_PAGE } from './rollup-node.ts';
import { rollupBlockRows, skippedDepositRows } from './rollup-rows.ts';

interface RollupIndexerDeps {
  readonly node: RollupNode;
  readonly store: IndexStore;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly log: Logger;
  readonly concurrency: number;
  readonly pollMs: number;
}

export interface RollupState {
  readonly url: string;
  /** Absent until its node has answered once. */
  readonly head: RollupHead | undefined;
  /** The newest block in the index. */
  readonly number: number;
  readonly problem: string | undefined;
  /** Since when the node is away, in milliseconds since the Unix epoch. */
  readonly awaySince: number | undefined;
}

/** The chain at the node is not the one in the index. */
class OtherRollupChain extends Error {
  override readonly name = 'OtherRollupChain';
}

/** Follows one rollup by what the framework shows of every rollup: its blocks, what they refused, and skipped deposits. */
export class RollupIndexer {
  readonly #deps: RollupIndexerDeps;
  readonly changed = new Notifier();
  #head: RollupHead | undefined;
  #cursor: Cursor | undefined;
  /** Whether the cursor was read, and found on the node's chain, since the last failure. */
  #isChecked = false;
  #problem: string | undefined = 'the rollup was not reached yet';
  #awaySince: number | undefined;

  constructor(deps: RollupIndexerDeps) {
    this.#deps = deps;
  }

  get node(): RollupNode {
    return this.#deps.node;
  }

  state(): RollupState {
    return {
      url: this.#deps.node.url,
      head: this.#head,
      number: this.#cursor?.height ?? 0,
      problem: this.#problem,
      awaySince: this.#awaySince,
    };
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, node, random, wall, pollMs } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#follow(signal);
        if (failures >= WARN_AFTER) log.info({ url: node.url }, 'the rollup answers again');
        failures = 0;
        this.#problem = undefined;
        this.#awaySince = undefined;
        await sleep(pollMs, signal, clock).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        this.#isChecked = false;
        const reason = errorLine(error);
        if (error instanceof OtherRollupChain) {
          log.warn({ url: node.url, reason }, 'the rollup was reset, filling its part of the index again');
          await this.#empty().catch((failure: unknown) => log.debug({ reason: errorLine(failure) }, 'not emptied yet'));
        } else if (!(error instanceof Superseded || error instanceof IndexLost)) {
          failures += 1;
          if (failures === WARN_AFTER) log.warn({ url: node.url, reason }, 'the rollup cannot be read, trying again');
          if (failures > 1) {
            this.#problem = isTransportFailure(error) ? 'the rollup does not answer' : reason;
            this.#awaySince ??= wall.unixMs();
          }
        }
        await sleep(backoffMs(Math.max(1, failures), { maxMs: 10_000 }, random), signal, clock).catch(() => undefined);
      }
    }
  }

  /** One look at the node; everything new is in the index afterwards. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { node, wall } = this.#deps;
    const head = await node.head(signal);
    const isFirst = this.#head === undefined;
    this.#head = head;
    const cursor = (this.#isChecked ? this.#cursor : undefined) ?? (await this.#open(head, signal));
    if (head.soft < cursor.height)
      throw new OtherRollupChain(`expected block ${cursor.height}, the newest is ${head.soft}`);
    this.#cursor = cursor;
    this.#isChecked = true;
    const from = cursor.height;
    while ((this.#cursor?.height ?? head.soft) < head.soft) {
      // Of what was there before, nothing is known of when it came.
      const isNew = !isFirst && head.soft - from <= this.#deps.concurrency;
      await this.#take(head, isNew ? wall.unixMs() : 0, signal);
    }
  }

  async #open(head: RollupHead, signal: AbortSignal): Promise<Cursor> {
    const { node, store } = this.#deps;
    const cursor = await readCursor(store, nameOf(head.id));
    if (cursor === undefined) {
      const start = { height: Math.max(0, head.lowest - 1), hash: '' };
      await store.write([advance(nameOf(head.id), undefined, start)]);
      return start;
    }
    if (cursor.hash === '' || head.soft < cursor.height) return cursor;
    if (cursor.height < head.lowest) return this.#skipTo(head, cursor);
    const { hash } = await node.block(cursor.height, signal);
    if (hash !== cursor.hash)
      throw new OtherRollupChain(`block ${cursor.height}: expected ${cursor.hash}, got ${hash}`);
    return cursor;
  }

  async #skipTo({ id, lowest }: RollupHead, from: Cursor): Promise<Cursor> {
    const { log, node, store } = this.#deps;
    const to = { height: lowest - 1, hash: '' };
    log.warn(
      { url: node.url, from: from.height + 1, to: to.height },
      'the rollup no longer has these blocks, leaving them out',
    );
    await store.write([advance(nameOf(id), from, to)]);
    return to;
  }

  async #take({ id, soft }: RollupHead, seen: number, signal: AbortSignal): Promise<void> {
    const { node, store, concurrency } = this.#deps;
    const cursor = this.#cursor ?? { height: 0, hash: '' };
    const size = Math.min(soft - cursor.height, concurrency);
    const numbers = Array.from({ length: size }, (_, index) => cursor.height + 1 + index);
    const blocks = await Promise.all(numbers.map((number) => node.block(number, signal)));
    let { hash } = cursor;
    for (const block of blocks) {
      if (hash !== '' && block.parentHash !== hash) {
        throw new OtherRollupChain(`block ${block.number}: expected the parent ${hash}, got ${block.parentHash}`);
      }
      hash = block.hash;
    }
    const skipped = blocks.some(({ skippedDeposits }) => skippedDeposits > 0) ? await this.#skipped(id, signal) : [];
    const reached = { height: cursor.height + size, hash };
    await store.write([...rollupBlockRows(id, blocks, seen), ...skipped, advance(nameOf(id), cursor, reached)]);
    this.#cursor = reached;
    this.changed.notify();
  }

  async #skipped(id: RollupId, signal: AbortSignal): Promise<Statement[]> {
    const { node, store } = this.#deps;
    const [row] = await store.read('SELECT MAX(id) AS last FROM skipped_deposits WHERE rollup = ?', [id]);
    const rows: Statement[] = [];
    for (let after = typeof row?.last === 'number' ? row.last : undefined; ; ) {
      const page = await node.skippedDeposits(after, signal);
      rows.push(...skippedDepositRows(id, page));
      after = page.at(-1)?.id;
      if (page.length < SKIPPED_PAGE || after === undefined) return rows;
    }
  }

  async #empty(): Promise<void> {
    const { store } = this.#deps;
    const id = this.#head?.id;
    if (id === undefined) return;
    await store.write([
      ...ROLLUP_NODE_TABLES.map((table) => ({ sql: `DELETE FROM ${table} WHERE rollup = ?`, params: [id] })),
      { sql: 'DELETE FROM cursors WHERE name = ?', params: [nameOf(id)] },
    ]);
  }
}

/** A node that is restarted is away for a moment; what lasts is worth a line. */
const WARN_AFTER = 4;

const nameOf = (id: RollupId): string => `rollup ${id}`;
