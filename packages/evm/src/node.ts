import { availableParallelism } from 'node:os';
import { collectorClient } from '@switchyard/client';
import { type Collector, ExecutionHost, executionServices } from '@switchyard/rollup';
import { healthRoutes, type ProcessContext, productVersion, serveGrpc, systemClock } from '@switchyard/service';
import { applyGenesis } from './chain/origin.ts';
import { ChainStore } from './chain/store.ts';
import type { EvmConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { EmbeddedExecutor } from './embedded/executor.ts';
import { cancunRules } from './embedded/interpreter.ts';
import type { EvmGenesis } from './genesis.ts';
import { readEvmGenesis } from './genesis-read.ts';
import { keccakHex } from './keccak.ts';
import { observeChain } from './node-metrics.ts';
import { nodeStatus } from './node-status.ts';
import { transactionCheck } from './pool/check.ts';
import { createPool } from './pool/create-pool.ts';
import type { RunningPool } from './pool/deps.ts';
import { embeddedPoolChain } from './pool/embedded-chain.ts';
import { openPoolStore } from './pool/store.ts';
import { embeddedMethods } from './rpc/embedded-methods.ts';
import { serveRpc } from './rpc/serve.ts';
import { Senders } from './senders/senders.ts';
import { openRecoveryThreads } from './senders/threads.ts';
import { EvmSimulator } from './simulate/evm-simulator.ts';
import { StateStore } from './state/store.ts';

export interface RunningEvmNode {
  readonly httpUrl: string;
  readonly wsUrl: string;
  readonly executionUrl: string;
}

type NodeContext = Pick<ProcessContext, 'log' | 'signal' | 'metrics' | 'defer' | 'background'>;

/** Many blocks at a time come in one message when a conductor catches up. */
const MAX_EXECUTION_MESSAGE = 64 * 1_048_576;
/** More would wait for the thread of the node. */
const MOST_THREADS = 4;
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
  const parts = config.backend === 'stock' ? await openStockParts(genesis, config, context) : openParts(genesis, config, context);
  const { chain, executor, pool, simulator } = parts;
  observeChain(metrics, chain);

  const execution = await serveGrpc({
    listen: config.executionGrpcAddr,
    name: 'SVC_EVM_EXECUTION_GRPC_ADDR',
    ...executionServices(new ExecutionHost(executor, { log: log.child({ component: 'execution' }) })),
    log,
    maxMessageBytes: MAX_EXECUTION_MESSAGE,
  });
  context.defer(() => execution.close());

  const bounds = { maxLogs: config.maxLogs, maxBlockRange: config.maxBlockRange };
  const deps = { chain, pool, simulator, log, clock: systemClock, bounds, metrics, clientVersion: clientVersion() };
  const health = {
    ready: () => {
      const reason = parts.trouble() ?? pool.trouble;
      return reason === undefined ? { ok: true } : { ok: false, reason };
    },
    status: () => nodeStatus(genesis, chain, pool),
    metrics,
  };
  const rpc = await serveRpc({
    methods: embeddedMethods(deps),
    http: { listen: config.httpAddr, name: 'SVC_EVM_HTTP_ADDR' },
    ws: { listen: config.wsAddr, name: 'SVC_EVM_WS_ADDR' },
    origin: config.corsOrigin,
    routes: (app) => void app.route('/', healthRoutes(health)),
    log: log.child({ component: 'rpc' }),
    clock: systemClock,
    bounds,
    metrics,
  });
  context.defer(() => rpc.close());

  const wsUrl = (rpc.ws ?? rpc.http).url.replace(/^http/, 'ws');
  const running = { httpUrl: rpc.http.url, wsUrl, executionUrl: execution.url };
  log.info(
    { ...running, rollup: genesis.rollupName, chainId: genesis.chainId, soft: chain.heads.latest },
    'node answers',
  );
  context.background(pool.work(signal));
  return running;
}

/** What the node is made of, without listeners. */
function openParts(genesis: EvmGenesis, config: EvmConfig, context: NodeContext) {
  const { log, metrics } = context;
  const { chainId, gasLimit, sequencer } = genesis;
  const database = openDatabase(config.dbFilepath);
  context.defer(() => database.close());
  const state = new StateStore(database);
  const chain = new ChainStore(database, state, { chainId, safe: config.safe, indexers: [] });
  applyGenesis(genesis, { database, state, chain });
  const count = Math.min(MOST_THREADS, Math.max(1, availableParallelism() - 1));
  const threads = openRecoveryThreads(count, new URL('./senders/worker.js', import.meta.url));
  context.defer(() => threads.close());
  const senders = new Senders(threads.recover);
  const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders });
  const pool: RunningPool = createPool({
    chain: embeddedPoolChain(chain, sequencer.startHeight),
    check: transactionCheck({ chainId, gasLimit }, (tx) => senders.of(tx)),
    hashOf: keccakHex,
    collector: collectorOf(genesis, config, context),
    store: openPoolStore(database),
    log: log.child({ component: 'pool' }),
    metrics,
  });
  const rules = cancunRules(chainId);
  const simulator = new EvmSimulator(
    { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs, ...CALLS },
    { chain, rules: () => rules },
  );
  return { chain, executor, pool, simulator };
}

function collectorOf({ rollup }: EvmGenesis, { composerAddr }: EvmConfig, { defer }: NodeContext): Collector {
  const client = collectorClient({ url: composerAddr });
  defer(() => client.close());
  return {
    submitBatch: (data, signal) => client.submitBatch(rollup, data, { skipKnown: true, signal }),
    submission: (hash, signal) => client.submission(rollup, hash, signal),
    pending: (signal) => client.pending(rollup, signal),
  };
}

function clientVersion(): string {
  return `switchyard/${productVersion()}/${process.platform}-${process.arch}/node${process.versions.node}`;
}
