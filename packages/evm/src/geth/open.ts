import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Executor } from '@switchyard/rollup/execution';
import { type Clock, KEEP_ALL, type Logger, type Metrics, type Retention, systemClock } from '@switchyard/service';
import { HistoryGone } from '../chain/chain.ts';
import { applyGenesis } from '../chain/origin.ts';
import { StagingExecutor } from '../chain/staging.ts';
import { type BlockIndexer, ChainStore } from '../chain/store.ts';
import type { Database } from '../database/database.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { sessionParameters } from '../embedded/executor.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { latestHeader } from '../json/resolve.ts';
import type { PoolChain } from '../pool/deps.ts';
import { toPoolChain } from '../pool/embedded-chain.ts';
import { nextBaseFee } from '../rules/rules.ts';
import type { Senders } from '../senders/senders.ts';
import { type GenesisAccount, StateStore } from '../state/store.ts';
import { SenderAccounts } from './accounts.ts';
import { GethContact } from './contact.ts';
import { Geth } from './geth.ts';
import { toName } from './heal.ts';
import type { Link } from './link.ts';
import { GethMaker } from './maker.ts';

export interface GethDeps {
  readonly database: Database;
  readonly senders: Senders;
  /** For building blocks. */
  readonly link: Link;
  /** For questions, whose long answers shall not delay a block. */
  readonly queries: Link;
  readonly safe: 'soft' | 'firm';
  readonly log: Logger;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  readonly metrics?: Metrics;
  readonly indexers?: readonly BlockIndexer[];
  /** Retention limits for blocks; all are kept, if absent. The client has its own settings for the state. */
  readonly retention?: Retention;
  /** How long a block waits for a geth that went away. */
  readonly patienceMs?: number;
}

/** A chain whose blocks a stock geth executes and whose state it keeps; blocks and receipts are stored here too. */
export interface GethBackend {
  readonly chain: ChainStore;
  readonly executor: Executor;
  readonly poolChain: PoolChain;
  readonly queries: Geth;
  /** Why no block can be executed now; undefined when all is well. */
  readonly trouble: string | undefined;
  /** Looks after geth until the signal aborts. @throws {Unusable} if this geth can never be worked with. */
  work(): Promise<void>;
}

/** @throws {InvalidConfig} if the database was begun with another genesis. */
export function openGeth(genesis: EvmGenesis, deps: GethDeps): GethBackend {
  const {
    database,
    senders,
    safe,
    log,
    signal,
    clock = systemClock,
    indexers = [],
    retention = KEEP_ALL,
    patienceMs,
    metrics,
  } = deps;
  const chain = new ChainStore(database, ELSEWHERE, { chainId: genesis.chainId, safe, indexers, retention });
  applyGenesis(genesis, { database, chain, state: { initialise: (_, alloc) => genesisRoot(alloc) } });
  const geth = new Geth(deps.link);
  const accounts = new SenderAccounts(geth);
  const onLost = () => accounts.forget();
  const patience = patienceMs === undefined ? {} : { patienceMs };
  const { forks, gasLimit } = genesis;
  const contact = new GethContact({ geth, chain, forks, gasLimit, log, clock, signal, onLost, ...patience });
  const finalized = () => toName(chain, chain.heads.finalized).hash;
  const maker = new GethMaker({ genesis, geth, contact, accounts, senders, finalized, safe, log, metrics });
  const queries = new Geth(deps.queries);
  return {
    chain,
    executor: new StagingExecutor({ parameters: sessionParameters(genesis), database, chain, maker }),
    poolChain: toPoolChain(chain, genesis.sequencer.startHeight, {
      baseFee: () => nextBaseFee(latestHeader(chain).header),
      account: (address) => queries.account(address, latestHeader(chain).hash),
    }),
    queries,
    get trouble() {
      return contact.trouble;
    },
    work: () => contact.work(),
  };
}

/** The state is geth's, and is fetched over the link. */
const elsewhere = (number: bigint): never => {
  throw new HistoryGone(`the state of block ${number} is kept by the execution client`);
};
const ELSEWHERE = { at: elsewhere, proof: elsewhere };

/** Root of the first state, which is not kept. */
function genesisRoot(alloc: ReadonlyMap<Address, GenesisAccount>): Hash {
  const database = openMemoryDatabase();
  const state = new StateStore(database);
  database.write((writer) => void state.initialise(writer, alloc));
  return state.headRoot;
}
