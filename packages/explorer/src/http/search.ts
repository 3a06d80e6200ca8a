import { rollupIdFromName } from '@switchyard/protocol';
import type { Hono } from 'hono';
import type { Row } from '../store/store.ts';
import { accountParameter } from './accounts.ts';
import { type ApiContext, rollupName } from './context.ts';
import { json, malformed } from './page.ts';

/** Something that a search found. `path` is below `/v1` and, without that, of the page. */
export interface Found {
  readonly kind: 'block' | 'transaction' | 'account' | 'rollup' | 'rollup-block' | 'rollup-transaction';
  readonly label: string;
  readonly path: string;
}

const MAX_QUERY = 200;
const MAX_FOUND = 20;

/** Heights, hashes, addresses and names. */
export function searchRoute(app: Hono, context: ApiContext): void {
  app.get('/v1/search', async (c) => {
    const text = (c.req.query('q') ?? '').trim();
    if (text === '' || text.length > MAX_QUERY) throw malformed('q', `1 to ${MAX_QUERY} characters`, text);
    return json({ items: (await search(context, text)).slice(0, MAX_FOUND) });
  });
}

async function search(context: ApiContext, text: string): Promise<Found[]> {
  if (/^\d{1,15}$/.test(text)) return [...(await byHeight(context, Number(text))), ...(await byName(context, text))];
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) return byHash(context, text.toLowerCase().replace(/^0x/, ''));
  const account = accountOf(text);
  if (account === undefined) return byName(context, text);
  const address = context.address(account) ?? account;
  return [{ kind: 'account', label: address, path: `/accounts/${address}` }];
}

function accountOf(text: string): string | undefined {
  try {
    return accountParameter(text);
  } catch {
    return undefined;
  }
}

async function byHeight({ store, rollups }: ApiContext, height: number): Promise<Found[]> {
  const blocks = await store.read('SELECT height FROM blocks WHERE height = ?', [height]);
  const heads = rollups.flatMap((each) => each.state().head ?? []);
  const there = heads.filter(({ soft, lowest }) => height <= soft && height >= lowest);
  return [
    ...blocks.map((): Found => ({ kind: 'block', label: `block ${height}`, path: `/blocks/${height}` })),
    ...there.map(
      ({ id, name }): Found => ({
        kind: 'rollup-block',
        label: `block ${height} of ${name}`,
        path: `/rollups/${id}/blocks/${height}`,
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
    store.read('SELECT DISTINCT rollup, hash FROM submissions WHERE hash = ? LIMIT 10', [hash]),
    store.read('SELECT rollup, number FROM rollup_blocks WHERE hash = ? LIMIT 10', [hash]),
  ]);
  return [
    ...blocks.map(({ height }): Found => ({ kind: 'block', label: `block ${height}`, path: `/blocks/${height}` })),
    ...transactions.map(
      (): Found => ({ kind: 'transaction', label: `transaction ${hash}`, path: `/transactions/${hash}` }),
    ),
    ...submissions.map(
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
        path: `/rollups/${row.rollup}/blocks/${row.number}`,
      }),
    ),
    ...rollups.map((row): Found => ({ kind: 'rollup', label: `rollup ${nameOf(row)}`, path: `/rollups/${hash}` })),
  ];
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
