import { availableParallelism } from 'node:os';
import { collectorClient } from '@switchyard/client';
import { keccakHex } from '@switchyard/protocol/ethereum';
import { type Collector, composerCollector, type Executor } from '@switchyard/rollup/execution';
import { clientAuth, type ProcessContext, scrub } from '@switchyard/service';
import { StoreScrub } from '@switchyard/storage';
import type { ChainStore } from '../chain/store.ts';
import { type EvmConfig, evmFields } from '../config.ts';
import type { Database } from '../database/database.ts';
import { type LmdbDatabase, openDatabase } from '../database/lmdb.ts';
import { claimDatabase } from '../database/owner.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { transactionCheck, transactionCheckLater } from '../pool/check.ts';
import { createPool } from '../pool/create-pool.ts';
import type { PoolChain, RunningPool } from '../pool/deps.ts';
import { openPoolStore } from '../pool/store.ts';
import type { RpcDeps, RpcMethods } from '../rpc/deps.ts';
import { forkAt } from '../rules/forks.ts';
import { SendersInTurn } from '../senders/in-turn.ts';
import type { RecoverBatch, Senders } from '../senders/senders.ts';
import { openRecoveryThreads } from '../senders/threads.ts';
import type { Simulator } from '../simulate/simulator.ts';

export type NodeContext = Pick<
  ProcessContext,
  'log' | 'signal' | 'metrics' | 'links' | 'defer' | 'background' | 'fail' | 'sendToParent'
>;

/** More would wait for the thread of the node. */
const MAX_THREADS = 4;

export type CommonDeps = Omit<RpcDeps, 'pool' | 'simulator'>;

/** Parts of the node, without its listeners. */
export interface Parts {
  readonly chain: ChainStore;
  readonly executor: Executor;
  readonly pool: RunningPool;
  readonly simulator: Pick<Simulator, 'estimateGas'>;
  methods(deps: CommonDeps): RpcMethods;
  /** Why no block can be executed now. */
  trouble(): string | undefined;
  work(): Promise<void>;
}

export function openNodeDatabase(config: EvmConfig, context: NodeContext, backend: EvmConfig['backend']): LmdbDatabase {
  const database = openDatabase(config.dbFilepath, { onDamage: context.fail });
  context.defer(() => database.close());
  context.background(scrub([new StoreScrub(config.dbFilepath, 'evm')], config.scrubBytesPerSecond, context));
  claimDatabase(database, backend);
  return database;
}

export function openRecovery({ defer }: Pick<NodeContext, 'defer'>): RecoverBatch {
  const count = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));
  const threads = openRecoveryThreads(count, new URL('../senders/worker.js', import.meta.url));
  defer(() => threads.close());
  return threads.recover;
}

export function openPool(
  genesis: EvmGenesis,
  config: EvmConfig,
  context: NodeContext,
  parts: {
    readonly chain: ChainStore;
    readonly poolChain: PoolChain;
    readonly database: Database;
    readonly senders: Senders;
  },
): RunningPool {
  const { chainId, gasLimit, forks } = genesis;
  const { chain, poolChain, database, senders } = parts;
  // The next block has at least this time, so accepted transactions have their required fork.
  const rules = () => ({ chainId, gasLimit, fork: forkAt(forks, timeOfHead(chain) + 1n) });
  const inTurn = new SendersInTurn(senders);
  return createPool({
    chain: poolChain,
    check: transactionCheck(rules, (tx) => senders.of(tx)),
    checkLater: transactionCheckLater(rules, (tx) => inTurn.of(tx)),
    findHash: keccakHex,
    collector: createCollector(genesis, config, context),
    store: openPoolStore(database),
    log: context.log.child({ component: 'pool' }),
    metrics: context.metrics,
  });
}

function timeOfHead(chain: ChainStore): bigint {
  return chain.header(chain.heads.latest)?.header.timestamp ?? 0n;
}

function createCollector({ rollup }: EvmGenesis, config: EvmConfig, { defer, links, log }: NodeContext): Collector {
  const credentials = clientAuth('composer', evmFields, config);
  const client = collectorClient({ url: config.composerAddr, credentials, links });
  defer(() => client.close());
  return composerCollector(client, rollup, log.child({ component: 'collector' }));
}
