import { type Snapshot, type StateWriter, table, text, u64 } from '@switchyard/machine/browser';
import { InvalidConfig } from '@switchyard/service/browser';
import { nowRuns } from '#time-limit';
import { mustBeOver } from './bugs.ts';

/** A rule that begins at a block: it may be added to a running chain while that block has not been executed. */
export interface Activation {
  /** For messages, and unique in its definition: `action place`. */
  readonly name: string;
  readonly at: bigint;
  /** Changes the state before anything else of its block. An error of it is a bug and stops the node. */
  run?(state: StateWriter): void;
}

/** Blocks at which the rules that are in force have begun. Index rows, written with those blocks. */
const begun = table({ prefix: 'index/activations/', key: text, value: u64 });
/** More than a chain will ever have. */
const MOST = 10_000;

/** Runs the changes of the state that begin at a block. @throws {Error} naming the change that threw. */
export function runActivations(activations: readonly Activation[] = [], number: bigint, state: StateWriter): void {
  for (const { name, at, run } of activations) {
    if (at !== number) continue;
    nowRuns(name);
    try {
      mustBeOver(run?.(state));
    } catch (cause) {
      throw new Error(name, { cause });
    }
  }
}

export function recordActivations(activations: readonly Activation[] = [], number: bigint, rows: StateWriter): void {
  for (const { name, at } of activations) if (at === number) begun.put(rows, name, at);
}

/**
 * @param soft The last block that is executed.
 * @throws {InvalidConfig} if executed blocks were executed by other rules.
 */
export function checkActivations(activations: readonly Activation[] = [], soft: bigint, stored: Snapshot): void {
  for (const { name, at } of activations) {
    const since = begun.get(stored, name);
    if (since === undefined ? at > soft : at === since) continue;
    throw refusal(
      name,
      since === undefined ? `a block after ${soft}, the last executed one` : `block ${since}`,
      `block ${at}`,
      since === undefined
        ? 'let it begin at a later block'
        : 'put the block back: later ones were executed by this rule',
    );
  }
  const known = new Set(activations.map(({ name }) => name));
  for (const [name, since] of begun.range(stored, { limit: MOST })) {
    if (known.has(name)) continue;
    throw refusal(name, `the rule that began at block ${since}`, 'none', 'put it back: blocks were executed by it');
  }
}

function refusal(name: string, expected: string, got: string, advice: string): InvalidConfig {
  return new InvalidConfig({ variable: `the definition: ${name}`, expected, got, advice });
}
