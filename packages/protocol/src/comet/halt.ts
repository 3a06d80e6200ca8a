/** How far a chain is, as its nodes report it. */
export interface ChainFacts {
  readonly height: number;
  /** Time since the newest block. */
  readonly ageMs: number;
  /** Validators that decide about the next block. */
  readonly validators: readonly ValidatorFacts[];
  /** How it is known which of them are active: their nodes answer, or one node has their votes. */
  readonly activity: 'answer' | 'vote';
}

export interface ValidatorFacts {
  readonly power: bigint;
  readonly isActive: boolean;
}

/** A block may take this long, and too few answers of validators may last this long: votes may be on their way. */
const LONG_MS = 60_000;
export const SHORT_MS = 10_000;

/**
 * Why a chain makes no blocks. More than two thirds of the voting power have to agree on each.
 *
 * @returns `undefined` while it makes them.
 */
export function haltReason({ height, ageMs, validators, activity }: ChainFacts): string | undefined {
  const since = `no block since height ${height} (${duration(ageMs)})`;
  const active = validators.filter(({ isActive }) => isActive);
  const [power, total] = [sum(active), sum(validators)];
  const count = `${active.length} of ${validators.length} validators ${activity}`;
  const isEnough = power * 3n > total * 2n || total === 0n;
  if (ageMs < (isEnough || activity === 'vote' ? LONG_MS : SHORT_MS)) return undefined;
  if (isEnough) return validators.length > 1 ? `${since}, and ${count}, which is enough` : since;
  const isEqual = new Set(validators.map((each) => each.power)).size === 1;
  const needed = isEqual
    ? `${Math.floor((2 * validators.length) / 3) + 1} are needed`
    : `with ${(power * 100n) / total} % of the voting power, and more than two thirds are needed`;
  return `${count}, ${needed}, ${since}`;
}

const sum = (validators: readonly ValidatorFacts[]) => validators.reduce((all, { power }) => all + power, 0n);

function duration(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1_000],
  ] as const;
  const [unit, length] = units.find(([, each]) => ms >= each) ?? units[3];
  const amount = Math.floor(ms / length);
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
