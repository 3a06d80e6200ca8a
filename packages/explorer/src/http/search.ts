import { rollupIdFromName } from '@switchyard/protocol';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import { evmRollups } from '../evm/http/context.ts';
import { evmPath, searchEvm } from '../evm/search.ts';
import { findSubmissionPlaces } from '../sequencer/hash-runs.ts';
import type { Row } from '../store/store.ts';
import { type ApiContext, rollupName } from './context.ts';
import { type Found, foundSchema } from './found.ts';
import { parseAccount } from './schemas.ts';

const MAX_QUERY = 200;
const MAX_FOUND = 20;

/** Heights, hashes, addresses and names. */
export function searchRoute(context: ApiContext): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/search',
    id: 'search',
    tag: 'Explorer',
    summary: 'What a height, hash, address or name stands for',
    query: { q: queryParameter },
    answers: { 200: schema.object({ items: schema.list(foundSchema) }, { name: 'SearchResults' }) },
    errors: { 503: 'The index does not answer' },
    async handle({ query: { q } }) {
      const found = await Promise.all([search(context, q), searchEvm(context, q)]);
      return { status: 200, body: { items: found.flat().slice(0, MAX_FOUND) } };
    },
  });
}

/** Postgres takes no text with NUL. */
const queryParameter = schema.parsed(
  { description: 'What to search for', pattern: `^[^\\u0000]{1,${MAX_QUERY}}$`, examples: ['1'] },
  `1 to ${MAX_QUERY} characters`,
  (text) => {
    const query = text.trim();
    if (query === '' || text.length > MAX_QUERY || text.includes('\0')) throw new RangeError('not a query');
    return query;
  },
);

async function search(context: ApiContext, text: string): Promise<Found[]> {
  if (/^\d{1,15}$/.test(text)) return [...(await byHeight(context, Number(text))), ...(await byName(context, text))];
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return byHash(context, text.toLowerCase().replace(/^0x/, ''));
  if (/^0x/i.test(text)) return [];
  const account = accountOf(text);
  if (account === undefined) return byName(context, text);
  const address = context.address(account) ?? account;
  return [
    { kind: 'account', label: address, path: `/accounts/${address}` },
    ...context.rollups.flatMap((each): Found[] => {
      const { head, offers } = each.state();
      if (head === undefined || offers?.accounts !== true) return [];
      const path = `/rollups/${encodeURIComponent(head.name)}/accounts/${address}`;
      return [{ kind: 'rollup-account', label: `account ${address} of ${head.name}`, path }];
    }),
  ];
}

function accountOf(text: string): string | undefined {
  try {
    return parseAccount(text);
  } catch {
    return undefined;
  }
}

async function byHeight(context: ApiContext, height: number): Promise<Found[]> {
  const { store, rollups } = context;
  const blocks = await store.read('SELECT height FROM blocks WHERE height = ?', [height]);
  const heads = rollups.flatMap((each) => each.state().head ?? []);
  const there = heads.filter(({ soft, lowest }) => height <= soft && height >= lowest);
  return [
    ...blocks.map((): Found => ({ kind: 'block', label: `block ${height}`, path: `/blocks/${height}` })),
    ...there.map(
      ({ id, name }): Found => ({
        kind: 'rollup-block',
        label: `block ${height} of ${name}`,
        path: blockPath(context, id, height),
      }),
    ),
  ];
}

async function byHash(context: ApiContext, hash: string): Promise<Found[]> {
  const { store } = context;
  const nameOf = (row: Row) => rollupName(context, String(row.rollup)) ?? String(row.rollup).slice(0, 8);
  const [blocks, transactions, rollups, submissions, rollupBlocks] = await Promise.all([
    store.read('SELECT height FROM blocks WHERE hash = ? LIMIT 2', [hash]),
    store.read('SELECT hash FROM transactions WHERE hash = ? LIMIT 1', [hash]),
    store.read('SELECT rollup FROM rollups WHERE rollup = ?', [hash]),
    findSubmissionPlaces(store, hash, MAX_FOUND),
    store.read('SELECT rollup, number FROM rollup_blocks WHERE hash = ? LIMIT 10', [hash]),
  ]);
  return [
    ...blocks.map(({ height }): Found => ({ kind: 'block', label: `block ${height}`, path: `/blocks/${height}` })),
    ...transactions.map(
      (): Found => ({ kind: 'transaction', label: `transaction ${hash}`, path: `/transactions/${hash}` }),
    ),
    ...oneOfEachRollup(submissions).map(
      (row): Found => ({
        kind: 'rollup-transaction',
        label: `transaction ${hash} of ${nameOf(row)}`,
        path: `/rollups/${row.rollup}/transactions/${hash}`,
      }),
    ),
    ...rollupBlocks.map(
      (row): Found => ({
        kind: 'rollup-block',
        label: `block ${row.number} of ${nameOf(row)}`,
        path: blockPath(context, String(row.rollup), Number(row.number)),
      }),
    ),
    ...rollups.map((row): Found => ({ kind: 'rollup', label: `rollup ${nameOf(row)}`, path: `/rollups/${hash}` })),
  ];
}

const oneOfEachRollup = (rows: readonly Row[]): Row[] => [...new Map(rows.map((row) => [row.rollup, row])).values()];

/** EVM rollups have pages of their own for blocks. */
function blockPath(context: ApiContext, id: string, number: number): string {
  const evm = evmRollups(context).find((each) => each.id === id);
  return `${evm === undefined ? `/rollups/${id}` : evmPath(evm)}/blocks/${number}`;
}

/** Names of rollups that are followed by a part of them, those of others by the whole. */
async function byName({ store, rollups }: ApiContext, text: string): Promise<Found[]> {
  const heads = rollups.flatMap((each) => each.state().head ?? []);
  const known = heads.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const id = rollupIdFromName(text);
  const others = known.some((each) => each.id === id)
    ? []
    : await store.read('SELECT rollup FROM rollups WHERE rollup = ?', [id]);
  return [
    ...known.map((each): Found => ({ kind: 'rollup', label: `rollup ${each.name}`, path: `/rollups/${each.id}` })),
    ...others.map((): Found => ({ kind: 'rollup', label: `rollup ${text}`, path: `/rollups/${id}` })),
  ];
}
