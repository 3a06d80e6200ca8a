import type { SequencerClient } from '@switchyard/client';
import { toHex, type Validator } from '@switchyard/protocol';
import {
  backoffMs,
  type Clock,
  errorLine,
  InvalidConfig,
  isTransportFailure,
  type Logger,
  Notifier,
  sleep,
} from '@switchyard/service';
import type { IsReset } from '../is-reset.ts';
import { TABLE_NAMES } from '../store/schema.ts';
import { advance, type Cursor, START, setMeta } from '../store/statements.ts';
import { IndexLost, type IndexStore, type Statement, Superseded } from '../store/store.ts';
import { type BlockFacts, blockFacts } from './block-facts.ts';
import { blockRows, commitRows, validatorRows } from './block-rows.ts';
import { HashRuns } from './hash-runs.ts';
import type { Head } from './head.ts';

export type BlockSource = Pick<SequencerClient, 'status' | 'block' | 'executedBlocks' | 'validators'>;

interface IndexerDeps {
  readonly source: BlockSource;
  readonly store: IndexStore;
  readonly head: Head;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly concurrency: number;
  /** Any, if undefined. */
  readonly chainId: string | undefined;
  /** Asked if the node has another chain than the index; without it, the chain began again. */
  readonly isReset?: IsReset;
}

export const SEQUENCER = 'sequencer';
/** How long a quiet chain is believed to be the same one. */
const LOOK_AGAIN_MS = 10_000;
const PROGRESS_EVERY_MS = 10_000;
/**
 * How long a new block waits for the following ones. A request and a write for each of many blocks a second would cost the
 * node and this process more than the blocks do; and the rollups execute a block in the meantime, which has the processors first.
 */
const SETTLE_MS = 250;
const BLOCKS_OF_REQUEST = 4;

/** The chain at the node is not the one in the index. */
class OtherChain extends Error {
  override readonly name = 'OtherChain';
}

/** Fills the index from the sequencer's blocks: each with its rows and the cursor in one write, however it is ended. */
export class SequencerIndexer {
  readonly #deps: IndexerDeps;
  /** Notified after each write. */
  readonly changed = new Notifier();
  readonly #hashes: HashRuns;
  #cursor: Cursor = START;
  #chainId: string | undefined;
  #problem: string | undefined = 'the sequencer was not reached yet';
  #validators: { readonly hash: string; readonly set: readonly Validator[] } | undefined;
  /** Average of the last batch. */
  #loggedAt = Number.NEGATIVE_INFINITY;
  #isWriting = false;

  constructor(deps: IndexerDeps) {
    this.#deps = deps;
    this.#hashes = new HashRuns(deps.store);
  }

  /** The newest block in the index, that of the sequencer, and why nothing is read at the moment. */
  state() {
    const latest = Number(this.#deps.head.latest);
    return { chainId: this.#chainId, height: this.#cursor.height, latest, problem: this.#problem };
  }

  /** Position of the next read, for the watch over the nodes. */
  get next(): bigint {
    return BigInt(this.#cursor.height + 1);
  }

  get isHeldUp(): boolean {
    return this.#isWriting;
  }

  /** Runs until `signal` aborts. @throws {InvalidConfig} if the node is of another chain than the index. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#deps;
    await this.#recall();
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#follow(signal, () => (failures = 0));
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof InvalidConfig) throw error;
        const reason = errorLine(error);
        this.#validators = undefined;
        this.#hashes.reset();
        if (error instanceof Superseded || error instanceof IndexLost) {
          log.info({ reason }, 'reading the index again');
        } else if (error instanceof OtherChain && (await this.#isReset(signal))) {
          log.warn({ reason }, 'the sequencer was reset, filling the index again');
          await this.#empty();
        } else {
          failures += 1;
          // A node that is restarted is away for a moment; a lasting absence is worth a line.
          if (failures === 4) log.warn({ reason }, 'the sequencer cannot be read, trying again');
          if (failures > 1) this.#problem = isTransportFailure(error) ? 'the sequencer does not answer' : reason;
        }
        await sleep(backoffMs(Math.max(1, failures), { maxMs: 10_000 }, random), signal, clock).catch(() => undefined);
      }
    }
  }

  /** The node may be away when the explorer starts: the index can be shown. */
  async #recall(): Promise<void> {
    const { log, store } = this.#deps;
    try {
      this.#cursor = (await readCursor(store, SEQUENCER)) ?? START;
      const [row] = await store.read("SELECT value FROM meta WHERE key = 'chain id'");
      if (row !== undefined) this.#chainId = String(row.value);
    } catch (error) {
      log.debug({ error: errorLine(error) }, 'the index did not show what it has of the sequencer');
    }
  }

  async #follow(signal: AbortSignal, progress: () => void): Promise<void> {
    const { clock, head, log, concurrency: atOnce } = this.#deps;
    await this.#open(signal);
    if (this.#problem !== undefined) log.info({ chain: this.#chainId, height: this.#cursor.height }, 'reading blocks');
    this.#problem = undefined;
    for (let lookedAt = clock.now(); ; ) {
      const from = this.#cursor.height + 1;
      const isBehind = Number(head.latest) >= this.#cursor.height + atOnce;
      if (Number(head.latest) >= from && !isBehind) await sleep(SETTLE_MS, signal, clock);
      const to = Math.min(Number(head.latest), this.#cursor.height + atOnce);
      if (to >= from) {
        await this.#take(from, to, signal);
        progress();
        this.#logProgress();
      } else {
        await head.above(BigInt(this.#cursor.height), LOOK_AGAIN_MS, signal);
      }
      if (clock.now() - lookedAt > LOOK_AGAIN_MS && to < from) {
        await this.#open(signal);
        lookedAt = clock.now();
      }
    }
  }

  /** Reads the position of the index, and whether that is on the node's chain. */
  async #open(signal: AbortSignal): Promise<void> {
    const { source, head, store, log } = this.#deps;
    const { chainId, latestHeight, earliestHeight } = await source.status(signal);
    head.set(latestHeight);
    const known = (await store.read("SELECT value FROM meta WHERE key = 'chain id'"))[0]?.value;
    this.#mustBe(chainId, typeof known === 'string' ? known : undefined);
    this.#chainId = chainId;
    const cursor = await readCursor(store, SEQUENCER);
    if (cursor === undefined) {
      // Blocks that the node no longer has cannot be shown.
      const start = { ...START, height: Math.max(0, Number(earliestHeight ?? 1n) - 1) };
      await store.write([
        advance(SEQUENCER, undefined, start),
        setMeta('chain id', chainId),
        setMeta('first height', String(start.height + 1)),
      ]);
      this.#cursor = start;
      return;
    }
    this.#cursor = cursor;
    if (cursor.height === 0 || cursor.hash === '') return;
    if (earliestHeight !== undefined && cursor.height < Number(earliestHeight)) {
      return this.#skipTo(Number(earliestHeight));
    }
    if (latestHeight < BigInt(cursor.height)) {
      await this.#mustBeBehind(latestHeight, signal);
      log.debug({ latest: latestHeight, height: cursor.height }, 'the node is behind the index');
      return;
    }
    const { id } = await source.block(BigInt(cursor.height), signal);
    if (toHex(id.hash) !== cursor.hash) {
      throw new OtherChain(`block ${cursor.height}: expected ${cursor.hash}, got ${toHex(id.hash)}`);
    }
  }

  /** A node that has fewer blocks than the index is catching up, or starts its chain again. */
  async #mustBeBehind(latest: bigint, signal: AbortSignal): Promise<void> {
    const { source, store } = this.#deps;
    if (latest === 0n) return;
    const hash = await findHash(store, latest);
    const { id } = await source.block(latest, signal);
    if (hash !== undefined && hash !== toHex(id.hash)) {
      throw new OtherChain(`block ${latest}: expected ${hash}, got ${toHex(id.hash)}`);
    }
  }

  #mustBe(got: string, known: string | undefined): void {
    const { chainId: wanted, store } = this.#deps;
    const wrong = (variable: string, expected: string, advice: string) =>
      new InvalidConfig({ variable, expected, got: `chain ${got}`, advice });
    const node = 'SVC_EXPLORER_SEQUENCER_ABCI_ENDPOINT';
    if (wanted !== undefined && wanted !== got)
      throw wrong(node, `a node of chain ${wanted}`, 'correct one of the two');
    if (known !== undefined && known !== got) {
      const advice = `set another place for the index, or delete ${store.place} to fill it from this chain`;
      throw wrong(node, `a node of chain ${known}, which is in the index`, advice);
    }
  }

  /** The node has deleted blocks that the index lacks. */
  async #skipTo(earliest: number): Promise<void> {
    const { log, store } = this.#deps;
    const from = this.#cursor;
    const to = { height: earliest - 1, hash: '' };
    log.warn({ from: from.height + 1, to: to.height }, 'the sequencer no longer has these blocks, leaving them out');
    await store.write([advance(SEQUENCER, from, to)]);
    this.#cursor = to;
  }

  async #take(from: number, to: number, signal: AbortSignal): Promise<void> {
    const { source, store } = this.#deps;
    const heights = Array.from({ length: to - from + 1 }, (_, index) => BigInt(from + index));
    const requests = [];
    for (let at = 0; at < heights.length; at += BLOCKS_OF_REQUEST) {
      requests.push(source.executedBlocks(heights.slice(at, at + BLOCKS_OF_REQUEST), signal));
    }
    const fetched = (await Promise.all(requests)).flat().map(({ block, results }) => ({
      facts: blockFacts(block, results),
      validatorsHash: toHex(block.header.validatorsHash),
    }));
    const batch: Statement[] = [];
    let { hash } = this.#cursor;
    for (const { facts, validatorsHash } of fetched) {
      if (hash !== '' && facts.parentHash !== hash) {
        throw new OtherChain(`block ${facts.height}: expected the parent ${hash}, got ${facts.parentHash}`);
      }
      hash = facts.hash;
      for (const row of blockRows(facts)) batch.push(row);
      for (const row of await this.#signers(facts, validatorsHash, signal)) batch.push(row);
    }
    const all = fetched.map(({ facts }) => facts);
    for (const row of await this.#hashes.add(all, to)) batch.push(row);
    const reached = { height: to, hash };
    this.#isWriting = true;
    try {
      // The cursor first: if several write, the others wait at its row, and have changed nothing yet.
      await store.write([advance(SEQUENCER, this.#cursor, reached), ...batch]);
    } finally {
      this.#isWriting = false;
    }
    this.#cursor = reached;
    this.changed.notify();
  }

  async #signers(facts: BlockFacts, hash: string, signal: AbortSignal): Promise<Statement[]> {
    const { source } = this.#deps;
    const before = this.#validators;
    const rows: Statement[] = [];
    // The node may not know the validators of a block that the index leaves out either.
    if (facts.lastCommit !== undefined && (before !== undefined || this.#cursor.hash !== '')) {
      // After a start, of the last block of the run before.
      const set = before?.set ?? (await source.validators(BigInt(facts.lastCommit.height), signal));
      rows.push(...commitRows(facts, set));
    }
    const changed = before?.hash !== hash;
    const set = changed ? await source.validators(BigInt(facts.height), signal) : (before?.set ?? []);
    this.#validators = { hash, set };
    return [...rows, ...validatorRows(facts, set, changed)];
  }

  async #isReset(signal: AbortSignal): Promise<boolean> {
    const { store, isReset = async () => true } = this.#deps;
    const { height } = this.#cursor;
    return isReset({ height, findHash: (at) => findHash(store, at) }, signal);
  }

  async #empty(): Promise<void> {
    const kept = new Set(['meta']);
    const { store } = this.#deps;
    await store.write([
      ...TABLE_NAMES.filter((name) => !kept.has(name)).map((name) => ({ sql: `DELETE FROM ${name}`, params: [] })),
      { sql: "DELETE FROM meta WHERE key <> 'format'", params: [] },
    ]);
    this.#validators = undefined;
    this.#cursor = START;
  }

  #logProgress(): void {
    const { clock, head, log } = this.#deps;
    const behind = Number(head.latest) - this.#cursor.height;
    if (behind < 100 || clock.now() - this.#loggedAt < PROGRESS_EVERY_MS) return;
    this.#loggedAt = clock.now();
    log.info({ height: this.#cursor.height, latest: head.latest }, 'filling the index');
  }
}

async function findHash(store: IndexStore, height: number | bigint): Promise<string | undefined> {
  const [row] = await store.read('SELECT hash FROM blocks WHERE height = ?', [Number(height)]);
  return row === undefined ? undefined : String(row.hash);
}

export async function readCursor(store: IndexStore, name: string): Promise<Cursor | undefined> {
  const [row] = await store.read('SELECT height, hash FROM cursors WHERE name = ?', [name]);
  return row === undefined ? undefined : { height: Number(row.height), hash: String(row.hash) };
}
