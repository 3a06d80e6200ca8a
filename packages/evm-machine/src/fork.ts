/** Rule changes of Ethereum that execution knows, oldest first. Forks that only moved the difficulty bomb are left out. */
export const FORKS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'amsterdam',
] as const;

export type Fork = (typeof FORKS)[number];

const POSITIONS: ReadonlyMap<Fork, number> = new Map(FORKS.map((fork, position) => [fork, position]));

/** Whether the rules of `fork` include the changes of `since`. */
export function includes(fork: Fork, since: Fork): boolean {
  return (POSITIONS.get(fork) ?? 0) >= (POSITIONS.get(since) ?? 0);
}
