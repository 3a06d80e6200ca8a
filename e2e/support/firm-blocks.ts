import type { DeployedRollup } from './deployed-rollup.ts';
import { until } from './network.ts';

type Reader = DeployedRollup['reader'];

const MINUTE_MS = 60_000;
const ASK_EVERY_MS = 200;
/** Soft blocks that come without a firm one, where none comes any more. */
const ENOUGH = 10n;

const firmOf = async (reader: Reader): Promise<bigint> => (await reader.getBlock({ blockTag: 'finalized' })).number;
const softOf = (reader: Reader): Promise<bigint> => reader.getBlockNumber({ cacheTime: 0 });

/** Waits until a block, else the newest of now, is firm. */
export async function isFirm(reader: Reader, number?: bigint): Promise<void> {
  const wanted = number ?? (await softOf(reader));
  const reached = async () => (await firmOf(reader)) >= wanted || undefined;
  await until(`block ${wanted} is firm`, reached, 2 * MINUTE_MS, ASK_EVERY_MS);
}

/** Waits until soft blocks come and no firm ones: what was posted before has been read by then. */
export async function firmStops(reader: Reader): Promise<void> {
  let since = { firm: await firmOf(reader), soft: await softOf(reader) };
  await until(
    'soft blocks without firm ones',
    async () => {
      const now = { firm: await firmOf(reader), soft: await softOf(reader) };
      if (now.firm !== since.firm) since = now;
      return now.soft >= since.soft + ENOUGH || undefined;
    },
    2 * MINUTE_MS,
    ASK_EVERY_MS,
  );
}
