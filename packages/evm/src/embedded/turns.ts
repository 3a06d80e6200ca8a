import type { EVM } from '@ethereumjs/evm';
import type { Pause } from '../pause.ts';
import { type LibraryFrame, libraryFrames } from './internals.ts';

/*
 * When a machine looks at the clock. Between two looks is little work whatever the code does: a step whose gas depends
 * on its operands counts as many, because it may copy, hash or call.
 */

/** Units of work between two looks. */
export const UNITS_AT_ONCE = 64;
export const UNITS_OF_DYNAMIC = 8;

/** Of one machine. */
export interface Turns {
  readonly pause: Pause;
  /** Units since the last look. */
  made: number;
}

const turns = new WeakMap<object, Turns>();

/** Lets others have their turn between the steps of this machine, whichever loop runs them. */
export async function takeTurns(evm: EVM, pause: Pause): Promise<void> {
  turns.set(evm, { pause, made: 0 });
  pauseBetweenSteps(await libraryFrames());
}

/** Undefined for machines that were not asked to. */
export function turnsOf(evm: object): Turns | undefined {
  return turns.get(evm);
}

let original: LibraryFrame['runStep'] | undefined;

/** The library's loop calls this for each step. Ours does not: it counts by itself. */
function pauseBetweenSteps(frames: LibraryFrame): void {
  if (original !== undefined) return;
  original = frames.runStep;
  const runStep = original;
  frames.runStep = function (this: LibraryFrame, operation) {
    const own = turns.get(this._evm);
    if (own === undefined) return runStep.call(this, operation);
    own.made += UNITS_OF_DYNAMIC;
    if (own.made < UNITS_AT_ONCE) return runStep.call(this, operation);
    own.made = 0;
    return after(own.pause, () => runStep.call(this, operation));
  };
}

/** What the pause throws is a rejection, as what the step throws. */
async function after(pause: Pause, step: () => Promise<void>): Promise<void> {
  await pause();
  await step();
}
