import { readIn } from '../../store/read-in.ts';
import { insert, insertRecords } from '../../store/statements.ts';
import type { IndexStore, Statement, Value } from '../../store/store.ts';
import type { EvmBlock, TokenKind } from '../evm-block.ts';
import { fromSortable, gained, sortable, type TokenChanges, tokenChanges } from './holdings.ts';

type Reader = Pick<IndexStore, 'read'>;

/** Rows that transfers change: tokens, balances of holders, and owners of items. Reads them from the index. */
export async function holdingRows(key: string, blocks: readonly EvmBlock[], store: Reader): Promise<Statement[]> {
  const addresses = new Set(
    blocks.flatMap(({ transactions }) => transactions.flatMap(({ transfers }) => transfers.map(({ token }) => token))),
  );
  if (addresses.size === 0) return [];
  const known = await readIn(
    store,
    'SELECT address, kind FROM evm_tokens WHERE rollup = ? AND address',
    [key],
    addresses,
  );
  const kinds = new Map(known.map(({ address, kind }) => [String(address), String(kind) as TokenKind]));
  const rows: Rows = { tokens: [], holders: [], noHolders: [], items: [], noItems: [], freed: [] };
  for (const [token, changes] of tokenChanges(blocks, kinds)) {
    const exact = await holderRows(key, token, changes, store, rows);
    const exactItems = await itemRows(key, token, changes, store, rows);
    const isExact = exact.isExact && exactItems && changes.isComplete;
    rows.tokens.push({
      ...{ rollup: key, address: token, kind: changes.kind, number: changes.first, transfers: changes.transfers },
      ...{ holders: exact.more, described: 0, exact: isExact ? 1 : 0, due: 1, asked: 0 },
    });
  }
  return statements(rows);
}

interface Rows {
  readonly tokens: Record<string, Value>[];
  readonly holders: Value[][];
  readonly noHolders: Value[][];
  readonly items: Value[][];
  readonly noItems: Value[][];
  /** Items whose owner is set again. */
  readonly freed: Value[][];
}

async function holderRows(key: string, token: string, { holders }: TokenChanges, store: Reader, rows: Rows) {
  const sql = 'SELECT holder, balance FROM evm_holders WHERE rollup = ? AND token = ? AND holder';
  const found = await readIn(store, sql, [key, token], holders.keys());
  const before = new Map(found.map((row) => [String(row.holder), fromSortable(String(row.balance))]));
  let more = 0;
  let isExact = true;
  for (const [holder, { gain, number }] of holders) {
    const old = before.get(holder);
    const after = gained(old ?? 0n, gain);
    isExact &&= after.isExact;
    more += (after.balance > 0n ? 1 : 0) - (old === undefined ? 0 : 1);
    if (after.balance > 0n) rows.holders.push([key, token, holder, sortable(after.balance), number]);
    else if (old !== undefined) rows.noHolders.push([key, token, holder]);
  }
  return { more, isExact };
}

async function itemRows(key: string, token: string, { owners, items }: TokenChanges, store: Reader, rows: Rows) {
  for (const [item, owner] of owners) {
    rows.freed.push([key, token, item]);
    if (owner !== undefined) rows.items.push([key, token, item, owner, sortable(1n)]);
  }
  let isExact = true;
  for (const [item, gains] of items) {
    const sql = 'SELECT holder, amount FROM evm_items WHERE rollup = ? AND token = ? AND token_id = ? AND holder';
    const found = await readIn(store, sql, [key, token, item], gains.keys());
    const before = new Map(found.map((row) => [String(row.holder), fromSortable(String(row.amount))]));
    for (const [holder, gain] of gains) {
      const after = gained(before.get(holder) ?? 0n, gain);
      isExact &&= after.isExact;
      if (after.balance > 0n) rows.items.push([key, token, item, holder, sortable(after.balance)]);
      else if (before.has(holder)) rows.noItems.push([key, token, item, holder]);
    }
  }
  return isExact;
}

function statements({ tokens, holders, noHolders, items, noItems, freed }: Rows): Statement[] {
  const removed = (table: string, columns: readonly string[], list: readonly (readonly Value[])[]) =>
    list.map((params) => ({
      sql: `DELETE FROM ${table} WHERE ${columns.map((name) => `${name} = ?`).join(' AND ')}`,
      params,
    }));
  return [
    ...insertRecords(
      'evm_tokens',
      tokens,
      `ON CONFLICT (rollup, address) DO UPDATE SET transfers = evm_tokens.transfers + excluded.transfers,
       holders = evm_tokens.holders + excluded.holders, exact = evm_tokens.exact * excluded.exact, due = 1`,
    ),
    ...removed('evm_holders', ['rollup', 'token', 'holder'], noHolders),
    ...insert(
      'evm_holders',
      ['rollup', 'token', 'holder', 'balance', 'number'],
      holders,
      'ON CONFLICT (rollup, token, holder) DO UPDATE SET balance = excluded.balance, number = excluded.number',
    ),
    ...removed('evm_items', ['rollup', 'token', 'token_id'], freed),
    ...removed('evm_items', ['rollup', 'token', 'token_id', 'holder'], noItems),
    ...insert(
      'evm_items',
      ['rollup', 'token', 'token_id', 'holder', 'amount'],
      items,
      'ON CONFLICT (rollup, token, token_id, holder) DO UPDATE SET amount = excluded.amount',
    ),
  ];
}
