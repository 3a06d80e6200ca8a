import { type Fork, includes } from '../../../packages/evm-machine/src/fork.ts';

/**
 * Opcode, words that it takes and gives, static gas, and the fork that brought it. The interpreter's table has them too, and a
 * test compares: a module must not depend on code that loads it.
 */
type Cost = readonly [opcode: number, takes: number, gives: number, gas: number, since?: Fork];

const range = (from: number, count: number, make: (index: number) => readonly [number, number, number]): Cost[] =>
  Array.from({ length: count }, (_, index) => [from + index, ...make(index)]);

const COSTS: readonly Cost[] = [
  [0x01, 2, 1, 3],
  [0x02, 2, 1, 5],
  [0x03, 2, 1, 3],
  [0x04, 2, 1, 5],
  [0x06, 2, 1, 5],
  ...range(0x10, 5, () => [2, 1, 3]),
  [0x15, 1, 1, 3],
  ...range(0x16, 3, () => [2, 1, 3]),
  [0x19, 1, 1, 3],
  [0x1a, 2, 1, 3],
  [0x1b, 2, 1, 3, 'constantinople'],
  [0x1c, 2, 1, 3, 'constantinople'],
  [0x1d, 2, 1, 3, 'constantinople'],
  [0x20, 2, 1, 30],
  [0x30, 0, 1, 2],
  [0x33, 0, 1, 2],
  [0x34, 0, 1, 2],
  [0x36, 0, 1, 2],
  [0x50, 1, 0, 2],
  [0x51, 1, 1, 3],
  [0x52, 2, 0, 3],
  [0x53, 2, 0, 3],
  [0x56, 1, 0, 8],
  [0x57, 2, 0, 10],
  [0x58, 0, 1, 2],
  [0x5b, 0, 0, 1],
  [0x5f, 0, 1, 2, 'shanghai'],
  ...range(0x60, 32, () => [0, 1, 3]),
  ...range(0x80, 16, (index) => [index + 1, index + 2, 3]),
  ...range(0x90, 16, (index) => [index + 2, index + 2, 3]),
  [0xe6, 0, 1, 3, 'amsterdam'],
  [0xe7, 0, 0, 3, 'amsterdam'],
  [0xe8, 0, 0, 3, 'amsterdam'],
];

export interface Bounds {
  readonly gas: number;
  /** Between these numbers of words the stack has to be. */
  readonly least: number;
  readonly most: number;
}

const MAX_STACK = 1_024;

/** Instructions of the fork, by opcode. */
export function boundsIn(fork: Fork): ReadonlyMap<number, Bounds> {
  const there = COSTS.filter(([, , , , since = 'frontier']) => includes(fork, since));
  return new Map(
    there.map(([opcode, takes, gives, gas]) => [
      opcode,
      { gas, least: takes, most: MAX_STACK - Math.max(0, gives - takes) },
    ]),
  );
}

/** Forks that brought one, oldest first. */
export const CHANGES: readonly Fork[] = [...new Set(COSTS.map(([, , , , since = 'frontier']) => since))];
