import type { RollupFacts } from '../status/facts.ts';
import { type Journey, journeyState } from '../status/journey.ts';
import { heightsIn } from '../status/overview.ts';
import type { NetworkFacts } from '../status/transactions.ts';

/** How blocks and transactions move through the network: all rollups that a conductor drives, and the queue of the composer. */
export function toFlow({ queued, rollups, path: [newest] }: NetworkFacts) {
  return {
    queued,
    rollups: rollups.map(({ name, id, service, lag, ...heights }) => ({
      name,
      id,
      service,
      lag,
      ...heightsIn(heights),
    })),
    last: newest === undefined ? undefined : toLast(newest, rollups),
  };
}

/** The newest transaction of the composer; times in milliseconds since the Unix epoch. */
function toLast(journey: Journey, rollups: readonly RollupFacts[]) {
  const { hash, outcome, rollup, queuedAt, bundledAt, sequenced, executed, posted } = journey;
  const { text: state, why } = journeyState(journey, rollups);
  // The hash that its users know; the composer answered with the other one.
  const known = outcome?.hash ?? hash;
  return { hash: known, submission: hash, rollup, state, why, queuedAt, bundledAt, sequenced, executed, posted };
}
