import { applyGenesis, hasCode } from '../chain/origin.ts';
import { type BlockIndexer, ChainStore } from '../chain/store.ts';
import type { LmdbDatabase } from '../database/lmdb.ts';
import { type RecoverBatch, Senders } from '../senders/senders.ts';
import { TakesLong } from '../simulate/time-budget.ts';
import { ChangedKeys } from '../state/changed-keys.ts';
import { FollowedStates } from '../state/followed.ts';
import { StateStore } from '../state/store.ts';
import { StoredStates } from '../state/stored.ts';
import type { Execution } from './execution.ts';
import { ExecutorThread } from './executor-thread.ts';
import type { ExecutionThreadData } from './messages.ts';

export interface InThreadOptions extends Pick<ExecutionThreadData, 'genesis' | 'directory' | 'safe' | 'retention'> {
  /** Open here, and with nothing written to it that the thread writes. */
  readonly database: LmdbDatabase;
  /** The tables of those of the thread are opened by these. */
  readonly indexers: readonly BlockIndexer[];
  readonly recover: RecoverBatch;
  /** In place of the compiled `worker.js`. */
  readonly program?: URL;
  /** See `DatabaseOptions`; for tests. */
  readonly residentBytes?: number;
  /** Called once, when no more blocks can be executed. */
  readonly onFailure: (error: Error) => void;
}

/** Transactions that are sent again within seconds. */
const MAX_KNOWN_HERE = 4_096;
const PROGRAM = new URL('./worker.js', import.meta.url);

/**
 * Blocks are executed by a thread, which writes the database. This one reads it, and sees no more of it than the blocks that it
 * was notified of.
 *
 * @throws {InvalidConfig} if the database was begun with another genesis.
 */
export function executionInThread(options: InThreadOptions): Execution & { close(): Promise<void> } {
  const { genesis, database, indexers, directory, safe, retention, recover, residentBytes, onFailure } = options;
  const { program = PROGRAM } = options;
  const stored = new StoredStates(database);
  // Opens its table, since threads find only tables that are open.
  new ChangedKeys(database);
  let followed: FollowedStates | undefined;
  let executor: ExecutorThread | undefined;
  const running = (): ExecutorThread => {
    if (executor === undefined) throw new Error('the thread that executes blocks has not begun');
    return executor;
  };
  const chain = new ChainStore(
    database,
    {
      at: (block) => (followed ?? stored).at(block),
      proof: (block, address, slots) => running().calls.proof(block, address, slots),
    },
    { chainId: genesis.chainId, safe, indexers },
  );
  const state = chain.origin === undefined ? new StateStore(database) : BEGUN;
  applyGenesis(genesis, { database, state, chain, hasCode: (address) => hasCode(chain, address) });
  const states = new FollowedStates(stored, chain.heads.latest);
  followed = states;
  executor = new ExecutorThread({
    program,
    data: { directory, genesis, safe, retention, residentBytes },
    recover,
    onMoved(moved) {
      // Reads of this turn may have begun before the commit, and the following ones would see no more.
      database.refresh();
      states.follow(moved.commitments.soft);
      chain.follow(moved);
    },
    remap: (whileClosed) => database.remap(whileClosed),
    onFailure,
  });
  // Blocks ask the other thread's.
  const senders = new Senders(recover, MAX_KNOWN_HERE);
  senders.onFound = (hash, sender) => running().learn(hash, sender);
  return {
    ...{ chain, executor: executor.calls, senders },
    // The tries are in the other thread; a thread for calls makes its own from those on disk.
    stateRoot: () => {
      throw new TakesLong();
    },
    slotsEver: (address) => stored.slotsEver(address),
    close: () => running().close(),
  };
}

const BEGUN = {
  initialise: (): never => {
    throw new Error('the database has a genesis already');
  },
};
