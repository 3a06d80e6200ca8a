import { bool } from '@switchyard/service/input';
import type { RpcContext } from '@switchyard/service/json-rpc';
import type { RpcBounds, RpcDeps, RpcMethods } from './deps.ts';
import { invalidParams } from './errors.ts';
import { Filters, randomId } from './filters.ts';
import { logJson } from './format.ts';
import { findLogs, type LogFilter, logFilter } from './log-query.ts';
import { readParams, text } from './params.ts';

/** Unknown names are distinguished from known ones, not refused. */
const filterId = text(100);

/** Logs, and filters that are polled. */
export function logMethods({
  chain,
  pool,
  clock,
  bounds,
  newId = randomId,
}: Pick<RpcDeps, 'chain' | 'pool' | 'clock' | 'newId'> & { readonly bounds: RpcBounds }): RpcMethods {
  const now = (): number => clock.now();
  const filters = new Filters({ chain, pool, now, newId, bounds });
  const logs = async (filter: LogFilter, { from }: RpcContext): Promise<unknown> =>
    (await findLogs(chain, filter, bounds, now, () => from.turn())).map(logJson);

  return {
    eth_getLogs: (params, context) => logs(readParams(params, [logFilter])[0], context),

    eth_newFilter(params, { from }) {
      const [filter] = readParams(params, [logFilter]);
      const { fromBlock, toBlock } = filter;
      if (fromBlock === 'pending' || toBlock === 'pending') throw invalidParams('pending logs are not supported');
      if (typeof fromBlock === 'bigint' && typeof toBlock === 'bigint' && fromBlock > toBlock)
        throw invalidParams('invalid block range params');
      return filters.newLogs(from.peer, filter);
    },

    eth_newBlockFilter(params, { from }) {
      readParams(params, []);
      return filters.newBlocks(from.peer);
    },

    eth_newPendingTransactionFilter(params, { from }) {
      const [full = false] = readParams(params, [], [bool]);
      return filters.newPending(from.peer, full);
    },

    eth_getFilterChanges: (params) => filters.changes(readParams(params, [filterId])[0]),
    eth_getFilterLogs: (params, context) => logs(filters.logFilter(readParams(params, [filterId])[0]), context),
    eth_uninstallFilter: (params) => filters.remove(readParams(params, [filterId])[0]),
  };
}
