import { availableParallelism } from 'node:os';
import { collectorClient } from '@switchyard/client';
import { type Collector, composerCollector, ExecutionHost, type Executor, executionServices } from '@switchyard/rollup';
import {
  clientAuth,
  healthRoutes,
  logPeers,
  operatorAccess,
  type ProcessContext,
  pageAccess,
  productVersion,
  retentionOf,
  scrub,
  serveGrpc,
  serverAuth,
  systemClock,
  wallClock,
} from '@switchyard/service';
import { StoreScrub } from '@switchyard/storage';
import { applyGenesis } from './chain/origin.ts';
import { ChainStore } from './chain/store.ts';
import { EVM_LEAST_BLOCKS, type EvmConfig, evmFields } from './config.ts';
import { openDatabase } from './database/lmdb.ts';
import type { Database } from './database.ts';
import { claimDatabase } from './database-owner.ts';
import { devKeys } from './dev-signing.ts';
import { EmbeddedExecutor } from './embedded/executor.ts';
import { explorerOfGeth } from './explorer/geth-methods.ts';
import { AddressIndex } from './explorer/index/address-index.ts';
import { explorerMethods } from './explorer/methods.ts';
import { forkAt } from './forks.ts';
import type { EvmGenesis } from './genesis.ts';
import { readEvmGenesis } from './genesis-read.ts';
import { openLinks } from './geth/config.ts';
import { openGeth } from './geth/open.ts';
import { gethRpc } from './geth/rpc.ts';
import { gethSimulator } from './geth/simulator.ts';
import { keccakHex } from './keccak.ts';
import { observeChain } from './node-metrics.ts';
import { nodeStatus } from './node-status.ts';
import { transactionCheck, transactionCheckLater } from './pool/check.ts';
import { createPool } from './pool/create-pool.ts';
import type { PoolChain, RunningPool } from './pool/deps.ts';
import { embeddedPoolChain } from './pool/embedded-chain.ts';
import { withOutcomes } from './pool/outcome-route.ts';
import { openPoolStore } from './pool/store.ts';
import { readyPrecompiles } from './precompiles/contract.ts';
import { accountMethods } from './rpc/accounts/account-methods.ts';
import type { RpcDeps, RpcMethods } from './rpc/deps.ts';
import { embeddedMethods } from './rpc/embedded-methods.ts';
import { serveRpc } from './rpc/serve.ts';
import { SendersInTurn } from './senders/in-turn.ts';
import { Senders } from './senders/senders.ts';
import { openRecoveryThreads } from './senders/threads.ts';
import { rulesAt } from './simulate/environment.ts';
import { EvmSimulator } from './simulate/evm-simulator.ts';
import type { Simulator } from './simulate/simulator.ts';
import { EMPTY_CODE_HASH } from './state/account.ts';
import { StateStore } from './state/store.ts';
import { openCallThreads } from './threads/call-threads.ts';
import { longInThreads } from './threads/in-threads.ts';
import type { Address } from './types.ts';

export interface RunningEvmNode {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly executionUrl: string;
}

type NodeContext = Pick<ProcessContext, 'log' | 'signal' | 'metrics' | 'defer' | 'background' | 'fail'>;

/** Many blocks at a time come in one message when a conductor catches up. */
const MAX_EXECUTION_MESSAGE = 64 * 1_048_576;
/** More would wait for the thread of the node. */
const MAX_THREADS = 4;
/** Calls that run at a time, and that wait for their turn. */
const CALLS = { atATime: 8, maxWaiting: 256 };

/**
 * Starts a node: all listeners answer when this resolves, whoever else is there. It stops with the signal.
 *
 * @throws {InvalidConfig} where the genesis file cannot be used, or is not the one that the database was begun with.
 */
export async function startEvmNode(config: EvmConfig, context: NodeContext): Promise<RunningEvmNode> {
  const { log, signal, metrics } = context;
  const genesis = await readEvmGenesis(config.genesisFilepath);
  await readyPrecompiles();
  const keys = devKeys(config, genesis);
  const parts =
    config.backend === 'stock' ? await openGethParts(genesis, config, context) : openParts(genesis, config, context);
  const { chain, executor, pool } = parts;
  observeChain(metrics, chain);

  const auth = serverAuth('execution', evmFields, config);
  const access = operatorAccess(config, 'SVC_EVM_');
  const execution = await serveGrpc({
    listen: config.executionGrpcAddr,
    access,
    name: 'SVC_EVM_EXECUTION_GRPC_ADDR',
    auth,
    ...executionServices(new ExecutionHost(executor, { log: log.child({ component: 'execution' }) })),
    log,
    maxMessageBytes: MAX_EXECUTION_MESSAGE,
  });
  context.defer(() => execution.close());
  logPeers(config.executionGrpcAddr, auth, log);

  const { forks } = genesis;
  const bounds = { maxLogs: config.maxLogs, maxBlockRange: config.maxBlockRange };
  const deps: CommonDeps = {
    ...{ chain, log, clock: systemClock, wall: wallClock, bounds, metrics, clientVersion: clientVersion() },
    accounts: () => keys?.accounts ?? [],
    forks,
  };
  const health = {
    ready: () => {
      const reason = parts.trouble() ?? pool.trouble;
      return reason === undefined ? { ok: true } : { ok: false, reason };
    },
    status: () => ({ ...nodeStatus(genesis, chain, pool), backend: config.backend, trouble: parts.trouble() }),
    metrics,
  };
  const rpc = await serveRpc({
    methods: {
      ...parts.methods(deps),
      ...(keys && accountMethods({ chain, pool, keys, simulator: parts.simulator })),
    },
    http: { listen: config.httpAddr, name: 'SVC_EVM_HTTP_ADDR' },
    ws: { listen: config.wsAddr, name: 'SVC_EVM_WS_ADDR' },
    access: pageAccess(access, { origins: config.corsOrigin, setting: 'SVC_EVM_CORS_ORIGIN' }),
    routes: (app) => void app.route('/', withOutcomes(pool, healthRoutes(health))),
    log: log.child({ component: 'rpc' }),
    clock: systemClock,
    bounds,
    metrics,
  });
  context.defer(() => rpc.close());

  const wsUrl = (rpc.ws ?? rpc.http).url.replace(/^http/, 'ws');
  if (keys !== undefined) log.warn('SVC_EVM_DEV_ACCOUNTS is set: any client can sign with the published keys');
  const running = { httpUrl: rpc.http.url, wsUrl, executionUrl: execution.url };
  log.info(
    { ...running, rollup: genesis.rollupName, chainId: genesis.chainId, soft: chain.heads.latest },
    'node answers',
  );
  context.background(parts.work());
  context.background(pool.work(signal));
  return running;
}

type CommonDeps = Omit<RpcDeps, 'pool' | 'simulator'>;

/** What the node is made of, without listeners. */
interface Parts {
  readonly chain: ChainStore;
  readonly executor: Executor;
  readonly pool: RunningPool;
  readonly simulator: Pick<Simulator, 'estimateGas'>;
  methods(deps: CommonDeps): RpcMethods;
  /** Why no block can be executed now. */
  trouble(): string | undefined;
  work(): Promise<void>;
}

function openParts(genesis: EvmGenesis, config: EvmConfig, context: NodeContext): Parts {
  const { chainId, sequencer } = genesis;
  const database = openNodeDatabase(config, context, 'embedded');
  const state = new StateStore(database);
  const index = new AddressIndex(database);
  const retention = retentionOf(config, EVM_LEAST_BLOCKS);
  const chain = new ChainStore(database, state, { chainId, safe: config.safe, indexers: [index], retention });
  const hasCode = (address: Address) =>
    (chain.state(chain.heads.latest).account(address)?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH;
  applyGenesis(genesis, { database, state, chain, hasCode });
  const senders = openSenders(context);
  const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders });
  const poolChain = embeddedPoolChain(chain, sequencer.startHeight);
  const pool = openPool(genesis, config, context, { chain, poolChain, database, senders });
  const bounds = { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs, ...CALLS };
  const simulator = new EvmSimulator(bounds, {
    chain,
    rules: rulesAt(chainId, genesis.forks),
    stateRoot: (block, changes) => state.rootWith(block, changes),
    slotsEver: (address) => state.slotsEver(address),
    now: () => BigInt(Math.floor(wallClock.unixMs() / 1_000)),
  });
  const threads = openCallThreads({
    program: new URL('./threads/worker.js', import.meta.url),
    data: { directory: config.dbFilepath, chainId, forks: genesis.forks, safe: config.safe, simulator: bounds },
    log: context.log.child({ component: 'calls' }),
  });
  context.defer(() => threads.close());
  const oldestProof = () => state.oldestProof;
  const methods = (deps: CommonDeps) =>
    longInThreads(
      embeddedMethods({ ...deps, pool, simulator, oldestProof }, explorerMethods({ simulator, index })),
      threads,
    );
  return { chain, executor, pool, simulator, methods, trouble: () => undefined, work: async () => {} };
}

/** With a stock execution client behind; the node answers before that is there. */
async function openGethParts(genesis: EvmGenesis, config: EvmConfig, context: NodeContext): Promise<Parts> {
  const { log, signal, metrics } = context;
  const links = await openLinks(config);
  context.defer(() => links.close());
  const database = openNodeDatabase(config, context, 'stock');
  const senders = openSenders(context);
  const child = log.child({ component: 'stock' });
  const index = new AddressIndex(database);
  const retention = retentionOf(config, EVM_LEAST_BLOCKS);
  const stock = openGeth(genesis, {
    ...links,
    ...{ database, senders, safe: config.safe, log: child, signal, metrics, indexers: [index], retention },
  });
  const { chain, executor, queries, poolChain } = stock;
  const pool = openPool(genesis, config, context, { chain, poolChain, database, senders });
  const queryTimeoutMs = config.callTimeoutMs;
  const simulator = gethSimulator({ queries, latest: () => chain.heads.latest, timeoutMs: queryTimeoutMs });
  const methods = (deps: CommonDeps) =>
    gethRpc({
      ...{ ...deps, pool, simulator, queries, queryTimeoutMs },
      more: (stateless, asked) => ({
        ...explorerMethods({ simulator: stateless, index, hasInternalCalls: false }),
        ...explorerOfGeth({ ...asked, index }),
      }),
    });
  return { chain, executor, pool, simulator, methods, trouble: () => stock.trouble, work: () => stock.work() };
}

function openNodeDatabase(config: EvmConfig, context: NodeContext, backend: EvmConfig['backend']): Database {
  const database = openDatabase(config.dbFilepath, { onDamage: context.fail });
  context.defer(() => database.close());
  context.background(scrub([new StoreScrub(config.dbFilepath, 'evm')], config.scrubBytesPerSecond, context));
  claimDatabase(database, backend);
  return database;
}

function openSenders({ defer }: NodeContext): Senders {
  const count = Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1));
  const threads = openRecoveryThreads(count, new URL('./senders/worker.js', import.meta.url));
  defer(() => threads.close());
  return new Senders(threads.recover);
}

function openPool(
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
  // The next block has at least this time, so what is accepted has the fork that it needs.
  const rules = () => ({ chainId, gasLimit, fork: forkAt(forks, timeOfHead(chain) + 1n) });
  const inTurn = new SendersInTurn(senders);
  return createPool({
    chain: poolChain,
    check: transactionCheck(rules, (tx) => senders.of(tx)),
    checkLater: transactionCheckLater(rules, (tx) => inTurn.of(tx)),
    hashOf: keccakHex,
    collector: collectorOf(genesis, config, context),
    store: openPoolStore(database),
    log: context.log.child({ component: 'pool' }),
    metrics: context.metrics,
  });
}

function timeOfHead(chain: ChainStore): bigint {
  return chain.header(chain.heads.latest)?.header.timestamp ?? 0n;
}

function collectorOf({ rollup }: EvmGenesis, config: EvmConfig, { defer, log }: NodeContext): Collector {
  const credentials = clientAuth('composer', evmFields, config);
  const client = collectorClient({ url: config.composerAddr, credentials });
  defer(() => client.close());
  return composerCollector(client, rollup, log.child({ component: 'collector' }));
}

function clientVersion(): string {
  return `switchyard/${productVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`;
}
