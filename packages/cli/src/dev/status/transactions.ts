import { ifValid, mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '@switchyard/service/lenient';
import { type Facts, readFacts } from './facts.ts';
import { type Journey, joinPath } from './journey.ts';
import { askOutcomes, withOutcomes, withPlaces } from './outcomes.ts';
import { type Ask, fetchJson } from './pages.ts';
import type { Urls } from './urls.ts';

/** A network with its transactions, followed from one poll to the next. */
export interface NetworkFacts extends Facts {
  readonly queued?: number | undefined;
  /** Transactions that got into a sequencer block since the composer has started; `at` is on the monotonic clock. */
  readonly counted?: { readonly total: number; readonly at: number } | undefined;
  /** Transactions that got into a sequencer block in each of the last seconds, oldest first. */
  readonly rates: readonly number[];
  /** Newest first. */
  readonly path: readonly Journey[];
}

export const NO_FACTS: NetworkFacts = { rollups: [], lags: {}, executed: [], rates: [], path: [] };

/** Asks the services, and what became of the newest transactions. */
export async function poll(
  urls: Urls,
  before: NetworkFacts,
  ask: Ask = fetchJson,
  now = () => performance.now(),
): Promise<NetworkFacts> {
  const [facts, composer, recent] = await Promise.all([
    readFacts(urls, before.rollups, ask),
    urls.composer && ask(`${urls.composer}/status`),
    urls.composer && ask(`${urls.composer}/v1/recent?limit=64`),
  ]);
  const { itemsSequenced: total, queuedItems: queued } = readValue(composer, composerPage) ?? {};
  const counted = total === undefined ? undefined : { total, at: now() };
  const joined = joinPath(before.path, readValue(recent, journeys) ?? [], facts.executed);
  const outcomes = await Promise.all(
    urls.rollups.flatMap((rollup) => {
      const id = facts.rollups.find(({ service }) => service === rollup.service)?.id;
      return id === undefined ? [] : [askOutcomes(rollup, id, joined, ask)];
    }),
  );
  return {
    ...facts,
    queued,
    counted,
    rates: counted === undefined ? before.rates : withRate(before.rates, before.counted, counted),
    path: await withPlaces(outcomes.reduce(withOutcomes, joined), urls.relayer?.url, ask),
  };
}

const composerPage = object({ itemsSequenced: ifValid(whole), queuedItems: ifValid(whole) });

const journey: Read<Journey> = mapped(
  object({
    hash: text,
    rollup: text,
    queuedAt: whole,
    bundledAt: ifValid(whole),
    sequencedAt: ifValid(whole),
    height: ifValid(whole),
    transaction: ifValid(text),
    refusedAt: ifValid(whole),
    reason: ifValid(text),
  }),
  ({ sequencedAt: at, height, transaction: bundle, refusedAt, reason, ...known }) => ({
    ...known,
    bundle,
    sequenced: at === undefined || height === undefined ? undefined : { at, height },
    refused: refusedAt === undefined ? undefined : { at: refusedAt, reason: reason ?? 'unknown' },
  }),
);
const journeys: Read<readonly Journey[]> = (recent) => validItems(journey)(recent.at('transactions'));

const RATES = 30;

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
