import { type Random, seededRandom } from '@switchyard/service/testing';
import type { ProxyFault } from '../support/proxy.ts';

export const FAULT_KINDS = ['kill', 'stop', 'pause', 'proxy', 'disk', 'clock', 'restore', 'corrupt'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A service of the network, or `tool`: the `dev run` that supervises them. */
export type Target = string;

export type Fault = {
  /** Milliseconds from the start of the load. */
  readonly at: number;
} & (
  | {
      readonly kind: 'kill';
      readonly targets: readonly Target[];
      /** This many steps of its own after that moment; its only target ends itself then. */
      readonly steps?: number;
    }
  /** In order, by SIGTERM, and started again. */
  | { readonly kind: 'stop'; readonly target: Target; readonly forMs: number }
  | { readonly kind: 'pause'; readonly target: Target; readonly forMs: number }
  | { readonly kind: 'proxy'; readonly route: string; readonly fault: ProxyFault; readonly forMs: number }
  | { readonly kind: 'disk'; readonly forMs: number }
  | { readonly kind: 'clock'; readonly seconds: number; readonly forMs: number }
  | { readonly kind: 'backup'; readonly target: Target }
  | { readonly kind: 'restore'; readonly target: Target }
  /** A byte is inverted, at this share of the store's largest file. */
  | { readonly kind: 'corrupt'; readonly target: Target; readonly share: number }
);

export interface PlanInput {
  readonly seed: string;
  readonly durationMs: number;
  readonly kills: number;
  /** Kinds of faults that this machine can do. */
  readonly kinds: readonly FaultKind[];
  readonly services: readonly Target[];
  /** Whether the `tool` is attacked too. */
  readonly hasTool?: boolean;
  /** Services that can be killed at a step of theirs. */
  readonly steppable?: readonly Target[];
  /** Names of the connections that go through a proxy. */
  readonly routes: readonly string[];
  /** Services whose store may be set back: all of its content is fetched again from elsewhere. */
  readonly restorable: readonly Target[];
  /** Services whose store may be damaged: a repair makes up for it. */
  readonly repairable: readonly Target[];
}

/** No fault before or after this, so that the load begins and ends in peace. */
const QUIET_MS = 4_000;
/** Faults per minute of each kind but kills. */
const PER_MINUTE = { stop: 3, pause: 4, proxy: 6, disk: 1, clock: 2, restore: 1, corrupt: 2 } as const;

/** Everything that will be done to the network, in the order of time. A function of its input and nothing else. */
export function planFaults(input: PlanInput): Fault[] {
  const { seed, durationMs, kinds, kills } = input;
  const random = seededRandom(`plan/${seed}`);
  const window = { from: QUIET_MS, to: Math.max(QUIET_MS, durationMs - QUIET_MS) };
  const at = (): number => random.between(window.from, window.to);
  const count = (kind: keyof typeof PER_MINUTE): number =>
    kinds.includes(kind) ? Math.max(1, Math.round((PER_MINUTE[kind] * durationMs) / 60_000)) : 0;
  const times = <T>(howOften: number, make: () => T): T[] => Array.from({ length: howOften }, make);
  const faults: Fault[] = [
    ...(kinds.includes('kill')
      ? getKills(input, kills, random).map((targets) => kill(input, targets, at(), random))
      : []),
    ...times(count('stop'), () => ({
      at: at(),
      kind: 'stop' as const,
      target: random.pick(input.services),
      forMs: random.between(0, 2_000),
    })),
    ...times(count('pause'), () => ({
      at: at(),
      kind: 'pause' as const,
      target: random.pick(getEverything(input)),
      forMs: random.between(200, 6_000),
    })),
    ...times(count('proxy'), () => ({
      at: at(),
      kind: 'proxy' as const,
      route: random.pick(input.routes),
      fault: proxyFault(random),
      forMs: random.between(300, 5_000),
    })),
    ...times(count('disk'), () => ({ at: at(), kind: 'disk' as const, forMs: random.between(1_000, 5_000) })),
    ...times(count('clock'), () => ({
      at: at(),
      kind: 'clock' as const,
      seconds: random.pick([-3_600, -60, -5, 5, 60, 3_600]),
      forMs: random.between(1_000, 8_000),
    })),
    ...times(count('corrupt'), () => ({
      at: at(),
      kind: 'corrupt' as const,
      target: random.pick(input.repairable),
      share: random.next(),
    })),
    ...times(count('restore'), () => restoration(random, input.restorable, window)).flat(),
  ];
  return faults.sort((a, b) => a.at - b.at);
}

/** Few enough that a step of a call is hit, and more than those of one block. */
const MOST_STEPS = 2_000;

function kill({ steppable = [] }: PlanInput, targets: readonly Target[], at: number, random: Random): Fault {
  const [first = ''] = targets;
  if (targets.length > 1 || !steppable.includes(first)) return { at, kind: 'kill', targets };
  return { at, kind: 'kill', targets, steps: random.between(1, MOST_STEPS) };
}

const getEverything = ({ services, hasTool = true }: PlanInput): Target[] => [
  ...services,
  ...(hasTool ? ['tool'] : []),
];

/** Groups of processes that die together: mostly one, sometimes two, sometimes all with the tool, as when power fails. */
function getKills(input: PlanInput, kills: number, random: Random): Target[][] {
  const { services } = input;
  const everything = getEverything(input);
  const groups: Target[][] = [];
  for (let left = kills; left > 0; ) {
    const dice = random.next();
    const group =
      dice < 0.5 || left === 1
        ? [random.pick(everything)]
        : dice < 0.7 || left < everything.length
          ? pair(random, services)
          : everything;
    groups.push(group);
    left -= group.length;
  }
  return groups;
}

function pair(random: Random, services: readonly Target[]): Target[] {
  const first = random.pick(services);
  if (services.length === 1) return [first];
  return [first, random.pick(services.filter((service) => service !== first))];
}

function proxyFault(random: Random): ProxyFault {
  switch (random.pick(['cut', 'reset', 'stall', 'delay', 'garbage', 'truncate', 'stale'] as const)) {
    case 'cut':
      return { kind: 'cut' };
    case 'reset':
      return { kind: 'reset' };
    case 'stall':
      return { kind: 'stall' };
    case 'delay':
      return { kind: 'delay', ms: random.between(20, 1_500) };
    case 'garbage':
      return { kind: 'garbage', at: random.next() };
    case 'truncate':
      return { kind: 'truncate', bytes: random.between(1, 20_000) };
    case 'stale':
      return { kind: 'stale' };
  }
}

/** A copy early in the run, and the return to it later. */
function restoration(
  random: Random,
  restorable: readonly Target[],
  { from, to }: { from: number; to: number },
): Fault[] {
  const target = random.pick(restorable);
  const middle = from + (to - from) / 2;
  return [
    { at: random.between(from, Math.floor(middle)), kind: 'backup', target },
    { at: random.between(Math.ceil(middle), to), kind: 'restore', target },
  ];
}

/** One line for people, and for the report. */
export function describeFault(fault: Fault): string {
  const { at, kind, ...rest } = fault;
  const facts = Object.entries(rest).map(([name, value]) => {
    if (Array.isArray(value)) return value.join('+');
    return `${name}=${typeof value === 'object' ? Object.values(value).join(':') : value}`;
  });
  return `${(at / 1_000).toFixed(1).padStart(7)} s  ${kind.padEnd(7)} ${facts.join(' ')}`;
}

/** Processes that the plan kills. */
export function plannedKills(faults: readonly Fault[]): number {
  return faults.reduce((sum, fault) => sum + (fault.kind === 'kill' ? fault.targets.length : 0), 0);
}
