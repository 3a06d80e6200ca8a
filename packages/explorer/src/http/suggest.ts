import type { AnyRoute } from '@switchyard/service/api';
import { explorer, type Found } from '../contract/explorer.ts';
import { toFound } from '../evm/search.ts';
import { suggestEvm } from '../evm/suggest.ts';
import { accountRange } from './account-range.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import type { ApiContext } from './context.ts';
import { byHash, byHeight, byName, MAX_OF_A_KIND, searchAll } from './search.ts';

const MAX_SUGGESTED = 10;
/** Fewer digits begin too many hashes to be of use. */
export const MIN_DIGITS = 4;

/** Things that begin with the text so far: this runs with every letter, so each kind takes one look-up by an index, or none. */
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
    isHex ? byHash(context, digits) : [],
    byAccount(context, query),
    suggestEvm(context, query, isHex ? digits : undefined),
  ];
  return (await Promise.all(all)).flat();
}

/** A whole hash or address, as pasted. */
const isWhole = (query: string): boolean =>
  /^(0x)?([0-9a-f]{64}|[0-9a-f]{40})$/i.test(query) || /^[a-z0-9]+1[02-9ac-hj-np-z]{38}$/.test(query);

async function named(context: ApiContext, query: string): Promise<Found[]> {
  return (await byName(context, query)).slice(0, MAX_OF_A_KIND);
}

async function byAccount({ store, address, addressPrefix }: ApiContext, query: string): Promise<Found[]> {
  const range = accountRange(query, addressPrefix);
  if (range === undefined) return [];
  const sql = 'SELECT account FROM accounts WHERE account >= ? AND account <= ? ORDER BY account LIMIT ?';
  return (await store.read(sql, [...range, MAX_OF_A_KIND])).map(({ account }) => {
    const label = address(account ?? '') ?? text(account);
    return toFound('account', label, `/accounts/${label}`);
  });
}
