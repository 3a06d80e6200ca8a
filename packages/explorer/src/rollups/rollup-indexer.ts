import type { RollupId } from '@switchyard/protocol';
import {
  aborted,
  backoffMs,
  type Clock,
  errorLine,
  isTransportFailure,
  type Logger,
  Notifier,
  sleep,
  type WallClock,
} from '@switchyard/service';
import type { IsReset } from '../is-reset.ts';
import { readCursor } from '../sequencer/indexer.ts';
import { advance, type Cursor, setMeta } from '../store/statements.ts';
import { IndexLost, type IndexStore, Superseded } from '../store/store.ts';
import type { Offers } from './offers.ts';
import type { RollupHead } from './rollup-node.ts';
import type { AnyRollupNode, RollupBlocks, RollupReader } from './rollup-reader.ts';

interface RollupIndexerDeps {
  readonly reader: RollupReader;
  readonly store: IndexStore;
  readonly clock: Clock;
  readonly wall: WallClock;
  readonly random: () => number;
  readonly log: Logger;
  readonly pollMs: number;
  /** Notified of blocks of the sequencer. With it, a rollup that does not change is queried less and less often until the next one. */
  readonly news?: Pick<Notifier, 'wait'>;
  /** Asked if the node has another chain than the index; without it, the rollup began again. */
  readonly isReset?: IsReset;
}

export interface RollupState {
  readonly url: string;
  /** Absent until its node has answered once. */
  readonly head: RollupHead | undefined;
  /** Undefined until its node has answered that, and for nodes that do not. */
  readonly offers?: Offers | undefined;
  /** The newest block in the index. */
  readonly number: number;
  /** Hash of that block; empty before the first. */
  readonly hash: string;
  readonly problem: string | undefined;
  /** Since when the node is away, in milliseconds since the Unix epoch. */
  readonly awaySince: number | undefined;
}

/** The chain at the node is not the one in the index. */
class OtherRollupChain extends Error {
  override readonly name = 'OtherRollupChain';
}

/** Follows one rollup: each batch of blocks is in the index with the cursor that counts it, or not at all. */
export class RollupIndexer {
  readonly #deps: RollupIndexerDeps;
  readonly changed = new Notifier();
  #head: RollupHead | undefined;
  /** Whether the node has answered; before, the known facts come from the index. */
  #isReached = false;
  /** Identity of the rollup at this address, as the index has it. */
  #recorded = '';
  #cursor: Cursor | undefined;
  /** Whether the cursor was read, and found on the node's chain, since the last failure. */
  #isChecked = false;
  #problem: string | undefined = 'the rollup was not reached yet';
  #awaySince: number | undefined;
  #isWriting = false;
  #offers: Offers | undefined;
  #offersAt = Number.NEGATIVE_INFINITY;

  constructor(deps: RollupIndexerDeps) {
    this.#deps = deps;
  }

  get node(): AnyRollupNode {
    return this.#deps.reader.node;
  }

  /** Position of the next read, for the watch over the nodes. */
  get next(): bigint {
    return BigInt((this.#cursor?.height ?? 0) + 1);
  }

  get isHeldUp(): boolean {
    return this.#isWriting;
  }

  state(): RollupState {
    return {
      url: this.node.url,
      head: this.#head,
      offers: this.#offers,
      number: this.#cursor?.height ?? 0,
      hash: this.#cursor?.hash ?? '',
      problem: this.#problem,
      awaySince: this.#awaySince,
    };
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, random, wall } = this.#deps;
    const { url } = this.node;
    await this.#recall();
    for (let failures = 0, unchanged = 0; !signal.aborted; ) {
      try {
        const before = this.#head;
        await this.#follow(signal);
        unchanged = isSame(before, this.#head) ? unchanged + 1 : 0;
        if (failures >= WARN_AFTER) log.info({ url }, 'the rollup answers again');
        failures = 0;
        this.#problem = undefined;
        this.#awaySince = undefined;
        if (await this.#pause(unchanged, signal)) unchanged = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#isChecked = false;
        this.#recorded = '';
        const reason = errorLine(error);
        if (error instanceof OtherRollupChain && (await this.#isReset(signal))) {
          log.warn({ url, reason }, 'the rollup was reset, filling its part of the index again');
          await this.#empty().catch((failure: unknown) => log.debug({ reason: errorLine(failure) }, 'not emptied yet'));
        } else if (!(error instanceof Superseded || error instanceof IndexLost)) {
          failures += 1;
          if (failures === WARN_AFTER) log.warn({ url, reason }, 'the rollup cannot be read, trying again');
          if (failures > 1) {
            this.#problem = isTransportFailure(error) ? 'the rollup does not answer' : reason;
            this.#awaySince ??= wall.unixMs();
          }
        }
        await sleep(backoffMs(Math.max(1, failures), { maxMs: 10_000 }, random), signal, clock).catch(() => undefined);
      }
    }
  }

  /** @returns true when it was cut short by news. */
  async #pause(unchanged: number, signal: AbortSignal): Promise<boolean> {
    const { clock, pollMs, news } = this.#deps;
    const over = new AbortController();
    const end = (): void => over.abort();
    const ms = news === undefined ? pollMs : Math.max(pollMs, Math.min(pollMs * 2 ** unchanged, QUIET_POLL_MS));
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      await (news?.wait(over.signal) ?? aborted(over.signal));
      return !over.signal.aborted;
    } catch {
      return false;
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }

  /** A node may be away when the explorer starts: the index can be shown. */
  async #recall(): Promise<void> {
    const { log, store, reader } = this.#deps;
    try {
      const [row] = await store.read('SELECT value FROM meta WHERE key = ?', [toKey(reader.node.url)]);
      if (row === undefined) return;
      this.#recorded = String(row.value);
      // Our own row.
      const { id, name, chainId } = JSON.parse(this.#recorded) as Pick<RollupHead, 'id' | 'name' | 'chainId'>;
      this.#cursor = await readCursor(store, toName(id));
      if (this.#cursor === undefined) return;
      this.#head = {
        id,
        name,
        chainId,
        soft: this.#cursor.height,
        firm: undefined,
        lowest: 1,
      };
    } catch (error) {
      log.debug({ url: reader.node.url, error: errorLine(error) }, 'the index did not show what it has of a rollup');
    }
  }

  /** One look at the node; everything new is in the index afterwards. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { reader } = this.#deps;
    const head = await reader.node.head(signal);
    const isFirst = !this.#isReached;
    this.#head = head;
    this.#isReached = true;
    const cursor = (this.#isChecked ? this.#cursor : undefined) ?? (await this.#open(head, signal));
    if (head.soft < cursor.height) await this.#mustBeBehind(head, signal);
    await this.#lookAtOffers(signal);
    this.#cursor = cursor;
    this.#isChecked = true;
    // The time at which earlier blocks came is not known.
    const isNew = !isFirst && head.soft - cursor.height <= RECENT_BLOCKS;
    await this.#takeUpTo(head, isNew, signal);
  }

  /** They change with the version of the node. Without them its blocks are indexed all the same. */
  async #lookAtOffers(signal: AbortSignal): Promise<void> {
    const { reader, clock, log } = this.#deps;
    if (reader.node.offers === undefined || clock.now() - this.#offersAt < OFFERS_FRESH_MS) return;
    this.#offersAt = clock.now();
    try {
      this.#offers = await reader.node.offers(signal);
    } catch (error) {
      log.debug({ url: reader.node.url, error: errorLine(error) }, 'the document of this rollup cannot be read');
    }
  }

  async #open(head: RollupHead, signal: AbortSignal): Promise<Cursor> {
    const { reader, store } = this.#deps;
    const cursor = await readCursor(store, toName(head.id));
    if (cursor === undefined) {
      const start = { height: Math.max(0, head.lowest - 1), hash: '' };
      await store.write([advance(toName(head.id), undefined, start)]);
      return start;
    }
    if (cursor.hash === '' || head.soft < cursor.height) return cursor;
    if (cursor.height < head.lowest) return this.#skipTo(head, cursor);
    const hash = await reader.node.findHash(cursor.height, signal);
    if (hash !== cursor.hash)
      throw new OtherRollupChain(`block ${cursor.height}: expected ${cursor.hash}, got ${hash}`);
    return cursor;
  }

  /** A node that has fewer blocks than the index is catching up, or starts its chain again. */
  async #mustBeBehind({ id, soft }: RollupHead, signal: AbortSignal): Promise<void> {
    const own = soft === 0 ? undefined : await this.#hashOf(id, soft);
    const theirs = own === undefined ? undefined : await this.node.findHash(soft, signal);
    if (own === undefined || own !== theirs) {
      throw new OtherRollupChain(
        `block ${soft}, the newest: expected ${own ?? 'more blocks'}, got ${theirs ?? 'this'}`,
      );
    }
  }

  async #isReset(signal: AbortSignal): Promise<boolean> {
    const { isReset = async () => true } = this.#deps;
    const [id, height] = [this.#head?.id, this.#cursor?.height ?? 0];
    return id !== undefined && isReset({ height, findHash: (at) => this.#hashOf(id, at) }, signal);
  }

  async #hashOf(id: RollupId, number: number): Promise<string | undefined> {
    const sql = 'SELECT hash FROM rollup_blocks WHERE rollup = ? AND number = ?';
    const [row] = await this.#deps.store.read(sql, [id, number]);
    return row === undefined ? undefined : String(row.hash);
  }

  async #skipTo({ id, lowest }: RollupHead, from: Cursor): Promise<Cursor> {
    const { log, reader, store } = this.#deps;
    const to = { height: lowest - 1, hash: '' };
    log.warn(
      { url: reader.node.url, from: from.height + 1, to: to.height },
      'the rollup no longer has these blocks, leaving them out',
    );
    await store.write([advance(toName(id), from, to)]);
    return to;
  }

  /** The node prepares the next blocks while those before are written. */
  async #takeUpTo(head: RollupHead, isNew: boolean, signal: AbortSignal): Promise<void> {
    const { soft } = head;
    const { reader, wall } = this.#deps;
    const fetch = (from: number) => (from > soft ? undefined : reader.blocks(from, soft - from + 1, signal));
    let next = fetch((this.#cursor?.height ?? soft) + 1);
    while (next !== undefined) {
      const blocks: RollupBlocks = await next;
      next = fetch((blocks.links.at(-1)?.number ?? soft) + 1);
      // Awaited in the next round, or not at all if this one fails.
      next?.catch(() => undefined);
      await this.#take(head, blocks, isNew ? wall.unixMs() : 0, signal);
    }
  }

  async #take(head: RollupHead, { links, rows }: RollupBlocks, seen: number, signal: AbortSignal): Promise<void> {
    const { id } = head;
    const cursor = this.#cursor ?? { height: 0, hash: '' };
    let reached = cursor;
    for (const { number, hash, parentHash } of links) {
      if (number !== reached.height + 1)
        throw new Error(`the node answered block ${number} where block ${reached.height + 1} belongs`);
      if (reached.hash !== '' && parentHash !== reached.hash)
        throw new OtherRollupChain(`block ${number}: expected the parent ${reached.hash}, got ${parentHash}`);
      reached = { height: number, hash };
    }
    // The cursor first: if several write, the others wait at its row, and have changed nothing yet.
    const { reader, store } = this.#deps;
    const recorded = JSON.stringify({ id, name: head.name, chainId: head.chainId });
    const record = recorded === this.#recorded ? [] : [setMeta(toKey(reader.node.url), recorded)];
    const batch = [advance(toName(id), cursor, reached), ...record, ...(await rows(id, seen, signal))];
    this.#isWriting = true;
    try {
      await store.write(batch);
    } finally {
      this.#isWriting = false;
    }
    this.#recorded = recorded;
    this.#cursor = reached;
    this.changed.notify();
  }

  async #empty(): Promise<void> {
    const { reader, store } = this.#deps;
    const id = this.#head?.id;
    if (id === undefined) return;
    await store.write([{ sql: 'DELETE FROM cursors WHERE name = ?', params: [toName(id)] }, ...reader.clear(id)]);
  }
}

/** Longest pause between two looks at a rollup that does not change. */
const QUIET_POLL_MS = 4_000;
/** A node that is restarted is away for a moment; a lasting absence is worth a line. */
const WARN_AFTER = 4;
const OFFERS_FRESH_MS = 60_000;
/** With more at once, the explorer was behind, and when they came is not known. */
const RECENT_BLOCKS = 8;

const isSame = (one: RollupHead | undefined, other: RollupHead | undefined): boolean =>
  one !== undefined && one.soft === other?.soft && one.firm === other.firm;

const toName = (id: RollupId): string => `rollup ${id}`;
/** In the table of meta data. */
const toKey = (url: string): string => `rollup at ${url}`;
