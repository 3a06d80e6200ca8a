import type { IndexStore, Row, Value } from './store.ts';

/** Values of one statement: few different numbers, so that few statements are prepared. */
const SIZES = [256, 32, 8, 1];

/** Rows of a query whose last condition takes one of several values. */
export async function readIn(
  store: Pick<IndexStore, 'read'>,
  sql: string,
  params: readonly Value[],
  values: Iterable<string>,
): Promise<Row[]> {
  const all = [...values];
  const rows: Row[] = [];
  for (let at = 0; at < all.length; ) {
    const size = SIZES.find((each) => each <= all.length - at) ?? 1;
    const places = Array.from({ length: size }, () => '?').join(', ');
    const found = await store.read(`${sql} IN (${places})`, [...params, ...all.slice(at, at + size)]);
    for (const row of found) rows.push(row);
    at += size;
  }
  return rows;
}
