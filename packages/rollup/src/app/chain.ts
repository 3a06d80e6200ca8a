import type { Layer, Overlay, Snapshot, Store } from '@switchyard/machine';
import {
  type BlockHash,
  type BlockMetadata,
  blockHashFromHex,
  type CommitmentState,
  parseFirmMeaning,
  Rejected,
  type SessionParameters,
} from '@switchyard/protocol';
import { KEEP_ALL, type Logger, type Retention, silentLogger, systemClock } from '@switchyard/service';
import { nowRuns, Overtime, withTimeLimit } from '#time-limit';
import {
  type BatchOptions,
  BlockFailed,
  type BlockInput,
  type BlockQuery,
  type Commitments,
  type ExecutedBatch,
  type ExecutionState,
  type Executor,
  executeInTurn,
} from '../execution/executor.ts';
import { recordActivations } from './activations.ts';
import { rememberNames } from './asset-names.ts';
import { withBlock } from './block-in-work.ts';
import { depositAsKept, storeBlock, toMetadata } from './block-rows.ts';
import type { BlockRecord, CommitListener, CommittedBlock, SoftView } from './commits.ts';
import type { RollupDefinition } from './definition.ts';
import { type BlockOutcome, executeBlock, type KnownTransactions } from './execute-block.ts';
import { executedBlock } from './executed-block.ts';
import { failureText } from './failure-text.ts';
import { applyGenesis } from './origin.ts';
import { OutcomeIndex } from './outcomes.ts';
import { keptIn, prune } from './pruning.ts';
import { refusingBugs } from './refusing-bugs.ts';
import { runHook } from './run-hook.ts';
import { sealedWorld } from './sealed-world.ts';
import { getBlock, type StoredBlock } from './stored-blocks.ts';
import { getInputDigest } from './stored-digests.ts';
import { pruneChanges, writeChanges } from './streams/changes.ts';
import { blockNumbers, commitmentRows, firmMeaningRow } from './tables.ts';

/** Executed, but not the soft block yet: nothing of it is on disk. */
interface StagedBlock {
  readonly metadata: BlockMetadata;
  readonly input: BlockInput;
  readonly layer: Layer;
  readonly committed: CommittedBlock;
}

/** Several times the duration of a block that uses all of its steps. */
export const BLOCK_LIMIT_MS = 30_000;
/** Pause after a block that has not ended within its limit. */
const REST_MS = 300_000;

/** The chain of a rollup without a virtual machine, behind the `Executor` contract. */
export class RollupChain implements Executor {
  readonly outcomes = new OutcomeIndex();
  readonly #definition: RollupDefinition;
  readonly #store: Store;
  readonly #known: KnownTransactions;
  readonly #retention: Retention;
  readonly #log: Logger;
  readonly #limitMs: number;
  /** A block that has not ended in its time. */
  #late: { readonly of: string; readonly until: number; readonly failed: BlockFailed } | undefined;
  readonly #listeners = new Set<CommitListener>();
  #staged: StagedBlock[] = [];
  #view: SoftView;

  private constructor(
    definition: RollupDefinition,
    store: Store,
    known: KnownTransactions,
    retention: Retention,
    log: Logger,
    limitMs: number,
  ) {
    this.#definition = { ...definition, actions: refusingBugs(definition) };
    this.#store = store;
    this.#known = known;
    this.#retention = retention;
    this.#log = log;
    this.#limitMs = limitMs;
    this.#view = toView(store.snapshot());
    this.outcomes.load(this.#view.snapshot);
  }

  /** Resumes from the state in `store`, after applying the genesis to an empty one. */
  static async open(
    definition: RollupDefinition,
    store: Store,
    known: KnownTransactions = () => undefined,
    retention: Retention = KEEP_ALL,
    log: Logger = silentLogger,
    limitMs = BLOCK_LIMIT_MS,
  ): Promise<RollupChain> {
    await applyGenesis(definition, store);
    return new RollupChain(definition, store, known, retention, log, limitMs);
  }

  /** Taken again for each query: a commit makes the one before it unreadable. */
  get view(): SoftView {
    const snapshot = this.#store.snapshot();
    if (snapshot !== this.#view.snapshot) this.#view = toView(snapshot);
    return this.#view;
  }

  /** @returns a function that ends it. */
  onCommit(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async state(): Promise<ExecutionState> {
    const { commitments, firmMeaning } = this.view;
    return { parameters: this.#parameters(), commitments, firmMeaning };
  }

  async block(query: BlockQuery): Promise<BlockMetadata | undefined> {
    const staged = this.#staged.find(({ metadata }) =>
      'hash' in query ? metadata.hash === query.hash : metadata.number === query.number,
    );
    if (staged !== undefined) return staged.metadata;
    const number = 'hash' in query ? this.#numberOf(query.hash) : query.number;
    if (number === undefined || number < 0n || number >> 64n !== 0n) return undefined;
    const stored = getBlock(this.view.snapshot, number);
    if (stored === undefined || ('hash' in query && stored.hash !== query.hash)) return undefined;
    return toMetadata(number, stored);
  }

  async inputDigest(number: bigint): Promise<Uint8Array | undefined> {
    const { lowest, soft, snapshot } = this.view;
    if (number < lowest || number > soft) return undefined;
    const digest = getInputDigest(snapshot, number);
    return digest && Uint8Array.from(digest);
  }

  async execute(parent: string, input: BlockInput): Promise<BlockMetadata> {
    this.#dropFrom(parent);
    return this.#stage(input);
  }

  async executeBatch(parent: string, inputs: readonly BlockInput[], options: BatchOptions): Promise<ExecutedBatch> {
    this.#dropFrom(parent);
    return executeInTurn(this, async (input) => this.#stage(input), inputs, options);
  }

  async commit({ soft, firm, lowestCelestiaSearchHeight, firmMeaning }: Commitments): Promise<CommitmentState> {
    const softBlock = await this.block({ hash: soft });
    const firmBlock = await this.block({ hash: firm });
    if (softBlock === undefined || firmBlock === undefined) throw new Error('commitment to an unknown block');
    const rows = { soft: softBlock.number, firm: firmBlock.number, lowestCelestiaSearchHeight };
    const last = this.#staged.findIndex(({ metadata }) => metadata.hash === soft);
    const { commitments: current, firmMeaning: kept } = this.view;
    const isSame =
      current.firm.hash === firm &&
      current.lowestCelestiaSearchHeight === lowestCelestiaSearchHeight &&
      (firmMeaning ?? kept) === kept;
    if (last < 0 && isSame) return current;
    const moved = this.#staged.slice(0, last + 1);
    const waiting = this.#staged.slice(last + 1);
    // The pointers are written on top of the block they point to, so blocks executed above it are executed again.
    if (moved.length === 0) this.#store.drop();
    this.#staged = [];
    const overlay = this.#begin(moved.at(-1)?.layer);
    commitmentRows.put(overlay, rows);
    if (firmMeaning !== undefined && firmMeaning !== kept) firmMeaningRow.put(overlay, firmMeaning);
    const { snapshot } = this.view;
    prune(overlay, this.#retention, { ...rows, snapshot, moved: moved.length, openSince: this.outcomes.openSince });
    if (moved.length > 0) pruneChanges(overlay, rows.soft, keptIn(overlay).blocks);
    await this.#store.commit(this.#seal(overlay));
    this.#publish(moved);
    for (const { input } of waiting) this.#stage(input);
    return this.view.commitments;
  }

  /** Executes a block on the last staged one. Synchronous from beginning to end. */
  #stage(input: BlockInput): BlockMetadata {
    const parent = this.#staged.at(-1)?.metadata ?? this.view.commitments.soft;
    const number = parent.number + 1n;
    const sequencerBlockHash = parseSequencerHash(input.sequencerBlockHash);
    const parentHash = blockHashFromHex(parent.hash);
    const state = this.#begin(this.#staged.at(-1)?.layer);
    const outcome = this.#execute(number, state, input);
    const stateLayer = this.#seal(state);

    const place = { number, parentHash, sequencerBlockHash, timestamp: input.timestamp };
    const stored = executedBlock(place, outcome, stateLayer.root);
    return this.#record(number, stored, input, outcome, state, stateLayer);
  }

  #execute(number: bigint, state: Overlay, input: BlockInput): BlockOutcome {
    const missing = this.#definition.missingUpgrade?.(number, state);
    if (missing !== undefined) throw new BlockFailed(`block ${number} cannot be executed: ${missing}`);
    return this.#sealed(number, input, () =>
      executeBlock(this.#definition, state, input, { number, known: this.#known }),
    );
  }

  /** Work that has not ended holds up this thread, so that it is not begun again at once. */
  #sealed<T>(number: bigint, input: BlockInput, work: () => T): T {
    const { of: item, until, failed: late } = this.#late ?? {};
    if (late !== undefined && item === input.sequencerBlockHash && systemClock.now() < (until ?? 0)) throw late;
    try {
      return sealedWorld(() => withBlock(number, () => withTimeLimit(this.#limitMs, work), this.#definition.rowTables));
    } catch (cause) {
      const failed = new BlockFailed(`block ${number} cannot be executed: ${failureText(cause)}`, { cause });
      if (cause instanceof Overtime)
        this.#late = { of: input.sequencerBlockHash, until: systemClock.now() + REST_MS, failed };
      throw failed;
    }
  }

  /** The rows about a block need its hash, and that needs the state root: so they are a layer of their own. */
  #record(
    number: bigint,
    stored: StoredBlock,
    input: BlockInput,
    outcome: BlockOutcome,
    state: Overlay,
    stateLayer: Layer,
  ): BlockMetadata {
    const rows = this.#begin(stateLayer);
    storeBlock(rows, number, stored, outcome, input.digest);
    rememberNames(
      rows,
      outcome.credited.map(({ deposit }) => deposit.asset),
    );
    const deposits = outcome.credited.map(depositAsKept);
    const record = { number, hash: stored.hash, time: input.timestamp, events: outcome.events, deposits };
    const hookFailure = this.#derive(input, record, state, rows);
    recordActivations(this.#definition.activations, number, rows);
    writeChanges(rows, number, [...state.keys(), ...rows.keys()], outcome.receipts);
    const metadata = toMetadata(number, stored);
    const committed = { ...record, receipts: outcome.receipts, bugs: outcome.bugs, hookFailure };
    this.#staged.push({ metadata, input, layer: this.#seal(rows), committed });
    return metadata;
  }

  /** Rows that follow from a block and are in no state root. @returns the error of `onBlock`, if it has one. */
  #derive(input: BlockInput, record: BlockRecord, state: Overlay, rows: Overlay): unknown {
    const { number: block } = record;
    const { onBlock, onChange } = this.#definition;
    if (onBlock === undefined && state.size === 0) return undefined;
    const problems: string[] = [];
    const failure = this.#sealed(block, input, () => {
      const found = onBlock && runHook(onBlock, record, rows);
      nowRuns('the function of an index');
      for (const changed of [state, rows]) onChange?.(changed, rows, (problem) => void problems.push(problem));
      return found;
    });
    for (const problem of problems) this.#log.error({ block, problem }, 'a row is in no index');
    return failure;
  }

  #publish(moved: readonly StagedBlock[]): void {
    const { view } = this;
    const committed = moved.map((staged) => staged.committed);
    for (const { number, receipts } of committed) this.outcomes.committed(view.snapshot, number, receipts);
    for (const listener of this.#listeners) listener(view, committed);
  }

  /** Forgets earlier executions on `parent`: executing it again gives the same. */
  #dropFrom(parent: string): void {
    if (parent !== this.view.block.hash) throw new Error('executing on a block that is not the soft one');
    this.#store.drop();
    this.#staged = [];
  }

  #begin(layer: Layer | undefined): Overlay {
    return layer === undefined ? this.#store.begin() : this.#store.begin(layer);
  }

  /** The store counts versions, and a block is more than one of them. */
  #seal(overlay: Overlay): Layer {
    return this.#store.seal(overlay, (this.#store.head().height ?? -1n) + 1n);
  }

  #numberOf(hash: string): bigint | undefined {
    return /^[0-9a-f]{64}$/.test(hash) ? blockNumbers.get(this.view.snapshot, blockHashFromHex(hash)) : undefined;
  }

  #parameters(): SessionParameters {
    const { genesis } = this.#definition;
    return {
      rollup: genesis.rollup,
      rollupStartNumber: 1n,
      rollupEndNumber: undefined,
      sequencerChainId: genesis.sequencerChainId,
      sequencerStartHeight: genesis.sequencerGenesisBlockHeight + 1n,
      celestiaChainId: '',
      celestiaSearchHeightMaxLookAhead: genesis.daBlockVariance,
    };
  }
}

function toView(snapshot: Snapshot): SoftView {
  const rows = commitmentRows.get(snapshot);
  const block = rows && getBlock(snapshot, rows.soft);
  const firmBlock = rows && (rows.firm === rows.soft ? block : getBlock(snapshot, rows.firm));
  if (rows === undefined || block === undefined || firmBlock === undefined) {
    throw new Error('the database has no soft or no firm block');
  }
  const { soft, firm, lowestCelestiaSearchHeight } = rows;
  const commitments = { soft: toMetadata(soft, block), firm: toMetadata(firm, firmBlock), lowestCelestiaSearchHeight };
  const firmMeaning = parseFirmMeaning(firmMeaningRow.get(snapshot));
  return { snapshot, soft, firm, block, commitments, firmMeaning, lowest: keptIn(snapshot).blocks };
}

function parseSequencerHash(text: string): BlockHash {
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Rejected('malformed', {
      field: 'sequencer_block_hash',
      expected: '64 lower-case hex digits',
      got: text.slice(0, 100),
    });
  }
  return blockHashFromHex(text);
}
