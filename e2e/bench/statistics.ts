import { columns } from '../support/columns.ts';

/** Middle value; of an even number of values the lower of the two. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The smallest value that at least a share `q` of all values does not exceed. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}

/** One line of the table: what was measured in each run, and the goal it is held against. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly goal: string;
  readonly runs: readonly number[];
}

const shown = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));

/** The rows as an aligned table: median, least and greatest of the runs. */
export function table(rows: readonly Row[]): string {
  return columns([
    ['measure', 'unit', 'goal', 'median', 'min', 'max', 'runs'],
    ...rows.map(({ name, unit, goal, runs }) => [
      name,
      unit,
      goal,
      shown(median(runs)),
      shown(Math.min(...runs)),
      shown(Math.max(...runs)),
      String(runs.length),
    ]),
  ]);
}
