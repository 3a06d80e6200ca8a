import { all, type Input, mapped, object, optional, type Read } from '@switchyard/service/input';
import {
  blobSchedule,
  CANCUN_FROM_GENESIS,
  type ForkSchedule,
  PLANNED_FORKS,
  type PlannedFork,
} from '../rules/forks.ts';
import { nothing, uint } from './values.ts';

/* The keys of section `config` that say when rules change after Cancun, as go-ethereum has them. */

const ABSENT = nothing('this version has the rules of Ethereum up to Amsterdam');
const later = Object.fromEntries(
  ['bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5', 'bogota', 'verkle', 'ubt'].map((name) => [`${name}Time`, ABSENT]),
);
const time = optional(uint(63));
const times = object({ pragueTime: time, osakaTime: time, amsterdamTime: time });

/** Which forks follow Cancun and when; each needs those before it, and go-ethereum needs their blob schedules. */
export const plannedForks: Read<ForkSchedule> = mapped(all(times, object(later)), ([given], input) => {
  const { pragueTime } = given;
  for (const [index, name] of PLANNED_FORKS.entries()) checkOrder(given, PLANNED_FORKS[index - 1], name, input);
  if (pragueTime === undefined) return CANCUN_FROM_GENESIS;
  // Its logs would be requests to a beacon chain (EIP-6110).
  nothing('no beacon chain takes deposits of this chain')(input.at('depositContractAddress'));
  const blobs = input.at('blobSchedule');
  const following = PLANNED_FORKS.flatMap((name) => {
    const at = given[`${name}Time`];
    if (at === undefined) return [];
    return [{ name, time: at, ...getBlobs(blobs, name) }];
  });
  return {
    blocks: [],
    times: [{ name: 'cancun', time: 0n, blobs: requiredBlobs(blobs.at('cancun')) }, ...following],
  };
});

type Times = { readonly [F in PlannedFork as `${F}Time`]?: bigint | undefined };

function checkOrder(times: Times, before: PlannedFork | undefined, name: PlannedFork, input: Input): void {
  const at = times[`${name}Time`];
  if (before === undefined || at === undefined) return;
  const earlier = times[`${before}Time`];
  if (earlier === undefined) input.at(`${before}Time`).fail(`a time, because ${name}Time is set`);
  else if (at < earlier) input.at(`${name}Time`).fail(`${before}Time, ${earlier}, or a later time`);
}

/** Forks after Prague keep its schedule unless they have their own. */
function getBlobs(blobs: Input, name: PlannedFork) {
  if (name === 'prague') return { blobs: requiredBlobs(blobs.at(name)) };
  const own = optional(requiredBlobs)(blobs.at(name));
  return own === undefined ? {} : { blobs: own };
}

const requiredBlobs: Read<ReturnType<typeof blobSchedule>> = (input) => {
  const { target, max, baseFeeUpdateFraction } = blobSchedule(input);
  if (target < 0 || max < target || baseFeeUpdateFraction <= 0)
    return input.fail('target and max from 0 on, in this order, and baseFeeUpdateFraction above 0');
  return { target, max, baseFeeUpdateFraction };
};
