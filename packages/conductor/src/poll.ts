/** The road for sequencers that do not push: ask for the height, then for each block and its commit. */
import type { FilteredBlock, SignedHeader } from '@switchyard/protocol';
import { type Clock, sleep } from '@switchyard/service';
import type { ActiveEndpoint, Cursor, ReaderDeps, ReaderOptions } from './cursor.ts';

const IN_FLIGHT = 20;

type Fetched = readonly [FilteredBlock, SignedHeader];

/** Resolves when the cursor is done; rejects with the first error, after which it can be called again. */
export async function pollBlocks(
  cursor: Cursor,
  options: ReaderOptions,
  { clock }: Pick<ReaderDeps, 'clock'>,
  { source, reportHeight, signal }: ActiveEndpoint,
): Promise<void> {
  const pace = createPace(options.requestsPerSecond, clock);
  const fetchBlock = async (height: bigint): Promise<Fetched> => {
    await pace(signal);
    return Promise.all([source.filteredBlock(height, options.rollup, signal), source.commit(height, signal)]);
  };

  while (!cursor.done) {
    const latest = await source.latestHeight(signal);
    reportHeight(latest);
    const last = options.last === undefined || latest < options.last ? latest : options.last;
    const inFlight: Promise<Fetched>[] = [];
    for (let height = cursor.next; cursor.next <= last; ) {
      for (; height <= last && inFlight.length < IN_FLIGHT; height++) {
        const fetched = fetchBlock(height);
        // Its error is handled when its turn comes; until then the rejection must not count as unhandled.
        fetched.catch(() => undefined);
        inFlight.push(fetched);
      }
      const oldest = inFlight.shift();
      if (oldest !== undefined) await cursor.accept(...(await oldest));
    }
    if (!cursor.done) await sleep(options.pollIntervalMs, signal, clock);
  }
}

/** Lets calls through at most this often. */
function createPace(perSecond: number, clock: Clock): (signal: AbortSignal) => Promise<void> {
  let free = 0;
  return async (signal) => {
    const now = clock.now();
    const turn = Math.max(free, now);
    free = turn + 1_000 / perSecond;
    if (turn > now) await sleep(turn - now, signal, clock);
  };
}
