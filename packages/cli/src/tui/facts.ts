/** What the EVM node reports about a transaction that was submitted through it. */
export interface EvmOutcome {
  /** The hash that wallets know it by. */
  readonly hash: string;
  /** Undefined while nothing is decided. What was skipped is in no block, and `why` is the reason. */
  readonly end?:
    | { readonly kind: 'succeeded' | 'reverted' }
    | { readonly kind: 'skipped'; readonly why: string }
    | undefined;
}

/** What the services report; absent until they have. */
export interface NetworkFacts {
  readonly sequencerHeight?: number | undefined;
  readonly rollup?: { readonly name?: string | undefined; readonly height?: number | undefined } | undefined;
  /** Blocks of the sequencer that the rollup has not executed. */
  readonly lag?: number | undefined;
  readonly queued?: number | undefined;
  /** Transactions that got into a sequencer block in each of the last seconds, oldest first. */
  readonly rates: readonly number[];
  /** Newest first. */
  readonly path: readonly Journey[];
}

/** The path of one transaction; times in milliseconds since the Unix epoch. */
export interface Journey {
  readonly hash: string;
  readonly rollup: string;
  readonly queuedAt: number;
  readonly bundledAt?: number | undefined;
  readonly sequenced?: { readonly at: number; readonly height: number } | undefined;
  /** Without a time when the execution was not observed by a poll. */
  readonly executed?: { readonly at?: number | undefined; readonly block?: number | undefined } | undefined;
  readonly refused?: { readonly at: number; readonly reason: string } | undefined;
  /** Set when it was submitted through our EVM node. */
  readonly evm?: EvmOutcome | undefined;
}

/** The blocks that a conductor reports as executed by its rollup. */
export interface ExecutedBlocks {
  readonly rollup: string;
  /** Every sequencer block up to this height is executed. */
  readonly upTo: number;
  readonly blocks: readonly {
    readonly sequencerHeight: number;
    readonly number: number;
    readonly executedAt: number;
  }[];
}

const KEPT_JOURNEYS = 200;
const RATES = 30;

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
    const key = `${journey.rollup} ${journey.hash} ${journey.queuedAt}`;
    const newer = joined.get(key);
    if (newer === undefined) joined.set(key, journey);
    else if (newer.executed?.at === undefined && journey.executed !== undefined) {
      joined.set(key, { ...newer, sequenced: journey.sequenced, executed: journey.executed });
    }
  }
  return [...joined.values()]
    .map((journey) => withExecution(journey, executed))
    .sort((a, b) => b.queuedAt - a.queuedAt)
    .slice(0, KEPT_JOURNEYS);
}

function withExecution(journey: Journey, executed: readonly ExecutedBlocks[]): Journey {
  const { sequenced, rollup } = journey;
  if (sequenced === undefined || journey.executed?.at !== undefined) return journey;
  const of = executed.find((each) => each.rollup === rollup);
  const block = of?.blocks.find(({ sequencerHeight }) => sequencerHeight === sequenced.height);
  if (block !== undefined) {
    // The composer polls for its transactions and may see a block after the rollup has executed it.
    const at = Math.min(sequenced.at, block.executedAt);
    return { ...journey, sequenced: { ...sequenced, at }, executed: { at: block.executedAt, block: block.number } };
  }
  return of !== undefined && of.upTo >= sequenced.height ? { ...journey, executed: {} } : journey;
}

/** Appends the rate between two readings of a counter. A restarted service counts from zero. */
export function withRate(
  rates: readonly number[],
  before: { readonly total: number; readonly at: number } | undefined,
  now: { readonly total: number; readonly at: number },
): readonly number[] {
  if (before === undefined || now.at <= before.at) return rates;
  const counted = now.total >= before.total ? now.total - before.total : now.total;
  return [...rates, (counted * 1_000) / (now.at - before.at)].slice(-RATES);
}
