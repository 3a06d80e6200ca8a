import { type ReplayReport, replayReport } from '@switchyard/client';
import { parseInput } from '@switchyard/service/input';
import { startChild } from '../rebuild/child.ts';

export interface ReplayPlan {
  /** Name of the rollup. */
  readonly name: string;
  /** Program of the replay. */
  readonly entry: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Whether Node waits for a debugger before the first line. */
  readonly inspects: boolean;
}

export interface ReplayDeps {
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  /** Takes what Node prints for a debugger. */
  note(line: string): void;
}

/** Runs the program of a replay. @returns the reports, one for each block, as they come. @throws {Failure} with its line where it fails. */
export async function* reportsOf(
  { name, entry, settings, inspects }: ReplayPlan,
  { env, signal, note }: ReplayDeps,
): AsyncGenerator<ReplayReport> {
  const lines: string[] = [];
  let arrived = (): void => undefined;
  let isOver = false;
  const child = startChild(name, entry, { ...settings, REPLAY_NO_METRICS: 'true' }, env, {
    node: inspects ? ['--inspect-brk'] : [],
    onLine(line, fields) {
      if (typeof fields.report === 'string') lines.push(fields.report);
      if (inspects && /debugger/i.test(line)) note(line);
      isOver ||= fields.done === 'done';
      arrived();
    },
  });
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => undefined);
  try {
    for (;;) {
      const next = lines.shift();
      if (next !== undefined) yield replayReport.read(parseInput(next, 'the report of a block'));
      else if (isOver) return;
      else {
        const more = new Promise<void>((resolve) => {
          arrived = resolve;
        });
        if (lines.length === 0 && !isOver) await Promise.race([more, child.ended, stopped]);
      }
    }
  } finally {
    await child.stop();
  }
}
