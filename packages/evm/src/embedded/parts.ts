import { retentionOf, wallClock } from '@switchyard/service';
import { isInMemory } from '@switchyard/storage';
import { applyGenesis } from '../chain/origin.ts';
import { ChainStore } from '../chain/store.ts';
import { EVM_LEAST_BLOCKS, type EvmConfig } from '../config.ts';
import type { ImpersonatedSenders } from '../development/senders.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import type { EvmGenesis } from '../genesis.ts';
import {
  type CommonDeps,
  type NodeContext,
  openNodeDatabase,
  openPool,
  openSenders,
  type Parts,
} from '../node-parts.ts';
import { embeddedPoolChain } from '../pool/embedded-chain.ts';
import { embeddedMethods } from '../rpc/embedded-methods.ts';
import { rulesAt } from '../simulate/environment.ts';
import { EvmSimulator } from '../simulate/evm-simulator.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import { StateStore } from '../state/store.ts';
import { openCallThreads } from '../threads/call-threads.ts';
import { longInThreads } from '../threads/in-threads.ts';
import type { Address } from '../types.ts';
import { EmbeddedExecutor } from './executor.ts';

/** Calls that run at a time, and that wait for their turn. */
const CALLS = { atATime: 8, maxWaiting: 256 };

/** The node on our own interpreter. @param impersonated Senders of a chain for tests, on which contracts may send too. */
export function openParts(
  genesis: EvmGenesis,
  config: EvmConfig,
  context: NodeContext,
  impersonated?: ImpersonatedSenders,
): Parts {
  const { chainId, sequencer } = genesis;
  const database = openNodeDatabase(config, context, 'embedded');
  const state = new StateStore(database);
  const index = new AddressIndex(database);
  const retention = retentionOf(config, EVM_LEAST_BLOCKS);
  const chain = new ChainStore(database, state, { chainId, safe: config.safe, indexers: [index], retention });
  const hasCode = (address: Address) =>
    (chain.state(chain.heads.latest).account(address)?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH;
  applyGenesis(genesis, { database, state, chain, hasCode });
  const senders = impersonated ?? openSenders(context);
  const codeMaySend = impersonated !== undefined;
  const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders, codeMaySend });
  const poolChain = embeddedPoolChain(chain, sequencer.startHeight, codeMaySend);
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
    program: new URL('../threads/worker.js', import.meta.url),
    data: { directory: config.dbFilepath, chainId, forks: genesis.forks, safe: config.safe, simulator: bounds },
    log: context.log.child({ component: 'calls' }),
  });
  context.defer(() => threads.close());
  const oldestProof = () => state.oldestProof;
  const methods = (deps: CommonDeps) => {
    const here = embeddedMethods({ ...deps, pool, simulator, oldestProof }, explorerMethods({ simulator, index }));
    // Another thread does not find a store that is in memory.
    return isInMemory(config.dbFilepath) ? here : longInThreads(here, threads);
  };
  return { chain, executor, pool, simulator, methods, trouble: () => undefined, work: async () => {} };
}
