import type { Fork } from '@switchyard/evm-machine/fork';
import type { Address } from '@switchyard/evm-machine/types';
import { type Input, ifValid, object, type Read } from '@switchyard/service/input';
import { address as getAddress } from '../json/params.ts';
import { type BlobSchedule, CANCUN_BLOBS } from './blob-schedule.ts';

/** Forks that begin at a time, oldest first. */
export const TIMED_FORKS = [
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'bpo1',
  'bpo2',
  'bpo3',
  'bpo4',
  'bpo5',
  'amsterdam',
] as const;

export type TimedFork = (typeof TIMED_FORKS)[number];

/** The forks that a chain has had and will have. */
export interface ForkSchedule {
  /** Numbers of blocks at which rules changed before the merge. */
  readonly blocks: readonly bigint[];
  /** In the order of their times, in seconds. */
  readonly times: readonly { readonly name: TimedFork; readonly time: bigint; readonly blobs?: BlobSchedule }[];
  /** EIP-6110, from Prague on. */
  readonly depositContract?: Address;
}

/** The schedule in section `config` of a genesis in go-ethereum's format, to the extent known here. */
export function forkSchedule(config: Input): ForkSchedule {
  const schedules = config.at('blobSchedule').optional((each) => each);
  const blocks = config.members().flatMap(([name, at]) => (name.endsWith('Block') ? (place(at) ?? []) : []));
  const times = TIMED_FORKS.flatMap((name) => {
    const time = place(config.at(`${name}Time`));
    if (time === undefined) return [];
    const blobs = schedules && ifValid(blobSchedule)(schedules.at(name));
    return [{ name, time, ...(blobs === undefined ? {} : { blobs }) }];
  });
  const depositContract = config.at('depositContractAddress').optional(getAddress);
  return { blocks, times, ...(depositContract === undefined ? {} : { depositContract }) };
}

/** Schedule if no fork is planned. */
export const CANCUN_FROM_GENESIS: ForkSchedule = {
  blocks: [],
  times: [{ name: 'cancun', time: 0n, blobs: CANCUN_BLOBS }],
};

/** Forks of the chains that this node makes which bring rules for execution; all before are in force from block 0. */
export const PLANNED_FORKS = ['prague', 'osaka', 'amsterdam'] as const satisfies readonly (Fork & TimedFork)[];

export type PlannedFork = (typeof PLANNED_FORKS)[number];

/**
 * The rules of a block of a chain that begins with Cancun.
 *
 * @param timestamp Of the block, in seconds. Its number decides nothing: every fork that began at a number is in force.
 */
export function forkAt(schedule: ForkSchedule, timestamp: bigint): Fork {
  return PLANNED_FORKS.findLast((name) => isActive(findTime(schedule, name), timestamp)) ?? 'cancun';
}

/** When a fork begins, in seconds; undefined if it is not planned. */
export function findTime({ times }: ForkSchedule, fork: TimedFork): bigint | undefined {
  return times.find(({ name }) => name === fork)?.time;
}

function isActive(time: bigint | undefined, timestamp: bigint): boolean {
  return time !== undefined && time <= timestamp;
}

const whole: Read<number> = (input) => input.integer();
/** A block or a time at which rules change. */
const place = ifValid((input) => input.big(0n));
export const blobSchedule: Read<BlobSchedule> = object({ target: whole, max: whole, baseFeeUpdateFraction: whole });
