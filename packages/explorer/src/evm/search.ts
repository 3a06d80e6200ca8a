import { checksummed } from '@switchyard/protocol/ethereum';
import type { Found } from '../contract/explorer.ts';
import { text } from '../http/cells.ts';
import { beginning, beginsWith } from '../store/statements.ts';
import type { Value } from '../store/store.ts';
import { type EvmContext, type EvmRollup, evmRollups } from './http/context.ts';

const MAX_TOKENS = 10;
const MAX_TRANSACTIONS = 10;

export type SearchContext = Pick<EvmContext, 'store' | 'evm'>;

/** Base of the pages of an EVM rollup, and routes of its API below `/v1`. */
export const evmPath = ({ name }: Pick<EvmRollup, 'name'>): string => `/rollups/${encodeURIComponent(name)}/evm`;

/** Finds an address, a hash or the name of a token on EVM rollups. */
export async function searchEvm(context: SearchContext, query: string): Promise<Found[]> {
  const rollups = evmRollups(context);
  if (rollups.length === 0) return [];
  const bare = query.replace(/^0x/i, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(bare)) return byHash(context, rollups, bare, MAX_TRANSACTIONS);
  if (/^[0-9a-f]{40}$/.test(bare)) return byAddress(context, rollups, bare);
  return byTokenName(context, rollups, query.toLowerCase());
}

export const toFound = (kind: Found['kind'], label: string, path: string): Found => ({ kind, label, path });

export const ofKey = (rollups: readonly EvmRollup[], key: Value | undefined) =>
  rollups.find((each) => each.key === key);

/** @param digits The first digits of the hash of a transaction. */
export async function byHash({ store }: SearchContext, rollups: readonly EvmRollup[], digits: string, most: number) {
  const sql = `SELECT rollup, hash FROM evm_transactions WHERE ${beginsWith('hash')} LIMIT ?`;
  const rows = await store.read(sql, [...beginning(digits), most]);
  return rows.flatMap(({ rollup: key, hash }) => {
    const rollup = ofKey(rollups, key);
    if (rollup === undefined) return [];
    const path = `${evmPath(rollup)}/transactions/0x${hash}`;
    return toFound('evm-transaction', `transaction 0x${hash} of ${rollup.name}`, path);
  });
}

export const toAddress = (rollup: EvmRollup, shown: string): Found =>
  toFound('evm-address', `address ${shown} of ${rollup.name}`, `${evmPath(rollup)}/addresses/${shown}`);

/** Any address is one of each rollup; the indexed ones are first. */
async function byAddress({ store }: SearchContext, rollups: readonly EvmRollup[], account: string): Promise<Found[]> {
  const [seen, tokens] = await Promise.all([
    store.read('SELECT rollup FROM evm_addresses WHERE address = ?', [account]),
    store.read('SELECT rollup, symbol, name FROM evm_tokens WHERE address = ?', [account]),
  ]);
  const isSeen = ({ key }: EvmRollup) => seen.some((row) => row.rollup === key);
  const shown = checksummed(account);
  return [
    ...tokens.flatMap((row) => getToken(ofKey(rollups, row.rollup), shown, row.symbol ?? row.name)),
    ...[...rollups.filter(isSeen), ...rollups.filter((each) => !isSeen(each))].map((each) => toAddress(each, shown)),
  ];
}

/** Finds tokens by the whole symbol or the beginning of the name; anyone may choose both, so the address is with it. */
async function byTokenName({ store }: SearchContext, rollups: readonly EvmRollup[], query: string): Promise<Found[]> {
  const rows = await store.read(
    `SELECT rollup, address, symbol, name FROM evm_tokens WHERE LOWER(symbol) = ? OR SUBSTR(LOWER(name), 1, ?) = ?
     ORDER BY transfers DESC, address LIMIT ?`,
    [query, query.length, query, MAX_TOKENS],
  );
  return rows.flatMap((row) =>
    getToken(ofKey(rollups, row.rollup), checksummed(text(row.address)), row.symbol ?? row.name),
  );
}

/** Nothing if the rollup is not followed. */
export function getToken(rollup: EvmRollup | undefined, at: string, name: Value | undefined): Found[] {
  if (rollup === undefined) return [];
  const label = `token ${text(name) || 'without a name'} ${at} of ${rollup.name}`;
  return [toFound('token', label, `${evmPath(rollup)}/tokens/${at}`)];
}
