import { rollupIdFromName } from '@switchyard/protocol';
import type { AnyRoute } from '@switchyard/service/api';
import { explorer, type Found } from '../contract/explorer.ts';
import { evmRollups } from '../evm/http/context.ts';
import { evmPath, searchEvm, toFound } from '../evm/search.ts';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import { beginning, beginsWith, hashPrefix, PREFIX_DIGITS } from '../store/statements.ts';
import type { Row } from '../store/store.ts';
import { parseAccount } from './account-parameter.ts';
import { answer } from './answer.ts';
import { text } from './cells.ts';
import { type ApiContext, rollupName } from './context.ts';

const MAX_FOUND = 20;
export const MAX_OF_A_KIND = 3;

/** Heights, hashes, addresses and names. */
export const searchRoute = (context: ApiContext): AnyRoute =>
  answer(explorer.search, async ({ query: { q } }) => ({ items: await searchAll(context, q) }));

export async function searchAll(context: ApiContext, text: string): Promise<Found[]> {
  const all = await Promise.all([search(context, text), searchEvm(context, text)]);
  return all.flat().slice(0, MAX_FOUND);
}

async function search(context: ApiContext, text: string): Promise<Found[]> {
  if (/^\d{1,15}$/.test(text)) return [...(await byHeight(context, Number(text))), ...(await byName(context, text))];
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return byHash(context, text.toLowerCase().replace(/^0x/, ''));
  if (/^0x/i.test(text)) return [];
  const account = findAccount(text);
  if (account === undefined) return byName(context, text);
  const address = context.address(account) ?? account;
  return [
    toFound('account', address, `/accounts/${address}`),
    ...context.rollups.flatMap((each) => {
      const { head, offers } = each.state();
      if (head === undefined || offers?.paths.includes('/v1/accounts/{address}') !== true) return [];
      const path = `/rollups/${encodeURIComponent(head.name)}/accounts/${address}`;
      return toFound('rollup-account', `account ${address} of ${head.name}`, path);
    }),
  ];
}

function findAccount(text: string): string | undefined {
  try {
    return parseAccount(text);
  } catch {
    return undefined;
  }
}

export async function byHeight(context: ApiContext, height: number): Promise<Found[]> {
  const { store, rollups } = context;
  const blocks = await store.read('SELECT height FROM blocks WHERE height = ?', [height]);
  const heads = rollups.flatMap((each) => each.state().head ?? []);
  const there = heads.filter(({ soft, lowest }) => height <= soft && height >= lowest);
  return [
    ...blocks.map(blockFound),
    ...there.map(({ id, name }) => rollupBlockFound(context, { id, name, number: height })),
  ];
}

/** @param digits The first digits of a hash; data and blocks of rollups are found by all of them alone. */
export async function byHash(context: ApiContext, digits: string): Promise<Found[]> {
  const { store } = context;
  const getName = (row: Row) => rollupName(context, text(row.rollup)) ?? text(row.rollup).slice(0, 8);
  const range = beginning(digits);
  const blockRange = [...beginning(digits.slice(0, PREFIX_DIGITS)), ...range];
  const isBlock = `${beginsWith(hashPrefix('hash'))} AND ${beginsWith('hash')}`;
  const isWhole = digits.length === 64;
  const [blocks, transactions, rollups, submissions, rollupBlocks] = await Promise.all([
    store.read(`SELECT height FROM blocks WHERE ${isBlock} LIMIT ?`, [...blockRange, MAX_OF_A_KIND]),
    store.read(`SELECT hash FROM transactions WHERE ${beginsWith('hash')} LIMIT ?`, [...range, MAX_OF_A_KIND]),
    store.read(`SELECT rollup FROM rollups WHERE ${beginsWith('rollup')} LIMIT ?`, [...range, MAX_OF_A_KIND]),
    isWhole ? findSubmissionPlaces(store, digits, MAX_FOUND) : [],
    isWhole ? store.read(`SELECT rollup, number FROM rollup_blocks WHERE ${isBlock} LIMIT 10`, blockRange) : [],
  ]);
  return [
    ...blocks.map(blockFound),
    ...transactions.map(transactionFound),
    ...oneOfEachRollup(submissions).map((row) => {
      const path = `/rollups/${row.rollup}/transactions/${digits}`;
      return toFound('rollup-transaction', `transaction ${digits} of ${getName(row)}`, path);
    }),
    ...rollupBlocks.map((row) =>
      rollupBlockFound(context, { id: text(row.rollup), name: getName(row), number: Number(row.number) }),
    ),
    ...rollups.map((row) => rollupFound(text(row.rollup), getName(row))),
  ];
}

const oneOfEachRollup = (rows: readonly Row[]): Row[] => [...new Map(rows.map((row) => [row.rollup, row])).values()];

const blockFound = ({ height }: Row) => toFound('block', `block ${height}`, `/blocks/${height}`);
const transactionFound = ({ hash }: Row) => toFound('transaction', `transaction ${hash}`, `/transactions/${hash}`);
const rollupFound = (id: string, name: string) => toFound('rollup', `rollup ${name}`, `/rollups/${id}`);

function rollupBlockFound(
  context: ApiContext,
  { id, name, number }: { readonly id: string; readonly name: string; readonly number: number },
): Found {
  // EVM rollups have pages of their own for blocks.
  const evm = evmRollups(context).find((each) => each.id === id);
  const path = `${evm === undefined ? `/rollups/${id}` : evmPath(evm)}/blocks/${number}`;
  return toFound('rollup-block', `block ${number} of ${name}`, path);
}

/** Names of rollups that are followed by a part of them, those of others by the whole. */
export async function byName({ store, rollups }: ApiContext, text: string): Promise<Found[]> {
  const heads = rollups.flatMap((each) => each.state().head ?? []);
  const known = heads.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const id = rollupIdFromName(text);
  const others = known.some((each) => each.id === id)
    ? []
    : await store.read('SELECT rollup FROM rollups WHERE rollup = ?', [id]);
  return [...known.map((each) => rollupFound(each.id, each.name)), ...others.map(() => rollupFound(id, text))];
}
