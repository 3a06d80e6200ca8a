import { toRetention, wallClock } from '@switchyard/service';
import { applyGenesis, hasCode } from '../chain/origin.ts';
import { ChainStore } from '../chain/store.ts';
import { EVM_LEAST_BLOCKS, type EvmConfig } from '../config.ts';
import type { ImpersonatedSenders } from '../development/senders.ts';
import type { Execution } from '../execution/execution.ts';
import { executionInThread, type InThreadOptions } from '../execution/in-thread.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import {
  type CommonDeps,
  type NodeContext,
  openNodeDatabase,
  openPool,
  openRecovery,
  type Parts,
} from '../node/parts.ts';
import { embeddedPoolChain } from '../pool/embedded-chain.ts';
import { embeddedMethods } from '../rpc/embedded-methods.ts';
import { Senders } from '../senders/senders.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { PROVABLE_BLOCKS, StateStore } from '../state/store.ts';
import { estimatorIn, HERE_MS, longInThreads } from '../threads/in-threads.ts';
import { hasOwnThreads, openThreads } from '../threads/open.ts';
import { type EmbeddedDeps, EmbeddedExecutor } from './executor.ts';

/** The node on our own interpreter. @param impersonated Senders of a chain for tests, on which contracts may send too. */
export function openParts(
  genesis: EvmGenesis,
  config: EvmConfig,
  context: NodeContext,
  impersonated?: ImpersonatedSenders,
): Parts {
  const { chainId, sequencer, forks } = genesis;
  const { safe, dbFilepath: directory } = config;
  const database = openNodeDatabase(config, context, 'embedded');
  const index = new AddressIndex(database);
  const indexers = [index];
  const retention = toRetention(config, EVM_LEAST_BLOCKS);
  const recover = openRecovery(context);
  const isThreaded = impersonated === undefined && hasOwnThreads(config);
  let execution: Execution;
  if (isThreaded) {
    const inThread = executionInThread({
      ...{ genesis, database, indexers, directory, safe, retention, recover },
      onFailure: context.fail,
    });
    context.defer(() => inThread.close());
    execution = inThread;
  } else {
    const senders = impersonated ?? new Senders(recover);
    const codeMaySend = impersonated !== undefined;
    execution = executionHere(genesis, { database, indexers, safe, retention, senders, codeMaySend });
  }
  const { chain, executor, senders, stateRoot, slotsEver } = execution;
  const poolChain = embeddedPoolChain(chain, sequencer.startHeight, impersonated !== undefined);
  const pool = openPool(genesis, config, context, { chain, poolChain, database, senders });
  const bounds = { gasCap: BigInt(config.rpcGasCap), timeoutMs: config.callTimeoutMs };
  const threads = hasOwnThreads(config) ? openThreads({ chainId, forks, safe }, config, context, bounds) : undefined;
  const hereMs = threads && HERE_MS;
  const now = () => BigInt(Math.floor(wallClock.unixMs() / 1_000));
  const deps = { chain, rules: rulesAt(chainId, forks), stateRoot, slotsEver, now };
  const simulator = new EvmSimulator({ ...bounds, hereMs }, deps);
  const estimator = threads === undefined ? simulator : estimatorIn(threads, simulator);
  const oldestProof = () => (chain.heads.latest > PROVABLE_BLOCKS ? chain.heads.latest - PROVABLE_BLOCKS : 0n);
  const methods = (common: CommonDeps) => {
    const all = { ...common, pool, simulator, estimator, oldestProof, hereMs };
    const here = embeddedMethods(all, explorerMethods({ simulator, index }));
    return threads === undefined ? here : longInThreads(here, threads);
  };
  return { chain, executor, pool, simulator: estimator, methods, trouble: () => undefined, work: async () => {} };
}

type HereOptions = Pick<InThreadOptions, 'database' | 'indexers' | 'safe' | 'retention'> &
  Pick<EmbeddedDeps, 'senders' | 'codeMaySend'>;

/** Blocks are executed by the thread that answers everything else, which waits for each. */
function executionHere(genesis: EvmGenesis, options: HereOptions): Execution {
  const { database, indexers, safe, retention, senders, codeMaySend = false } = options;
  const state = new StateStore(database);
  const chain = new ChainStore(database, state, { chainId: genesis.chainId, safe, indexers, retention });
  applyGenesis(genesis, { database, state, chain, hasCode: (address) => hasCode(chain, address) });
  const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders, codeMaySend });
  return {
    ...{ chain, executor, senders },
    stateRoot: (block, changes) => state.rootWith(block, changes),
    slotsEver: (address) => state.slotsEver(address),
  };
}
