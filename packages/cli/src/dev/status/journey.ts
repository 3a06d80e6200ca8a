import type { ExecutedBlocks, RollupFacts } from './facts.ts';

/** Outcome of a transaction's execution, as its rollup reports it. */
export interface ExecutionOutcome {
  /** The hash that its users know it by. */
  readonly hash: string;
  /** Undefined while nothing is decided. A skipped transaction is in no block, and `why` is the reason. */
  readonly end?:
    | { readonly kind: 'succeeded' | 'reverted' }
    | { readonly kind: 'skipped'; readonly why: string }
    | undefined;
}

/** The path of one transaction; times in milliseconds since the Unix epoch. */
export interface Journey {
  readonly hash: string;
  readonly rollup: string;
  readonly queuedAt: number;
  readonly bundledAt?: number | undefined;
  readonly sequenced?: { readonly at: number; readonly height: number } | undefined;
  /** To the data-availability layer; by the relayer's clock. */
  readonly posted?: { readonly at: number; readonly layerHeight: number } | undefined;
  /** Without a time when the execution was not observed by a poll. */
  readonly executed?: { readonly at?: number | undefined; readonly block?: number | undefined } | undefined;
  readonly refused?: { readonly at: number; readonly reason: string } | undefined;
  /** The sequencer transaction that carries it. */
  readonly bundle?: string | undefined;
  /** Known for rollups of ours, and on the EVM rollup for transactions submitted through its node. */
  readonly outcome?: ExecutionOutcome | undefined;
}

const KEPT_JOURNEYS = 200;

/**
 * Joins the newest transactions of the composer with the executed blocks that conductors report. Known facts are kept:
 * both services forget them soon.
 */
export function joinPath(
  known: readonly Journey[],
  fromComposer: readonly Journey[],
  executed: readonly ExecutedBlocks[],
): readonly Journey[] {
  const joined = new Map<string, Journey>();
  for (const journey of [...fromComposer, ...known]) {
    const key = journeyKey(journey);
    const newer = joined.get(key);
    joined.set(key, newer === undefined ? journey : withKnown(newer, journey));
  }
  return [...joined.values()]
    .map((journey) => withExecution(journey, executed))
    .sort((a, b) => b.queuedAt - a.queuedAt)
    .slice(0, KEPT_JOURNEYS);
}

function withKnown(newer: Journey, { sequenced, executed, outcome, posted }: Journey): Journey {
  const both = { ...newer, ...(outcome !== undefined && { outcome }), ...(posted !== undefined && { posted }) };
  return newer.executed?.at === undefined && executed !== undefined ? { ...both, sequenced, executed } : both;
}

/** Key that tells submissions apart: the same bytes may be submitted again. */
export const journeyKey = ({ rollup, hash, queuedAt }: Journey) => `${rollup} ${hash} ${queuedAt}`;

function withExecution(journey: Journey, executed: readonly ExecutedBlocks[]): Journey {
  const { sequenced, rollup } = journey;
  if (sequenced === undefined || journey.executed?.at !== undefined) return journey;
  const item = executed.find((each) => each.rollup === rollup);
  const block = item?.blocks.find(({ sequencerHeight }) => sequencerHeight === sequenced.height);
  if (block !== undefined) {
    // The composer polls for its transactions and may see a block after the rollup has executed it.
    const at = Math.min(sequenced.at, block.executedAt);
    return { ...journey, sequenced: { ...sequenced, at }, executed: { at: block.executedAt, block: block.number } };
  }
  return item !== undefined && item.upTo >= sequenced.height ? { ...journey, executed: {} } : journey;
}

export interface JourneyState {
  readonly text: string;
  /** How the theme shows it. */
  readonly paint: 'good' | 'pending' | 'bad';
  /** Why it is in no block, or without effect. */
  readonly why?: string | undefined;
}

/** The progress of a transaction, and its outcome. */
export function journeyState(journey: Journey, rollups: readonly RollupFacts[]): JourneyState {
  const { bundledAt, sequenced, executed, refused, outcome } = journey;
  if (refused !== undefined) return { text: 'refused', paint: 'bad', why: refused.reason };
  if (outcome?.end?.kind === 'skipped') {
    const [, kind = 'skipped', why] = /^(refused|replaced):? ?(.*)$/.exec(outcome.end.why) ?? [];
    return { text: kind, paint: 'bad', why: why ?? outcome.end.why };
  }
  if (outcome?.end?.kind === 'reverted') return { text: 'reverted', paint: 'bad' };
  if (isFirm(journey, rollups)) return { text: 'firm', paint: 'good' };
  if (executed !== undefined) return { text: 'executed', paint: 'good' };
  if (sequenced !== undefined) return { text: 'sequenced', paint: 'pending' };
  return { text: bundledAt === undefined ? 'queued' : 'bundled', paint: 'pending' };
}

/** Whether the rollup block that holds it is final. */
export function isFirm({ rollup, executed }: Journey, rollups: readonly RollupFacts[]): boolean {
  const firm = rollups.find(({ id }) => id === rollup)?.firm;
  return executed?.block !== undefined && firm !== undefined && executed.block <= firm;
}
