import type { Journey, NetworkFacts, RollupFacts } from '../../tui/facts.ts';
import { journeyState } from '../../tui/view/journey-state.ts';

/** States of a transaction, as the terminal UI names them. */
export const TRANSACTION_STATES = [
  ...['queued', 'bundled', 'sequenced', 'executed', 'firm', 'reverted', 'refused', 'replaced', 'skipped'],
] as const;

/** The newest transaction of the composer; times in milliseconds since the Unix epoch. */
export interface LastTransaction
  extends Pick<Journey, 'rollup' | 'queuedAt' | 'bundledAt' | 'sequenced' | 'executed' | 'posted'> {
  /** The one that its users know. */
  readonly hash: string;
  /** The one that the composer answered with. */
  readonly submission: string;
  /** One of {@link TRANSACTION_STATES}. */
  readonly state: string;
  /** Why it is in no block. */
  readonly why?: string | undefined;
}

/** How blocks and transactions move through the network. */
export interface Flow {
  /** Transactions that wait in the composer. */
  readonly queued?: number | undefined;
  /** All that a conductor drives, other makes included. */
  readonly rollups: readonly RollupFacts[];
  readonly last?: LastTransaction | undefined;
}

export function flowOf({ queued, rollups, path: [newest] }: NetworkFacts): Flow {
  return { queued, rollups, last: newest === undefined ? undefined : lastOf(newest, rollups) };
}

function lastOf(journey: Journey, rollups: readonly RollupFacts[]): LastTransaction {
  const { hash, outcome, rollup, queuedAt, bundledAt, sequenced, executed, posted } = journey;
  const { text: state, why } = journeyState(journey, rollups);
  const known = outcome?.hash ?? hash;
  return { hash: known, submission: hash, rollup, state, why, queuedAt, bundledAt, sequenced, executed, posted };
}
