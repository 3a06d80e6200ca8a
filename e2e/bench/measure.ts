import { columns } from '../support/columns.ts';
import { median } from '../support/statistics.ts';

/** Options that are numbers, with their help texts. A bench takes those for which its entry in `main.ts` has a default. */
export const NUMBERS = {
  runs: 'runs of each measure',
  seconds: 'length of one run under load',
  blocks: 'blocks that are stored before a restart; for disk, idle blocks that are measured',
  transactions: 'transactions of one throughput run',
  'long-run': 'transactions while memory is watched; for explorer, transactions in the index',
  calls: 'hostile calls after them',
  messages: 'messages that are stored for the reads',
  gas: 'gas of each attack',
} as const;

export type NumberName = keyof typeof NUMBERS;

export type Options = Readonly<Record<NumberName, number>> & {
  readonly progress: (text: string) => void;
};

/** One line of the table: the value of each run, and the goal it is held against. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly goal: string;
  readonly runs: readonly number[];
}

export type Measure = (options: Options) => Promise<readonly Row[]>;

/** Name, unit and, if there is one, goal of a row. */
export type Figure = readonly [name: string, unit: string, goal?: string];

export const row = ([name, unit, goal = '']: Figure, runs: readonly number[]): Row => ({ name, unit, goal, runs });

/** Measures all figures in every run, and reports each run. */
export async function repeated<K extends string>(
  { runs, progress }: Options,
  what: string,
  figures: Readonly<Record<K, Figure>>,
  once: (run: number) => Promise<Readonly<Record<K, number>>>,
): Promise<Row[]> {
  const found: Readonly<Record<K, number>>[] = [];
  // The keys are those of the figures.
  const all = Object.entries(figures) as [K, Figure][];
  for (let run = 0; run < runs; run += 1) {
    const values = await once(run);
    found.push(values);
    progress(`${what}: ${all.map(([key, [, unit]]) => `${key} ${shown(values[key])} ${unit}`.trim()).join(', ')}`);
  }
  return all.map(([key, figure]) =>
    row(
      figure,
      found.map((values) => values[key]),
    ),
  );
}

export async function seconds(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return (performance.now() - start) / 1_000;
}

export const shown = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));

/** The rows as an aligned table: median, least and greatest of the runs. */
export function table(rows: readonly Row[]): string {
  return columns([
    ['measure', 'unit', 'goal', 'median', 'min', 'max', 'runs'],
    ...rows.map(({ name, unit, goal, runs }) => [
      ...[name, unit, goal],
      ...[median(runs), Math.min(...runs), Math.max(...runs)].map(shown),
      String(runs.length),
    ]),
  ]);
}
