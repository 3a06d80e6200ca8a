import type { Statement } from './store.ts';
import { indexNames, type Schema } from './table.ts';

/** Rows of a long table. */
const ROWS = 1_000_000;
/** A value of any column but `rollup` is in this many times fewer rows. */
const DIVIDES_BY = 1_000;

/**
 * Statistics of the tables for SQLite. Without them it takes each column of an index for a column that divides the rows;
 * `rollup` does not, if there is one, and pages would read whole tables by keys that begin with it. Measuring them instead
 * would make plans depend on how long the index was when that was done.
 *
 * @see https://www.sqlite.org/fileformat2.html, section 2.6.3
 */
export function statistics({ tables }: Schema): Statement[] {
  const rows = tables.flatMap((table) => [
    // A table without row ids is an index by its key, which has its name.
    [table.name, table.name, estimates(table.key)],
    ...indexNames(table).map((index, at) => [table.name, index, estimates(table.indexes?.[at] ?? '')]),
  ]);
  return [
    { sql: 'DELETE FROM sqlite_stat1', params: [] },
    ...rows.map((params) => ({ sql: 'INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)', params })),
  ];
}

/** Rows of the table, and those with the same values in the first, the first two, and so on, of these columns. */
function estimates(columns: string): string {
  let rows = ROWS;
  // Not within the parentheses of an expression.
  const each = columns.split(/, (?![^(]*\))/).map((column) => {
    rows = column === 'rollup' ? rows : Math.max(1, rows / DIVIDES_BY);
    return rows;
  });
  return [ROWS, ...each].join(' ');
}
