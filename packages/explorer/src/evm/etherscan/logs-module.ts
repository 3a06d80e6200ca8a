import { number, text } from '../../http/cells.ts';
import type { Value } from '../../store/store.ts';
import type { EvmContext } from '../http/context.ts';
import type { EtherscanModule } from './dispatch.ts';
import { NotOk } from './not-ok.ts';
import type { Parameters } from './parameters.ts';
import { getSome, rangeIn, readPage } from './ranges.ts';

const MAX_LOGS = 1_000;
/** Logs that one request goes through, and blocks if it names no address. */
const MAX_LOOKED_AT = 100_000;
const MAX_BLOCKS = 5_000;

/** Logs by address and topics. */
export function logsModule({ store }: EvmContext): EtherscanModule {
  return {
    async getlogs({ rollup, parameters }) {
      const range = rangeIn(parameters, { names: ['fromblock', 'toblock'], limit: MAX_LOGS });
      const [first, last] = [number(range.params[0]), Math.min(number(range.params[1]), rollup.indexed)];
      const address = parameters.optional('address') === undefined ? undefined : parameters.address();
      if (address === undefined && last - first > MAX_BLOCKS)
        throw new NotOk(`Error! fromBlock to toBlock: expected at most ${MAX_BLOCKS} blocks without an address`, []);
      const [where, params] =
        address === undefined
          ? ['rollup = ? AND number BETWEEN ? AND ?', [rollup.key, first, last]]
          : ['rollup = ? AND address = ? AND number BETWEEN ? AND ?', [rollup.key, address, first, last]];
      const [beyond] = await store.read(
        `SELECT number FROM evm_logs WHERE ${where} LIMIT 1 OFFSET ${MAX_LOOKED_AT}`,
        params,
      );
      if (beyond !== undefined)
        throw new NotOk(`Error! more than ${MAX_LOOKED_AT} logs to look at; ask for fewer blocks`, []);
      const topics = topicsIn(parameters);
      const rows = await readPage(
        store,
        range,
        (limit) => `SELECT l.*, t.hash, t.gas_price, t.gas_used, e.time, e.hash AS block_hash
         FROM (SELECT * FROM evm_logs WHERE ${where} AND ${topics.sql} ${range.order('number', 'log')} ${limit}) l
         JOIN evm_transactions t ON t.rollup = l.rollup AND t.number = l.number AND t.position = l.position
         JOIN evm_blocks e ON e.rollup = l.rollup AND e.number = l.number ${range.order('l.number', 'l.log')}`,
        [...params, ...topics.params],
      );
      return getSome(
        'records',
        rows.map((row) => ({
          address: `0x${text(row.address)}`,
          topics: [row.topic0, row.topic1, row.topic2, row.topic3].flatMap((each) =>
            typeof each === 'string' ? [`0x${each}`] : [],
          ),
          data: `0x${text(row.data)}`,
          blockNumber: quantity(row.number),
          blockHash: `0x${text(row.block_hash)}`,
          timeStamp: quantity(Math.floor(number(row.time) / 1_000)),
          gasPrice: quantity(row.gas_price),
          gasUsed: quantity(row.gas_used),
          logIndex: quantity(row.log),
          transactionHash: `0x${text(row.hash)}`,
          transactionIndex: quantity(row.position),
        })),
      );
    },
  };
}

const quantity = (value: Value | undefined): string => `0x${BigInt(value ?? 0).toString(16)}`;

/** Conditions for topics, all of them or, if an operator asks for that, any of them. */
function topicsIn(parameters: Parameters): { readonly sql: string; readonly params: readonly Value[] } {
  const given = [0, 1, 2, 3].filter((at) => parameters.optional(`topic${at}`) !== undefined);
  if (given.length === 0) return { sql: '1 = 1', params: [] };
  const pairs = given.flatMap((first) =>
    given.filter((second) => second > first).map((second) => `topic${first}_${second}_opr`),
  );
  const isAny = pairs.some((name) => parameters.optional(name)?.toLowerCase() === 'or');
  return {
    sql: `(${given.map((at) => `topic${at} = ?`).join(isAny ? ' OR ' : ' AND ')})`,
    params: given.map((at) => parameters.hash(`topic${at}`)),
  };
}
