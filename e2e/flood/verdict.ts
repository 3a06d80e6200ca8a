import { quantile } from '../support/statistics.ts';

/** Milliseconds until honest users had their results, one entry for each time. */
export interface Latencies {
  readonly read: readonly number[];
  readonly submit: readonly number[];
  /** Times of requests to a server that does nothing and is not attacked. */
  readonly floor: readonly number[];
}

export interface Measured {
  readonly kind: string;
  readonly quiet: Latencies;
  readonly during: Latencies;
  /** From the end of the flood until honest users are served as before; undefined: not within the time that was given. */
  readonly recoveryMs: number | undefined;
}

export interface Verdict {
  readonly kind: string;
  readonly read: Spread;
  readonly submit: Spread;
  /** Not bounded: the part of the other two that is due to the machine and the harness. */
  readonly floor: Spread;
  readonly recoveryMs: number | undefined;
  readonly violations: readonly string[];
}

/** In milliseconds. */
export interface Spread {
  readonly quiet50: number;
  readonly quiet99: number;
  readonly during50: number;
  readonly during99: number;
  /** p99 during the flood as a multiple of p99 in quiet. */
  readonly ratio: number;
}

export const MAX_RATIO = 3;
export const MAX_RECOVERY_MS = 10_000;

export function evaluate({ kind, quiet, during, recoveryMs }: Measured): Verdict {
  const read = makeSpread(quiet.read, during.read);
  const submit = makeSpread(quiet.submit, during.submit);
  const violations = [
    ...Object.entries({ read, submit }).flatMap(([name, { ratio }]) =>
      // Nothing measured is no success.
      ratio <= MAX_RATIO ? [] : [`${name}: p99 is ${ratio.toFixed(1)} x quiet`],
    ),
    ...(recoveryMs !== undefined && recoveryMs <= MAX_RECOVERY_MS
      ? []
      : [`recovery: ${recoveryMs === undefined ? 'not within the time' : `${(recoveryMs / 1_000).toFixed(1)} s`}`]),
  ];
  return { kind, read, submit, floor: makeSpread(quiet.floor, during.floor), recoveryMs, violations };
}

function makeSpread(quiet: readonly number[], during: readonly number[]): Spread {
  const quiet99 = quantile(quiet, 0.99);
  const during99 = quantile(during, 0.99);
  return {
    ...{ quiet50: quantile(quiet, 0.5), quiet99, during50: quantile(during, 0.5), during99 },
    ratio: during99 / quiet99,
  };
}

/**
 * When honest users are served as before: the start of the first run of this many answers that are all within the bound.
 *
 * @param answers Ordered by the time at which each was wanted, in milliseconds since the end of the flood.
 */
export function recoveredAt(
  answers: readonly { readonly at: number; readonly ms: number }[],
  { boundMs, inARow }: { readonly boundMs: number; readonly inARow: number },
): number | undefined {
  let good = 0;
  for (const [index, { ms }] of answers.entries()) {
    good = ms <= boundMs ? good + 1 : 0;
    if (good === inARow) return answers[index - inARow + 1]?.at;
  }
  return undefined;
}
