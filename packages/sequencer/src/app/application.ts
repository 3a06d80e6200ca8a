import type { Layer, Snapshot, StateReader, Store } from '@switchyard/machine';
import { buildSequencerBlock, equalBytes, type TxHash, txHashBytes } from '@switchyard/protocol';
import { type BlockPieces, Blocks, toPieces, writePieces } from '../blocks.ts';
import { Mempool, type MempoolConfig } from '../mempool/mempool.ts';
import { admit } from './admission.ts';
import { BlockExecution } from './execution.ts';
import type { FeeMemo } from './fees.ts';
import { writeFirstState } from './first-state.ts';
import { tidyMempool } from './housekeeping.ts';
import { BadProposal, checkBlock, type Executed, executeDecided, fillBlock, INJECTED_ENTRIES } from './proposal.ts';
import { Pruning, RETAIN_ALL, type RetentionConfig } from './pruning.ts';
import { answerQuery } from './queries/routes.ts';
import { RecentResults } from './results.ts';
import { type Chain, readChain } from './tables/chain.ts';
import { Transactions } from './transactions.ts';
import { txResults } from './tx-results.ts';
import type * as abci from './types.ts';

/** Observes the application, for logs and metrics. Never part of a decision. */
export interface AppObserver {
  checked(verdict: abci.Verdict): void;
  /** A waiting transaction failed while a block was built, and was dropped. */
  failed(hash: TxHash, why: string): void;
  rejected(height: bigint, why: string): void;
  committed(block: abci.DecidedBlock, pool: abci.PoolView): void;
}

export interface AppConfig {
  readonly version: string;
  readonly mempool: MempoolConfig;
  /** How many blocks, and spenders of nonces, are kept; everything, if absent. */
  readonly retention?: RetentionConfig;
}

export interface AppDeps {
  readonly store: Store;
  /** Milliseconds. For the ages of waiting transactions only; blocks bring their own time. */
  now(): number;
  readonly observer?: Partial<AppObserver>;
  /** Everything, if absent. */
  readonly engineSupport?: abci.EngineSupport;
  /** Height below which the engine cannot keep blocks; 0 if none. */
  floor?(): bigint;
}

/** A block that was executed ahead of its decision, and its inputs. */
interface Ahead {
  readonly proposal: Pick<abci.Proposal, 'height' | 'time' | 'proposer' | 'misbehavior'>;
  readonly executed: Executed;
}

/** A decided block that waits for its commit. */
interface Finalized {
  readonly block: abci.DecidedBlock;
  readonly executed: Executed;
  readonly layer: Layer;
  readonly pieces: BlockPieces;
  readonly result: abci.BlockResult;
  /** The first block that is kept after this one. */
  readonly lowest: bigint;
}

/** The application behind the ABCI-shaped calls. Everything it decides, it decides elsewhere: here is the order of calls. */
export class SequencerApplication implements abci.Application {
  readonly mempool: Mempool;
  readonly blocks: Blocks;
  readonly results: RecentResults;
  readonly #config: AppConfig;
  readonly #store: Store;
  readonly #observer: Partial<AppObserver>;
  readonly #support: abci.EngineSupport;
  readonly #transactions: Transactions;
  readonly #pruning: Pruning;
  #chain: Chain | undefined;
  /** Memo of the last committed state's fees. */
  #fees: FeeMemo = { last: undefined };
  /** The first state, until the first commit takes it to disk. */
  #genesis: Layer | undefined;
  #ahead: Ahead | undefined;
  #finalized: Finalized | undefined;

  constructor(config: AppConfig, deps: AppDeps) {
    const { store, now, observer = {}, engineSupport = () => {}, floor = () => 0n } = deps;
    this.#config = config;
    this.#store = store;
    this.#observer = observer;
    this.#support = engineSupport;
    this.mempool = new Mempool(config.mempool, { now });
    this.results = new RecentResults({ now });
    this.blocks = new Blocks({ committed: () => store.snapshot() });
    this.#transactions = new Transactions({ held: (hash) => this.mempool.get(hash) });
    this.#pruning = new Pruning(config.retention ?? RETAIN_ALL, floor);
    this.#chain = readChain(store.snapshot());
    this.#pruning.load(store.snapshot());
  }

  /** The first block that is kept; 0 before there is one. */
  get lowest(): bigint {
    return this.#pruning.lowest;
  }

  /** The facts that never change about the chain; `undefined` before genesis. */
  get chain(): Chain | undefined {
    return this.#chain;
  }

  /** The last committed version, for queries. */
  snapshot(): Snapshot {
    return this.#store.snapshot();
  }

  /** To be called when the store was given another state than the one before, as from another node's snapshot. */
  reload(): void {
    this.#ahead = undefined;
    this.#genesis = undefined;
    this.#finalized = undefined;
    this.#chain = readChain(this.#store.snapshot());
    this.#pruning.load(this.#store.snapshot());
    this.#fees = { last: undefined };
  }

  info(): abci.AppInfo {
    const { height = 0n, root } = this.#store.snapshot();
    return {
      data: 'astria_sequencer',
      version: this.#config.version,
      appVersion: this.#chain?.appVersion ?? 1n,
      height,
      appHash: height === 0n ? new Uint8Array() : root,
    };
  }

  initChain(genesis: abci.Genesis): abci.InitResult {
    if (this.#store.snapshot().height !== undefined) throw new Error('a first state for a database that holds blocks');
    this.#store.drop();
    this.#ahead = undefined;
    // The engine may have died over the first block, and begins again.
    this.#finalized = undefined;
    const overlay = this.#store.begin();
    const chain = writeFirstState(overlay, genesis);
    this.#pruning.begin(overlay, genesis);
    this.#genesis = this.#store.seal(overlay, genesis.initialHeight - 1n);
    this.#chain = chain;
    this.#fees = { last: undefined };
    return {
      validators: genesis.validators,
      consensusParams: genesis.consensusParams,
      appHash: this.#genesis.root,
    };
  }

  checkTx(tx: Uint8Array, _mode: 'new' | 'recheck'): abci.Verdict {
    const verdict = admit(tx, {
      mempool: this.mempool,
      transactions: this.#transactions,
      support: this.#support,
      committed: () =>
        this.#chain === undefined ? undefined : { state: this.committed(), chain: this.#chain, fees: this.#fees },
    });
    this.#observer.checked?.(verdict);
    return verdict;
  }

  prepareProposal(input: abci.ProposalInput): readonly Uint8Array[] {
    const chain = this.#known();
    const executed = fillBlock(this.#execution(input), {
      candidates: this.mempool.candidates(),
      maxTxBytes: input.maxTxBytes,
      chain,
      support: this.#support,
      onFailed: (tx, why) => {
        this.#observer.failed?.(tx.hash, why);
        this.mempool.removeFailed(tx, why);
      },
    });
    this.#ahead = { proposal: input, executed };
    return executed.entries;
  }

  processProposal(proposal: abci.Proposal): 'accept' | 'reject' {
    if (this.#executedAhead(proposal) !== undefined) return 'accept';
    try {
      const executed = checkBlock(this.#execution(proposal), proposal.txs, this.#rules());
      this.#ahead = { proposal, executed };
      return 'accept';
    } catch (error) {
      if (!(error instanceof BadProposal)) throw error;
      this.#observer.rejected?.(proposal.height, error.message);
      return 'reject';
    }
  }

  finalizeBlock(block: abci.DecidedBlock): abci.BlockResult {
    const waiting = this.#finalized;
    if (waiting !== undefined) {
      if (equalBytes(waiting.block.hash, block.hash)) return waiting.result;
      throw new Error(`block ${block.height} was finalized with another hash and waits for its commit`);
    }
    const executed = this.#executedAhead(block) ?? executeDecided(this.#execution(block), block.txs, this.#rules());
    const { hash, height, time, proposer, txs: items } = block;
    const { committed, overlay } = executed;
    const itemHash = (index: number) => entryHash(executed, index);
    const chainId = this.#known().id;
    const pieces = toPieces(buildSequencerBlock({ hash, chainId, height, time, proposer, items, itemHash, committed }));
    writePieces(overlay, pieces);
    const lowest = this.#pruning.prune(overlay, { height, time, executed });
    const layer = this.#store.seal(overlay, height);
    const result: abci.BlockResult = {
      txResults: txResults(executed.outcomes),
      validatorUpdates: executed.validatorUpdates,
      consensusParamUpdates: undefined,
      appHash: layer.root,
      events: [],
    };
    this.#ahead = undefined;
    this.#finalized = { block, executed, layer, pieces, result, lowest };
    return result;
  }

  async commit(): Promise<abci.CommitResult> {
    const finalized = this.#finalized;
    if (finalized === undefined) throw new Error('commit without a finalized block');
    await this.#store.commit(finalized.layer);
    this.#finalized = undefined;
    this.#genesis = undefined;
    this.#fees = { last: undefined };
    this.blocks.published(finalized.pieces);
    this.#pruning.lowest = finalized.lowest;
    tidyMempool(finalized, { mempool: this.mempool, results: this.results, state: this.committed() });
    this.#observer.committed?.(finalized.block, this.mempool);
    return { retainHeight: this.#pruning.retainHeight };
  }

  async query(path: string, data: Uint8Array, height = 0n): Promise<abci.QueryResult> {
    return answerQuery(this.#store.snapshot(), path, data, height);
  }

  /** The last committed state; before the first commit, the first state. */
  committed(): StateReader {
    return this.#genesis ?? this.#store.snapshot();
  }

  #known(): Chain {
    if (this.#chain === undefined) throw new Error('a block for a chain without a first state');
    return this.#chain;
  }

  #rules() {
    return { chain: this.#known(), transactions: this.#transactions };
  }

  #execution(block: Pick<abci.Proposal, 'height' | 'time' | 'misbehavior'>): BlockExecution {
    const last = this.#store.head().height;
    if (last === undefined || block.height !== last + 1n) {
      throw new Error(`block ${block.height} on top of height ${last ?? 'none'}`);
    }
    return new BlockExecution(this.#store.begin(), this.#known(), block);
  }

  /** The result of executing ahead, if that was this very block. */
  #executedAhead(block: abci.Proposal): Executed | undefined {
    if (this.#ahead === undefined) return undefined;
    const { proposal, executed } = this.#ahead;
    const same =
      proposal.height === block.height &&
      proposal.time.seconds === block.time.seconds &&
      proposal.time.nanos === block.time.nanos &&
      equalBytes(proposal.proposer, block.proposer) &&
      proposal.misbehavior.length === 0 &&
      block.misbehavior.length === 0 &&
      executed.entries.length === block.txs.length &&
      executed.entries.every((entry, index) => sameBytes(entry, block.txs[index]));
    return same ? executed : undefined;
  }
}

/** The hash of a transaction is that of its entry, and is not computed again. */
function entryHash({ outcomes }: Executed, index: number): Uint8Array | undefined {
  const outcome = outcomes[index - INJECTED_ENTRIES];
  return outcome !== undefined && 'tx' in outcome ? txHashBytes(outcome.tx.hash) : undefined;
}

/** Mostly one and the same array, else compared natively: entries can be long. */
function sameBytes(left: Uint8Array, right: Uint8Array | undefined): boolean {
  return left === right || (right !== undefined && Buffer.compare(left, right) === 0);
}
