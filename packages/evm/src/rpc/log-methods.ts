import { bool } from '@switchyard/service/input';
import { invalidParams } from '../json/errors.ts';
import { logJson } from '../json/format.ts';
import { readParams, text } from '../json/params.ts';
import { TakesLong } from '../simulate/time-budget.ts';
import type { RpcBounds, RpcDeps, RpcMethods } from './deps.ts';
import { Filters, randomId } from './filters.ts';
import { findLogs, type LogBounds, type LogFilter, logFilter, logFilterJson } from './log-query.ts';
import { MOVABLE_AND_LARGE, marked } from './marks.ts';

/** Unknown names are distinguished from known ones, not refused. */
const filterId = text(100);

/** The query for logs, which needs nothing but the chain. */
export function logQueries({
  chain,
  clock,
  bounds,
  hereMs,
}: Pick<RpcDeps, 'chain' | 'clock' | 'hereMs'> & { readonly bounds: LogBounds }): RpcMethods {
  const now = (): number => clock.now();
  return marked(MOVABLE_AND_LARGE, {
    eth_getLogs: (params) => findLogs(chain, readParams(params, [logFilter])[0], bounds, { now, hereMs }).map(logJson),
  });
}

/** Logs, and filters that are polled. */
export function logMethods({
  chain,
  pool,
  clock,
  bounds,
  hereMs,
  newId = randomId,
}: Pick<RpcDeps, 'chain' | 'pool' | 'clock' | 'newId' | 'hereMs'> & {
  readonly bounds: RpcBounds;
}): RpcMethods {
  const now = (): number => clock.now();
  const filters = new Filters({ chain, pool, now, newId, bounds });
  const logs = (filter: LogFilter): unknown => findLogs(chain, filter, bounds, { now, hereMs }).map(logJson);

  const filterLogs = marked(MOVABLE_AND_LARGE, {
    // The filter is here, and a thread does not have it.
    eth_getFilterLogs(params) {
      const filter = filters.logFilter(readParams(params, [filterId])[0]);
      try {
        return logs(filter);
      } catch (error) {
        throw error instanceof TakesLong
          ? new TakesLong({ method: 'eth_getLogs', params: [logFilterJson(filter)] })
          : error;
      }
    },
  });
  return {
    ...logQueries({ chain, clock, bounds, hereMs }),

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
    ...filterLogs,
    eth_uninstallFilter: (params) => filters.remove(readParams(params, [filterId])[0]),
  };
}
