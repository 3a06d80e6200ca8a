import type { Verdict } from './verdict.ts';

/** Lines of a failing test are bounded: most failures have one cause. */
const MAX_LISTED = 200;

interface Counts {
  passed: number;
  failed: number;
  leftOut: number;
}

/** Counts of the cases by fork and folder, and the failures. */
export class Summary {
  readonly #counts = new Map<string, Counts>();
  readonly #failures: string[] = [];
  readonly #reasons = new Map<string, number>();
  readonly total: Counts = { passed: 0, failed: 0, leftOut: 0 };

  /** @param folder That of its file. */
  add(folder: string, { name, fork, result, detail = '' }: Verdict): void {
    const key = `${fork}\t${folder}`;
    const counts = this.#counts.get(key) ?? { passed: 0, failed: 0, leftOut: 0 };
    this.#counts.set(key, counts);
    for (const each of [counts, this.total]) each[result === 'left out' ? 'leftOut' : result] += 1;
    if (result === 'failed') this.#failures.push(`${fork} ${folder}/${name}: ${detail}`);
    if (result === 'left out') this.#reasons.set(detail, (this.#reasons.get(detail) ?? 0) + 1);
  }

  lines(): string[] {
    const rows = [...this.#counts].sort(([left], [right]) => (left < right ? -1 : 1));
    const width = Math.max(...rows.map(([key]) => key.length), 10);
    const row = (name: string, { passed, failed, leftOut }: Counts) =>
      `${name.padEnd(width + 2)}${String(passed).padStart(8)}${String(failed).padStart(8)}${String(leftOut).padStart(9)}`;
    return [
      `${'fork and folder'.padEnd(width + 2)}  passed  failed left out`,
      ...rows.map(([key, counts]) => row(key.replace('\t', ' '), counts)),
      row('all', this.total),
      ...[...this.#reasons].map(([reason, count]) => `left out: ${count} (${reason})`),
      ...this.#failures.slice(0, MAX_LISTED).map((line) => `failed: ${line}`),
      ...(this.#failures.length > MAX_LISTED ? [`and ${this.#failures.length - MAX_LISTED} more failures`] : []),
    ];
  }
}
