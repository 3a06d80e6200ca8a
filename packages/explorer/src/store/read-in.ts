import { inParts } from './statements.ts';
import type { IndexStore, Row, Value } from './store.ts';

/** Rows of a query whose last condition takes one of several values. */
export async function readIn(
  store: Pick<IndexStore, 'read'>,
  sql: string,
  params: readonly Value[],
  values: Iterable<string>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const some of inParts([...values])) {
    const found = await store.read(`${sql} IN (${some.map(() => '?').join(', ')})`, [...params, ...some]);
    for (const row of found) rows.push(row);
  }
  return rows;
}
