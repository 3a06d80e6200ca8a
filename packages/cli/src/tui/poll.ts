import { ifValid, mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '../dev/files/read-json.ts';
import { highest, rollupStatus } from '../dev/status/heights.ts';
import { httpGet, jsonIn } from '../dev/supervisor/http-get.ts';
import { outcomesUrl, withOutcomes } from './evm-outcomes.ts';
import { type ExecutedBlocks, type Journey, joinPath, type NetworkFacts, withRate } from './facts.ts';

/** The status endpoints of a network; those of services that it does not have are absent. */
export interface Urls {
  /** Of the nodes of the sequencer. */
  readonly rpcs: readonly string[];
  readonly rollup?: string | undefined;
  readonly evm?: string | undefined;
  readonly composer?: string | undefined;
  readonly conductors: readonly string[];
}

export type Ask = (url: string) => Promise<unknown>;

export interface PollState {
  readonly facts: NetworkFacts;
  readonly counted?: { readonly total: number; readonly at: number } | undefined;
}

/** Polls all services concurrently. One that does not answer leaves only its own facts undefined. */
export async function poll(urls: Urls, before: PollState, ask: Ask, now: () => number): Promise<PollState> {
  const nodes = Promise.all(urls.rpcs.map((rpc) => ask(`${rpc}/status`)));
  const [rollup, composer, recent, ...conductors] = await Promise.all([
    urls.rollup ? ask(`${urls.rollup}/v1/status`) : urls.evm && ask(`${urls.evm}/status`),
    urls.composer && ask(`${urls.composer}/status`),
    urls.composer && ask(`${urls.composer}/v1/recent?limit=64`),
    ...urls.conductors.map((url) => ask(`${url}/status`)),
  ]);
  const sequencerHeight = highest(await nodes);
  const { rollup: name, soft, sequencerHeight: executed } = readValue(rollup, rollupStatus) ?? {};
  const conductor = readValue(conductors[0], object({ soft: ifValid(whole), lag: ifValid(whole) }));
  const height = soft?.number ?? conductor?.soft;
  const { itemsSequenced: total, queuedItems: queued } = readValue(composer, composerStatus) ?? {};
  const counted = total === undefined ? undefined : { total, at: now() };
  const { rates } = before.facts;
  const joined = joinPath(
    before.facts.path,
    readValue(recent, journeys) ?? [],
    conductors.flatMap((each) => readValue(each, executedBlocks) ?? []),
  );
  const path = withOutcomes(joined, before.facts.path, undefined);
  const outcomes = urls.evm && outcomesUrl(urls.evm, path);
  return {
    counted,
    facts: {
      sequencerHeight,
      rollup: height === undefined ? undefined : { name, height },
      lag: lagOf(conductor?.lag, executed, sequencerHeight),
      queued,
      rates: counted === undefined ? rates : withRate(rates, before.counted, counted),
      path: withOutcomes(path, [], outcomes && (await ask(outcomes))),
    },
  };
}

const composerStatus = object({ itemsSequenced: ifValid(whole), queuedItems: ifValid(whole) });

/** Blocks between the sequencer and the rollup: as the conductor reports, else computed from the rollup's height. */
function lagOf(
  reported: number | undefined,
  executed: number | undefined,
  sequencerHeight: number | undefined,
): number | undefined {
  if (reported !== undefined) return Math.max(0, reported);
  return executed === undefined || sequencerHeight === undefined ? undefined : Math.max(0, sequencerHeight - executed);
}

const journey: Read<Journey> = mapped(
  object({
    hash: text,
    rollup: text,
    queuedAt: whole,
    bundledAt: ifValid(whole),
    sequencedAt: ifValid(whole),
    height: ifValid(whole),
    refusedAt: ifValid(whole),
    reason: ifValid(text),
  }),
  ({ sequencedAt: at, height, refusedAt, reason, ...known }) => ({
    ...known,
    sequenced: at === undefined || height === undefined ? undefined : { at, height },
    refused: refusedAt === undefined ? undefined : { at: refusedAt, reason: reason ?? 'unknown' },
  }),
);
const journeys: Read<readonly Journey[]> = (recent) => validItems(journey)(recent.at('transactions'));

const executedBlocks: Read<ExecutedBlocks> = mapped(
  object({
    rollup: text,
    nextHeight: whole,
    recentBlocks: validItems(object({ sequencerHeight: whole, number: whole, executedAt: whole })),
  }),
  ({ rollup, nextHeight, recentBlocks: blocks }) => ({ rollup, upTo: nextHeight - 1, blocks }),
);

/** One GET; undefined on any failure. */
export async function askHttp(url: string): Promise<unknown> {
  try {
    const { status, body } = await httpGet(url);
    return status === 200 ? jsonIn(body) : undefined;
  } catch {
    return undefined;
  }
}
