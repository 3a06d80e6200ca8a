import { ifValid, mapped, object, type Read, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '../dev/files/read-json.ts';
import { type Ask, type RollupReport, readHeights } from '../dev/status/heights.ts';
import type { ServiceUrl, Urls } from '../dev/status/urls.ts';
import { type ExecutedBlocks, type Journey, joinPath, type NetworkFacts, NO_FACTS, withRate } from './facts.ts';
import { askOutcomes, withOutcomes, withPlaces } from './outcomes.ts';

import { type ConductorReport, type Identity, rollupFacts } from './rollups.ts';

export interface PollState {
  readonly facts: NetworkFacts;
  readonly counted?: { readonly total: number; readonly at: number } | undefined;
  /** Identities of rollups, by service: known also while they do not answer. */
  readonly identities: Readonly<Record<string, Identity>>;
  /** The rollup that a conductor drives, by service. */
  readonly driven: Readonly<Record<string, string>>;
}

export const BEFORE_FIRST_POLL: PollState = { facts: NO_FACTS, identities: {}, driven: {} };

/** Polls all services concurrently. One that does not answer leaves only its own facts undefined. */
export async function poll(urls: Urls, before: PollState, ask: Ask, now: () => number): Promise<PollState> {
  const [{ rollups, layer, ...heights }, conductors, composer, recent] = await Promise.all([
    readHeights(urls, ask),
    Promise.all(urls.conductors.map((conductor) => askConductor(conductor, ask))),
    urls.composer && ask(`${urls.composer}/status`),
    urls.composer && ask(`${urls.composer}/v1/recent?limit=64`),
  ]);
  const { sequencerHeight } = heights;
  const identities = { ...before.identities, ...identitiesIn(rollups) };
  const driven = { ...before.driven, ...drivenIn(conductors) };
  const { itemsSequenced: total, queuedItems: queued } = readValue(composer, composerStatus) ?? {};
  const counted = total === undefined ? undefined : { total, at: now() };
  const { rates } = before.facts;
  const joined = joinPath(
    before.facts.path,
    readValue(recent, journeys) ?? [],
    conductors.flatMap(({ executed }) => executed ?? []),
  );
  const outcomes = await Promise.all(
    urls.rollups.flatMap((rollup) => {
      const id = identities[rollup.service]?.id;
      return id === undefined ? [] : [askOutcomes(rollup, id, joined, ask)];
    }),
  );
  return {
    counted,
    identities,
    driven,
    facts: {
      ...heights,
      usage: before.facts.usage,
      rollups: rollupFacts({ rollups, conductors, identities, driven, sequencerHeight, usualName: urls.rollupName }),
      lags: Object.fromEntries(conductors.flatMap(({ service, lag }) => (lag === undefined ? [] : [[service, lag]]))),
      queued,
      layer: layer && urls.relayer && { service: urls.relayer.service, ...layer },
      rates: counted === undefined ? rates : withRate(rates, before.counted, counted),
      path: await withPlaces(outcomes.reduce(withOutcomes, joined), urls.relayer?.url, ask),
    },
  };
}

async function askConductor({ service, url }: ServiceUrl, ask: Ask): Promise<ConductorReport> {
  const answer = await ask(`${url}/status`);
  const { rollup, soft, firm, firmLayerHeight: layerHeight, lag } = readValue(answer, conductorStatus) ?? {};
  return {
    service,
    rollup,
    height: soft,
    firm,
    layerHeight,
    lag: lag === undefined ? undefined : Math.max(0, lag),
    executed: readValue(answer, executedBlocks),
  };
}

const identitiesIn = (rollups: readonly RollupReport[]): Record<string, Identity> =>
  Object.fromEntries(
    rollups.flatMap(({ service, id, name }) =>
      id === undefined || name === undefined ? [] : [[service, { id, name }] as const],
    ),
  );

const drivenIn = (conductors: readonly ConductorReport[]): Record<string, string> =>
  Object.fromEntries(conductors.flatMap(({ service, rollup }) => (rollup === undefined ? [] : [[service, rollup]])));

const composerStatus = object({ itemsSequenced: ifValid(whole), queuedItems: ifValid(whole) });
const conductorStatus = object({
  rollup: ifValid(text),
  soft: ifValid(whole),
  firm: ifValid(whole),
  firmLayerHeight: ifValid(whole),
  lag: ifValid(whole),
});

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

const executedBlocks: Read<ExecutedBlocks> = mapped(
  object({
    rollup: text,
    nextHeight: whole,
    recentBlocks: validItems(object({ sequencerHeight: whole, number: whole, executedAt: whole })),
  }),
  ({ rollup, nextHeight, recentBlocks: blocks }) => ({ rollup, upTo: nextHeight - 1, blocks }),
);
