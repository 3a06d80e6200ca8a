import type { History } from './history.ts';

/** Milliseconds, from this many after the first acknowledgement. */
export interface Silence {
  readonly ms: number;
  readonly from: number;
}

/** How far the network was of use while it was attacked. */
export interface Availability {
  /** Longest time in which no client was answered that a transaction is taken. */
  readonly longestSilence: Silence;
  /** Such answers in each minute from the first one on. */
  readonly perMinute: readonly number[];
}

const MINUTE_MS = 60_000;

/** Deposits are not counted: the sequencer takes them, and not the rollup. */
export function makeAvailability({ sent }: History): Availability {
  const times = [...sent.values()]
    .filter(({ intent }) => intent.kind !== 'deposit')
    .flatMap(({ answers }) => answers.filter(({ outcome }) => outcome === 'acknowledged').map(({ at }) => at))
    .sort((a, b) => a - b);
  const first = times[0] ?? 0;
  const perMinute: number[] = [];
  let longestSilence: Silence = { ms: 0, from: 0 };
  for (const [index, at] of times.entries()) {
    const minute = Math.floor((at - first) / MINUTE_MS);
    while (perMinute.length <= minute) perMinute.push(0);
    perMinute[minute] = (perMinute[minute] ?? 0) + 1;
    const before = times[index - 1] ?? at;
    if (at - before > longestSilence.ms) longestSilence = { ms: at - before, from: before - first };
  }
  return { longestSilence, perMinute };
}
