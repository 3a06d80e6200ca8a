import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bool as flag, list, object, text } from '@switchyard/service/input';
import { readJsonFile } from '@switchyard/service/lenient';

/** `next` takes the place of `present`. Both are on one file system; `present` may be absent. */
export interface Swap {
  readonly present: string;
  readonly next: string;
}

interface Step extends Swap {
  readonly existed: boolean;
}

/**
 * Puts files and directories in place of others: all of them, or none. The old ones are kept in `aside`. Until the
 * last step, a journal in `aside` records how to go back, so that even a process that is killed loses nothing.
 *
 * @throws the file system's error, after everything is restored.
 */
export function swapAll(swaps: readonly Swap[], aside: string): void {
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  const steps: Step[] = swaps.map((swap) => ({ ...swap, existed: existsSync(swap.present) }));
  writeFileSync(getJournal(aside), JSON.stringify(steps), { mode: 0o600, flush: true });
  try {
    for (const [index, { present, next, existed }] of steps.entries()) {
      if (existed) renameSync(present, join(aside, String(index)));
      renameSync(next, present);
    }
  } catch (error) {
    undoSwap(aside);
    throw error;
  }
  // From here on the new state counts.
  rmSync(getJournal(aside));
}

/** Goes back when a swap in `aside` was cut short. @returns whether there was one. */
export function undoSwap(aside: string): boolean {
  const steps = readJournal(aside);
  if (steps === undefined) return false;
  for (const [index, { present, next, existed }] of [...steps.entries()].reverse()) {
    const kept = join(aside, String(index));
    // The new one is in place exactly when it has left its source.
    if (!existsSync(next) && existsSync(present) && (!existed || existsSync(kept))) renameSync(present, next);
    if (existed && existsSync(kept)) renameSync(kept, present);
  }
  rmSync(getJournal(aside));
  return true;
}

const getJournal = (aside: string) => join(aside, 'journal.json');

/** @returns `undefined` when there is none, or one cut short itself: then nothing was moved yet. */
function readJournal(aside: string): readonly Step[] | undefined {
  return readJsonFile(getJournal(aside), list(object({ present: text, next: text, existed: flag })));
}
