import { FORKS, type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Input } from '@switchyard/service/input';
import { CANCUN_BLOBS, PRAGUE_BLOBS } from '../rules/blob-schedule.ts';
import { blobSchedule, type ForkSchedule, TIMED_FORKS } from '../rules/forks.ts';
import type { BlockRules } from '../simulate/environment.ts';
import { findUint } from './values.ts';

/** Rules of a block of any Ethereum chain: rules of execution, and rules about headers only. */
export interface ArchiveRules extends BlockRules {
  /** First block of London, where its gas limit doubles and its base fee begins; undefined if every block has them. */
  readonly londonBlock: bigint | undefined;
  /** Block that moves the coins of the DAO (EIP-779). */
  readonly daoBlock: bigint | undefined;
  /** Blocks by which the difficulty bomb is late: EIP-649, 1234, 2384, 3554, 4345, 5133. */
  readonly bombDelay: bigint;
}

/** Rules of a block with this number and this time, in seconds. */
export type ArchiveSchedule = (number: bigint, timestamp: bigint) => ArchiveRules;

/** Keys of section `config` of a genesis, which go-ethereum defines. */
const BLOCKS: readonly (readonly [Fork, string])[] = [
  ['homestead', 'homesteadBlock'],
  ['tangerineWhistle', 'eip150Block'],
  ['spuriousDragon', 'eip155Block'],
  ['byzantium', 'byzantiumBlock'],
  ['constantinople', 'constantinopleBlock'],
  ['petersburg', 'petersburgBlock'],
  ['istanbul', 'istanbulBlock'],
  ['berlin', 'berlinBlock'],
  ['london', 'londonBlock'],
];

const BOMB_DELAYS: readonly (readonly [string, bigint])[] = [
  ['byzantiumBlock', 3_000_000n],
  ['constantinopleBlock', 5_000_000n],
  ['muirGlacierBlock', 9_000_000n],
  ['londonBlock', 9_700_000n],
  ['arrowGlacierBlock', 10_700_000n],
  ['grayGlacierBlock', 11_400_000n],
];

/** @throws {InvalidData} for a fork that is not known here. @param forks As `forkSchedule` reads them from the same section. */
export function archiveSchedule(config: Input, chainId: bigint, forks: ForkSchedule): ArchiveSchedule {
  checkConfig(config);
  const block = (name: string) => findUint(config.at(name).value);
  const london = block('londonBlock');
  const daoBlock = config.at('daoForkSupport').value === false ? undefined : block('daoForkBlock');
  const blocks = [...BLOCKS.map(([fork, name]) => [fork, block(name)] as const), ['paris', mergeBlock()] as const];

  // In go-ethereum, a chain whose terminal total difficulty is 0 has no proof of work, nor has one with later forks.
  function mergeBlock(): bigint | undefined {
    const isMerged =
      forks.times.length > 0 ||
      config.at('terminalTotalDifficultyPassed').value === true ||
      (block('terminalTotalDifficulty') === 0n && london === 0n);
    return block('mergeForkBlock') ?? block('mergeNetsplitBlock') ?? (isMerged ? 0n : undefined);
  }

  return (number, timestamp) => {
    const isReached = (at: bigint | undefined) => at !== undefined && at <= number;
    const reached = forks.times.filter(({ time }) => time <= timestamp);
    const timed = FORKS.findLast((fork) => reached.some(({ name }) => name === fork));
    const fork = timed ?? blocks.findLast(([, at]) => isReached(at))?.[0] ?? 'frontier';
    return {
      fork,
      chainId,
      blobs:
        reached.findLast(({ blobs }) => blobs !== undefined)?.blobs ??
        (includes(fork, 'prague') ? PRAGUE_BLOBS : CANCUN_BLOBS),
      londonBlock: london === 0n ? undefined : london,
      daoBlock,
      bombDelay: BOMB_DELAYS.findLast(([name]) => isReached(block(name)))?.[1] ?? 0n,
    };
  };
}

function checkConfig(config: Input): void {
  if (config.at('clique').isPresent) config.at('clique').fail('a chain of proof of work or proof of stake');
  const [first, second] = ['eip155Block', 'eip158Block'].map((name) => findUint(config.at(name).value));
  if (first !== second) config.at('eip158Block').fail(`eip155Block, ${first}: both are of Spurious Dragon`);
  for (const [name, schedule] of config.at('blobSchedule').optional((each) => each.members()) ?? []) {
    if (!TIMED_FORKS.some((fork) => fork === name)) schedule.fail(`a fork of ${TIMED_FORKS.join(', ')}`, name);
    blobSchedule(schedule);
  }
}
