import { groupBy } from './group.ts';
import type { Violation } from './observed.ts';

/** How long a service was not ready after a fault was over; undefined: until the end of the run. */
export interface Recovery {
  readonly service: string;
  /** Kind of the fault. */
  readonly fault: string;
  readonly at: number;
  readonly ms: number | undefined;
}

export function checkRecovery(recoveries: readonly Recovery[], withinMs: number): Violation[] {
  return recoveries.flatMap(({ service, fault, at, ms }) => {
    if (ms !== undefined && ms <= withinMs) return [];
    const took =
      ms === undefined ? 'not ready again before the end of the run' : `ready again after ${(ms / 1_000).toFixed(1)} s`;
    return [{ check: 'recovery', detail: `${service} after ${fault} at ${(at / 1_000).toFixed(1)} s: ${took}` }];
  });
}

export interface RecoveryRow {
  readonly service: string;
  readonly fault: string;
  readonly count: number;
  readonly medianMs: number;
  readonly worstMs: number;
}

/** Times of recovery by service and kind of fault. */
export function recoveryTable(recoveries: readonly Recovery[]): RecoveryRow[] {
  const groups = groupBy(recoveries, ({ service, fault }) => `${service} ${fault}`);
  return [...groups.values()].flatMap((group) => {
    const times = group.map(({ ms }) => ms ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
    const [first] = group;
    if (first === undefined) return [];
    const { service, fault } = first;
    const medianMs = times[Math.floor((times.length - 1) / 2)] ?? 0;
    return [{ service, fault, count: group.length, medianMs, worstMs: times.at(-1) ?? 0 }];
  });
}
