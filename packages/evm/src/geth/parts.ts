import { toRetention } from '@switchyard/service';
import { EVM_LEAST_BLOCKS, type EvmConfig } from '../config.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { explorerMethods } from '../explorer/methods.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import * as node from '../node/parts.ts';
import { Senders } from '../senders/senders.ts';
import { HERE_MS, longInThreads } from '../threads/in-threads.ts';
import { hasOwnThreads, openThreads } from '../threads/open.ts';
import { openLinks } from './config.ts';
import { explorerOfGeth } from './explorer-methods.ts';
import { openGeth } from './open.ts';
import { gethRpc } from './rpc.ts';
import { gethSimulator } from './simulator.ts';

/** With a stock execution client behind; the node answers before that is connected. */
export async function openParts(
  genesis: EvmGenesis,
  config: EvmConfig,
  context: node.NodeContext,
): Promise<node.Parts> {
  const { log, signal, metrics } = context;
  const links = await openLinks(config);
  context.defer(() => links.close());
  const database = node.openNodeDatabase(config, context, 'stock');
  const senders = new Senders(node.openRecovery(context));
  const child = log.child({ component: 'stock' });
  const index = new AddressIndex(database);
  const retention = toRetention(config, EVM_LEAST_BLOCKS);
  const stock = openGeth(genesis, {
    ...links,
    ...{ database, senders, safe: config.safe, log: child, signal, metrics, indexers: [index], retention },
  });
  const { chain, executor, queries, poolChain } = stock;
  const pool = node.openPool(genesis, config, context, { chain, poolChain, database, senders });
  const queryTimeoutMs = config.callTimeoutMs;
  const simulator = gethSimulator({ queries, chain, timeoutMs: queryTimeoutMs });
  const { chainId, forks } = genesis;
  const { safe } = config;
  const calls = { gasCap: 0n, timeoutMs: queryTimeoutMs };
  const threads = hasOwnThreads(config) ? openThreads({ chainId, forks, safe }, config, context, calls) : undefined;
  const methods = (deps: node.CommonDeps) => {
    const here = gethRpc({
      ...{ ...deps, pool, simulator, queries, queryTimeoutMs, hereMs: threads && HERE_MS },
      more: (stateless, wanted) => ({
        ...explorerMethods({ simulator: stateless, index, hasInternalCalls: false }),
        ...explorerOfGeth({ ...wanted, index }),
      }),
    });
    return threads === undefined ? here : longInThreads(here, threads);
  };
  return { chain, executor, pool, simulator, methods, trouble: () => stock.trouble, work: () => stock.work() };
}
