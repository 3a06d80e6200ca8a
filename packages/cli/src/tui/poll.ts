import { isTable, valueAt } from '../dev/files/toml.ts';
import { highest } from '../dev/status/heights.ts';
import { httpGet, jsonIn } from '../dev/supervisor/http-get.ts';
import { outcomesUrl, withOutcomes } from './evm-outcomes.ts';
import { type ExecutedBlocks, type Journey, joinPath, type NetworkFacts, withRate } from './facts.ts';

/** Where the services of a network can be asked; what a network does not have is absent. */
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

/** Asks all services at once. One that does not answer costs its own facts only. */
export async function poll(urls: Urls, before: PollState, ask: Ask, now: () => number): Promise<PollState> {
  const nodes = Promise.all(urls.rpcs.map((rpc) => ask(`${rpc}/status`)));
  const [rollup, composer, recent, ...conductors] = await Promise.all([
    urls.rollup ? ask(`${urls.rollup}/v1/status`) : urls.evm && ask(`${urls.evm}/status`),
    urls.composer && ask(`${urls.composer}/status`),
    urls.composer && ask(`${urls.composer}/v1/recent?limit=64`),
    ...urls.conductors.map((url) => ask(`${url}/status`)),
  ]);
  const sequencerHeight = highest(await nodes);
  const name = valueAt(rollup, ['rollup']);
  const height = whole(valueAt(rollup, ['soft', 'number'])) ?? whole(valueAt(conductors[0], ['soft']));
  const total = whole(valueAt(composer, ['itemsSequenced']));
  const counted = total === undefined ? undefined : { total, at: now() };
  const { rates } = before.facts;
  const joined = joinPath(before.facts.path, journeysIn(recent), conductors.flatMap(executedIn));
  const path = withOutcomes(joined, before.facts.path, undefined);
  const outcomes = urls.evm && outcomesUrl(urls.evm, path);
  return {
    counted,
    facts: {
      sequencerHeight,
      rollup: height === undefined ? undefined : { name: typeof name === 'string' ? name : undefined, height },
      lag: lagOf(conductors[0], rollup, sequencerHeight),
      queued: whole(valueAt(composer, ['queuedItems'])),
      rates: counted === undefined ? rates : withRate(rates, before.counted, counted),
      path: withOutcomes(path, [], outcomes && (await ask(outcomes))),
    },
  };
}

/** Blocks between the sequencer and the rollup: as the conductor reports, else computed from the rollup's height. */
function lagOf(conductor: unknown, rollup: unknown, sequencerHeight: number | undefined): number | undefined {
  const reported = whole(valueAt(conductor, ['lag']));
  if (reported !== undefined) return Math.max(0, reported);
  const executed = whole(valueAt(rollup, ['sequencerHeight']));
  return executed === undefined || sequencerHeight === undefined ? undefined : Math.max(0, sequencerHeight - executed);
}

function journeysIn(recent: unknown): Journey[] {
  return list(valueAt(recent, ['transactions'])).flatMap((each): Journey[] => {
    if (!isTable(each)) return [];
    const { hash, rollup, queuedAt, bundledAt, sequencedAt, height, refusedAt, reason } = each;
    const queued = whole(queuedAt);
    if (typeof hash !== 'string' || typeof rollup !== 'string' || queued === undefined) return [];
    const [at, block, refused] = [whole(sequencedAt), whole(height), whole(refusedAt)];
    return [
      {
        hash,
        rollup,
        queuedAt: queued,
        bundledAt: whole(bundledAt),
        sequenced: at === undefined || block === undefined ? undefined : { at, height: block },
        refused: refused === undefined ? undefined : { at: refused, reason: String(reason) },
      },
    ];
  });
}

function executedIn(conductor: unknown): ExecutedBlocks[] {
  const rollup = valueAt(conductor, ['rollup']);
  const next = whole(valueAt(conductor, ['nextHeight']));
  if (typeof rollup !== 'string' || next === undefined) return [];
  const blocks = list(valueAt(conductor, ['recentBlocks'])).flatMap((each) => {
    const [sequencerHeight, number, executedAt] = ['sequencerHeight', 'number', 'executedAt'].map((key) =>
      whole(valueAt(each, [key])),
    );
    return sequencerHeight === undefined || number === undefined || executedAt === undefined
      ? []
      : [{ sequencerHeight, number, executedAt }];
  });
  return [{ rollup, upTo: next - 1, blocks }];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function whole(value: unknown): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** One GET; whatever goes wrong, there is no answer. */
export async function askHttp(url: string): Promise<unknown> {
  try {
    const { status, body } = await httpGet(url);
    return status === 200 ? jsonIn(body) : undefined;
  } catch {
    return undefined;
  }
}
