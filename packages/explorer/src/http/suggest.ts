import type { AnyRoute } from '@switchyard/service/api';
import { explorer, type Found } from '../contract/explorer.ts';
import { suggestEvm } from '../evm/suggest.ts';
import { beginning, beginsWith, hashPrefix, PREFIX_DIGITS } from '../store/statements.ts';
import { accountRange } from './account-range.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';
import { blockFound, byHeight, byName, searchAll, transactionFound } from './search.ts';

const MAX_SUGGESTED = 10;
const MAX_OF_A_KIND = 3;
/** Fewer digits begin too many hashes to be of use. */
export const MIN_DIGITS = 4;

/** Things that begin with the text so far: this is asked with every letter, so each kind takes one look-up by an index, or none. */
export const suggestRoute = (context: ApiContext): AnyRoute =>
  answer(explorer.suggest, async ({ query: { q } }) => ({
    items: (await suggest(context, q)).slice(0, MAX_SUGGESTED),
  }));

async function suggest(context: ApiContext, query: string): Promise<Found[]> {
  if (isWhole(query)) return searchAll(context, query);
  const digits = query.replace(/^0x/i, '').toLowerCase();
  const isHex = new RegExp(`^[0-9a-f]{${MIN_DIGITS},63}$`).test(digits);
  const all = [
    /^\d{1,15}$/.test(query) ? byHeight(context, Number(query)) : [],
    /^0x/i.test(query) ? [] : named(context, query),
    isHex ? byDigits(context, digits) : [],
    byAccount(context, query),
    suggestEvm(context, query, isHex ? digits : undefined),
  ];
  return (await Promise.all(all)).flat();
}

/** A whole hash or address, as it is pasted. */
const isWhole = (query: string): boolean =>
  /^(0x)?([0-9a-f]{64}|[0-9a-f]{40})$/i.test(query) || /^[a-z0-9]+1[02-9ac-hj-np-z]{38}$/.test(query);

async function named(context: ApiContext, query: string): Promise<Found[]> {
  return (await byName(context, query)).slice(0, MAX_OF_A_KIND);
}

async function byDigits(context: ApiContext, digits: string): Promise<Found[]> {
  const { store } = context;
  const range = beginning(digits);
  const prefix = hashPrefix('hash');
  const blockRange = [...beginning(digits.slice(0, PREFIX_DIGITS)), ...range];
  const [transactions, blocks, rollups] = await Promise.all([
    store.read(`SELECT hash FROM transactions WHERE ${beginsWith('hash')} LIMIT ?`, [...range, MAX_OF_A_KIND]),
    store.read(`SELECT height FROM blocks WHERE ${beginsWith(prefix)} AND ${beginsWith('hash')} LIMIT ?`, [
      ...blockRange,
      MAX_OF_A_KIND,
    ]),
    store.read(`SELECT rollup FROM rollups WHERE ${beginsWith('rollup')} LIMIT ?`, [...range, MAX_OF_A_KIND]),
  ]);
  return [
    ...transactions.map(transactionFound),
    ...blocks.map(blockFound),
    ...rollups.map(({ rollup: id }): Found => {
      const name = rollupName(context, text(id)) ?? text(id);
      return { kind: 'rollup', label: `rollup ${name}`, path: `/rollups/${id}` };
    }),
  ];
}

async function byAccount({ store, address, addressPrefix }: ApiContext, query: string): Promise<Found[]> {
  const range = accountRange(query, addressPrefix);
  if (range === undefined) return [];
  const sql = 'SELECT account FROM accounts WHERE account >= ? AND account <= ? ORDER BY account LIMIT ?';
  return (await store.read(sql, [...range, MAX_OF_A_KIND])).map(({ account }): Found => {
    const label = address(account ?? '') ?? text(account);
    return { kind: 'account', label, path: `/accounts/${label}` };
  });
}
