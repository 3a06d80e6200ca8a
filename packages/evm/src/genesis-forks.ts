import { all, type Input, mapped, object, optional, type Read } from '@switchyard/service/input';
import { blobSchedule, CANCUN_FROM_GENESIS, type ForkSchedule, PLANNED_FORKS, type PlannedFork } from './forks.ts';
import { nothing, uint } from './genesis-values.ts';

/* The keys of section `config` that say when rules change after Cancun, as go-ethereum has them. */

const ABSENT = nothing('this version has the rules of Ethereum up to Osaka');
const later = Object.fromEntries(
  ['bpo1', 'bpo2', 'bpo3', 'bpo4', 'bpo5', 'amsterdam', 'bogota', 'verkle', 'ubt'].map((name) => [
    `${name}Time`,
    ABSENT,
  ]),
);
const time = optional(uint(63));
const times = object({ pragueTime: time, osakaTime: time });

/** Which forks follow Cancun and when; each needs those before it, and go-ethereum needs their blob schedules. */
export const plannedForks: Read<ForkSchedule> = mapped(
  all(times, object(later)),
  ([{ pragueTime, osakaTime }], input) => {
    if (osakaTime !== undefined && pragueTime === undefined)
      return input.at('pragueTime').fail('a time, because osakaTime is set');
    if (pragueTime === undefined) return CANCUN_FROM_GENESIS;
    if (osakaTime !== undefined && osakaTime < pragueTime)
      return input.at('osakaTime').fail(`pragueTime, ${pragueTime}, or a later time`);
    // Its logs would be requests to a beacon chain (EIP-6110).
    nothing('no beacon chain takes deposits of this chain')(input.at('depositContractAddress'));
    const planned: Readonly<Record<PlannedFork, bigint | undefined>> = { prague: pragueTime, osaka: osakaTime };
    const blobs = input.at('blobSchedule');
    const following = PLANNED_FORKS.flatMap((name) => {
      const at = planned[name];
      if (at === undefined) return [];
      return [{ name, time: at, ...blobsOf(blobs, name) }];
    });
    return {
      blocks: [],
      times: [{ name: 'cancun', time: 0n, blobs: requiredBlobs(blobs.at('cancun')) }, ...following],
    };
  },
);

/** Osaka keeps the schedule of Prague unless it has its own. */
function blobsOf(blobs: Input, name: PlannedFork) {
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
