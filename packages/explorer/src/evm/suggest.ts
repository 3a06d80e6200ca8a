import { checksummed } from '@switchyard/protocol/ethereum';
import type { Found } from '../contract/explorer.ts';
import { text } from '../http/cells.ts';
import { beginning, beginsWith } from '../store/statements.ts';
import { type EvmRollup, evmRollups } from './http/context.ts';
import { byHash, getToken, type SearchContext, toAddress } from './search.ts';

const MAX_ROLLUPS = 4;
const MAX_OF_A_KIND = 3;
/** Names are compared with those of the most used tokens: no index has the beginnings of all. */
const MAX_NAMES = 500;
const MIN_LETTERS = 2;

/** Addresses, transactions and tokens of EVM rollups that begin so. @param digits The query, if it is hex. */
export async function suggestEvm(context: SearchContext, query: string, digits: string | undefined): Promise<Found[]> {
  const rollups = evmRollups(context).slice(0, MAX_ROLLUPS);
  if (rollups.length === 0) return [];
  const name = query.toLowerCase();
  const found = await Promise.all([
    ...(digits === undefined ? [] : [byHash(context, rollups, digits, MAX_OF_A_KIND)]),
    ...rollups.flatMap((rollup) => [
      ...(digits === undefined || digits.length > 40 ? [] : [byAddress(context, rollup, digits)]),
      ...(name.length < MIN_LETTERS || name.startsWith('0x') ? [] : [byTokenName(context, rollup, name)]),
    ]),
  ]);
  return found.flat();
}

async function byAddress({ store }: SearchContext, rollup: EvmRollup, digits: string): Promise<Found[]> {
  const sql = `SELECT address FROM evm_addresses WHERE rollup = ? AND ${beginsWith('address')} LIMIT ?`;
  const rows = await store.read(sql, [rollup.key, ...beginning(digits), MAX_OF_A_KIND]);
  return rows.map((row) => toAddress(rollup, checksummed(text(row.address))));
}

async function byTokenName({ store }: SearchContext, rollup: EvmRollup, name: string): Promise<Found[]> {
  const rows = await store.read(
    `SELECT address, symbol, name FROM evm_tokens WHERE rollup = ? ORDER BY transfers DESC, address DESC LIMIT ?`,
    [rollup.key, MAX_NAMES],
  );
  return rows
    .filter((row) => [row.symbol, row.name].some((each) => text(each).toLowerCase().startsWith(name)))
    .slice(0, MAX_OF_A_KIND)
    .flatMap((row) => getToken(rollup, checksummed(text(row.address)), row.symbol ?? row.name));
}
