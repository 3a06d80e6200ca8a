import type { Heights } from '../dev/status/heights.ts';
import type { LayerHeights, RollupHeights } from '../dev/status/network.ts';

/** Outcome of a transaction's execution, as its rollup reports it. */
export interface ExecutionOutcome {
  /** The hash that its users know it by. */
  readonly hash: string;
  /** Undefined while nothing is decided. What was skipped is in no block, and `why` is the reason. */
  readonly end?:
    | { readonly kind: 'succeeded' | 'reverted' }
    | { readonly kind: 'skipped'; readonly why: string }
    | undefined;
}

export interface RollupFacts extends RollupHeights {
  /** Its identity on the sequencer; unknown until it or its conductor has answered. */
  readonly id?: string | undefined;
  readonly name: string;
  /** The service that executes it; absent where the tool does not know which one does. */
  readonly service?: string | undefined;
  /** Blocks of the sequencer that it has not executed. */
  readonly lag?: number | undefined;
}

/** Resources that a service's process uses. */
export interface Usage {
  /** Percent of one core in the last seconds. */
  readonly cpuPercent?: number | undefined;
  readonly residentBytes: number;
}

/** Facts that the services report; absent until they have. */
export interface NetworkFacts extends Omit<Heights, 'layer'> {
  readonly rollups: readonly RollupFacts[];
  /** Lags by the name of the conductor. */
  readonly lags: Readonly<Record<string, number>>;
  readonly queued?: number | undefined;
  /** Progress of the relayer; absent without one that answers. */
  readonly layer?: (LayerHeights & { readonly service: string }) | undefined;
  /** Transactions that got into a sequencer block in each of the last seconds, oldest first. */
  readonly rates: readonly number[];
  /** Newest first. */
  readonly path: readonly Journey[];
  /** Resource usage by the name of the service, where the system shows it. */
  readonly usage: Readonly<Record<string, Usage>>;
  /** The time of day, in milliseconds since the Unix epoch. */
  readonly at?: number | undefined;
  /** When the sequencer was first seen at its height, on the clock of `at`. */
  readonly movedAt?: number | undefined;
  /** Free space if the instance is; absent where the system does not show it. */
  readonly disk?: Disk | undefined;
}

export interface Disk {
  readonly freeBytes: number;
  readonly level: 'ok' | 'warn' | 'fail';
  /** Suggested remedy if it is little. */
  readonly advice?: string | undefined;
}

/** Stands for the services that share one process in what is measured. */
export const SHARED = '';

export const NO_FACTS: NetworkFacts = { rollups: [], lags: {}, rates: [], path: [], usage: {} };

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
  /** Known for rollups of ours, and on the EVM rollup for what was submitted through its node. */
  readonly outcome?: ExecutionOutcome | undefined;
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
