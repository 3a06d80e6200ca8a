import { EMPTY_UNCLES } from '../../blocks/header.ts';
import { includes } from '../../interpreter/fork.ts';
import type { Header } from '../../types.ts';
import type { ArchiveRules } from './rules.ts';

const LEAST = 131_072n;
const LOWEST_STEPS = -99n;
const BOMB_PERIOD = 100_000n;

/** Difficulty of a block before the merge (Yellow Paper, 4.4.4; EIP-2; EIP-100). */
export function nextDifficulty(
  { number, timestamp }: Pick<Header, 'number' | 'timestamp'>,
  parent: Pick<Header, 'difficulty' | 'timestamp' | 'uncleHash'>,
  { fork, bombDelay }: Pick<ArchiveRules, 'fork' | 'bombDelay'>,
): bigint {
  const seconds = timestamp - parent.timestamp;
  const steps = includes(fork, 'byzantium')
    ? (parent.uncleHash === EMPTY_UNCLES ? 1n : 2n) - seconds / 9n
    : includes(fork, 'homestead')
      ? 1n - seconds / 10n
      : seconds < 13n
        ? 1n
        : -1n;
  const moved = parent.difficulty + (parent.difficulty / 2_048n) * larger(steps, LOWEST_STEPS);
  const period = larger(number - bombDelay, 0n) / BOMB_PERIOD;
  return larger(moved, LEAST) + (period > 1n ? 2n ** (period - 2n) : 0n);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
