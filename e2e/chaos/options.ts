import { parseArgs } from 'node:util';
import { FAULT_KINDS, type FaultKind } from './plan.ts';

export const HELP = `usage: npm run chaos -- [options]

Runs a network of its own on this machine, puts load on it, injects faults from a seeded plan, and checks from the logs
of the clients that what was acknowledged was executed exactly once and that no value came or went. Exits with status 1
when anything was violated.

  --minutes N         length of the load and of the faults (default 1); fractions are fine
  --seed S            the plan is a function of it and of the other options (default: a new one, printed)
  --rollup NAME       messenger or evm (default messenger)
  --engine NAME       solo or cometbft (default solo)
  --kills K           processes killed with SIGKILL (default 25 for each minute)
  --data-availability LAYER
                      none, local or celestia (default none): where blocks are posted, and read back from until they are
                      firm; then each block is to be posted once and to become firm
  --targets LIST      comma-separated: services that are attacked; tool is the one that supervises them (default: all)
  --rate N            transactions per second (default 200)
  --faults LIST       comma-separated: ${FAULT_KINDS.join(', ')} (default: all but corrupt)
  --recover-within N  seconds in which a process has to be ready again (default 60)
  --full-disk N       instead of all else: N times the whole disk of a detached network of one process is full; needs
                      Linux and root
  --keep              leave the files of the run in place
  --json              the report as one JSON value on stdout; progress goes to stderr`;

export interface ChaosOptions {
  readonly minutes: number;
  readonly seed: string;
  readonly rollup: 'messenger' | 'evm';
  readonly engine: 'solo' | 'cometbft';
  readonly kills: number;
  readonly dataAvailability: 'none' | 'local' | 'celestia';
  /** Names of services; none for all. */
  readonly targets: readonly string[];
  readonly rate: number;
  readonly faults: readonly FaultKind[];
  readonly recoverWithinMs: number;
  /** Rounds of the full disk; 0 for a run with the other options. */
  readonly fullDisk: number;
  readonly keep: boolean;
  readonly json: boolean;
}

/** @throws {TypeError} or {RangeError} with one line about the fault; undefined if help was requested. */
export function parseOptions(args: readonly string[], newSeed: () => string): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '1' },
      seed: { type: 'string' },
      rollup: { type: 'string', default: 'messenger' },
      engine: { type: 'string', default: 'solo' },
      kills: { type: 'string' },
      'data-availability': { type: 'string', default: 'none' },
      targets: { type: 'string', default: '' },
      rate: { type: 'string', default: '200' },
      faults: { type: 'string', default: FAULT_KINDS.filter((kind) => kind !== 'corrupt').join(',') },
      'recover-within': { type: 'string', default: '60' },
      'full-disk': { type: 'string', default: '0' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const minutes = numberIn('minutes', values.minutes, 0.1, 1_440);
  return {
    minutes,
    seed: values.seed ?? newSeed(),
    rollup: oneOf('rollup', values.rollup, ['messenger', 'evm']),
    engine: oneOf('engine', values.engine, ['solo', 'cometbft']),
    kills: Math.round(numberIn('kills', values.kills ?? String(Math.round(minutes * 25)), 0, 100_000)),
    dataAvailability: oneOf('data-availability', values['data-availability'], ['none', 'local', 'celestia']),
    targets: values.targets.split(',').filter((target) => target !== ''),
    rate: numberIn('rate', values.rate, 1, 500),
    faults: values.faults.split(',').map((kind) => oneOf('faults', kind, FAULT_KINDS)),
    recoverWithinMs: numberIn('recover-within', values['recover-within'], 1, 3_600) * 1_000,
    fullDisk: Math.round(numberIn('full-disk', values['full-disk'], 0, 1_000)),
    keep: values.keep,
    json: values.json,
  };
}

/** The command that repeats a run. */
export function makeCommand(options: ChaosOptions): string {
  const { minutes, seed, rollup, engine, kills, dataAvailability, targets, rate, faults } = options;
  const chosen = {
    ...{ minutes, seed, rollup, engine, kills, rate, faults: faults.join(',') },
    ...(dataAvailability === 'none' ? {} : { 'data-availability': dataAvailability }),
    ...(targets.length === 0 ? {} : { targets: targets.join(',') }),
  };
  return `npm run chaos -- ${Object.entries(chosen)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ')}`;
}

export function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new RangeError(`--${name}: expected one of ${values.join(', ')}, got ${text}`);
  return found;
}

export function numberIn(name: string, text: string, low: number, high: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= low && value <= high) return value;
  throw new RangeError(`--${name}: expected a number from ${low} to ${high}, got ${text}`);
}
