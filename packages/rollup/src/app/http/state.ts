import { getState, listState } from '@switchyard/client/rollup-contract';
import { MAX_KEY_LENGTH } from '@switchyard/machine';
import { Rejected, toHex } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import { type AnyRoute, serve } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { proveState } from '../prove-state.ts';
import type { StateTable } from '../state-tables.ts';

/** Any value of the state, and the values of a table. */
export function stateRoutes(node: RollupNode, tables: readonly StateTable[]): readonly AnyRoute[] {
  const list = serve(listState, ({ path: { table: given }, query: { after, limit: most } }) => {
    const table = getTable(tables, given);
    const limit = Math.min(most, table.maxPageRows);
    if (after !== undefined) getStoreKey(table, after);
    const { snapshot, soft } = node.view;
    const rows = [...table.rows(snapshot, limit, after)];
    const next = rows.length < limit ? null : (rows.at(-1)?.key ?? null);
    return { status: 200, body: { block: soft, rows, next } };
  });
  const one = serve(getState, ({ path: { table, key }, query: { proof } }) => ({
    status: 200,
    body: stateValue(node, getTable(tables, table), key, proof !== undefined),
  }));
  return [list, one];
}

/** A value of the state as HTTP shows it. */
function stateValue(node: RollupNode, table: StateTable, key: string, isProven: boolean) {
  const { snapshot, soft } = node.view;
  const storeKey = getStoreKey(table, key);
  const value = snapshot.get(storeKey);
  return {
    table: table.name,
    key,
    value: value === undefined ? null : toHex(value),
    decoded: table.decoded(snapshot, key),
    block: soft,
    ...(isProven && { proof: proveState(node, [storeKey]) }),
  };
}

function getTable(tables: readonly StateTable[], given: string): StateTable {
  const table = tables.find(({ name, prefix }) => given === name || given === prefix || `${given}/` === prefix);
  if (table !== undefined) return table;
  const known = tables.map(({ name, prefix }) => `${name} (${prefix})`).join(', ');
  throw new HttpError(404, 'not-found', `no table ${JSON.stringify(given.slice(0, 100))}; the state has ${known}`);
}

function getStoreKey({ name, keyForm, storeKey }: StateTable, key: string): string {
  try {
    const stored = storeKey(key);
    if (stored.length <= MAX_KEY_LENGTH) return stored;
    throw new Rejected('too-large', { field: 'key', limit: `${MAX_KEY_LENGTH} bytes in the state` });
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    const got = JSON.stringify(key.slice(0, 100));
    const field = { field: 'key' };
    throw new HttpError(400, 'malformed', `key of ${name}: expected ${keyForm}, got ${got}: ${error.message}`, field);
  }
}
