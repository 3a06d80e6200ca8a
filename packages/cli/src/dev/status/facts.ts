import { type AskNode, findHalt } from '@switchyard/client/halt';
import { wallClock } from '@switchyard/service';
import { readValue, whole } from '@switchyard/service/lenient';
import { status } from '@switchyard/withdrawer/contract';
import type { LayerHeights, RollupHeights, Withdrawals } from './network.ts';
import {
  type Ask,
  type ConductorPage,
  conductorPage,
  fetchJson,
  type RollupPage,
  relayerPage,
  rollupPage,
  syncInfo,
} from './pages.ts';
import type { RollupUrl, ServiceUrl, Urls } from './urls.ts';

/** A rollup; the address is known for our own. */
export interface RollupFacts extends RollupHeights {
  readonly kind?: RollupUrl['kind'] | undefined;
  readonly url?: string | undefined;
  /** Service that executes it. */
  readonly service?: string | undefined;
  /** Its identity on the sequencer; unknown until it or its conductor has answered. */
  readonly id?: string | undefined;
  /** The name of its service, until it has answered once. */
  readonly name: string;
  readonly chainId?: number | string | undefined;
  /** Service that drives it. */
  readonly conductor?: string | undefined;
  /** Blocks of the sequencer that it has not executed. */
  readonly lag?: number | undefined;
}

/** The blocks that a conductor reports as executed by its rollup. */
export interface ExecutedBlocks {
  readonly rollup: string;
  /** Every sequencer block up to this height is executed. */
  readonly upTo: number;
  readonly blocks: NonNullable<ConductorPage['recentBlocks']>;
}

/** State of a running network as its services report it; a service that does not answer leaves only its own facts undefined. */
export interface Facts {
  readonly sequencerHeight?: number | undefined;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string | undefined;
  readonly rollups: readonly RollupFacts[];
  /** Progress of the relayer; absent if none answers. */
  readonly layer?: (LayerHeights & { readonly service: string }) | undefined;
  /** Withdrawers that do not answer are left out. */
  readonly withdrawals?: readonly Withdrawals[] | undefined;
  /** Lags by the name of the conductor. */
  readonly lags: Readonly<Record<string, number>>;
  readonly executed: readonly ExecutedBlocks[];
}

interface Conductor extends ConductorPage {
  readonly service: string;
  /** Identity of the rollup that it drives; of one without a session, the last that it had. */
  readonly drives?: string | undefined;
}

/**
 * Asks all services at once.
 *
 * @param known Rollups of the reading before, whose names and conductors are kept.
 */
export async function readFacts(urls: Urls, known: readonly RollupFacts[] = [], ask: Ask = fetchJson): Promise<Facts> {
  const [nodes, pages, conductors, posted, withdrawals] = await Promise.all([
    Promise.all(urls.rpcs.map((rpc) => ask(`${rpc}/status`))),
    Promise.all(urls.rollups.map((rollup) => askRollup(rollup, ask))),
    Promise.all(urls.conductors.map((conductor) => askConductor(conductor, known, ask))),
    urls.relayer && ask(`${urls.relayer.url}/status`),
    Promise.all(urls.withdrawers.map(async ({ service, url }) => withdrawalsIn(service, await ask(`${url}/status`)))),
  ]);
  const sequencerHeight = highest(nodes);
  const paid = withdrawals.flat();
  return {
    sequencerHeight,
    halt: await haltShown(urls.rpcs, nodes, ask),
    rollups: rollupFacts(
      urls.rollups.map((url, index) => ({ url, page: pages[index] ?? {} })),
      conductors,
      { known, sequencerHeight, usualName: urls.rollupName },
    ),
    layer:
      posted === undefined || urls.relayer === undefined
        ? undefined
        : { service: urls.relayer.service, ...layerIn(posted, sequencerHeight) },
    withdrawals: paid.length === 0 ? undefined : paid,
    lags: Object.fromEntries(conductors.flatMap(({ service, lag }) => (lag === undefined ? [] : [[service, lag]]))),
    executed: conductors.flatMap(executedIn),
  };
}

async function askRollup({ kind, url }: RollupUrl, ask: Ask): Promise<RollupPage> {
  return readValue(await ask(kind === 'evm' ? `${url}/status` : `${url}/v1/status`), rollupPage) ?? {};
}

async function askConductor({ service, url }: ServiceUrl, known: readonly RollupFacts[], ask: Ask): Promise<Conductor> {
  const page = readValue(await ask(`${url}/status`), conductorPage);
  const drives = page?.rollup ?? known.find(({ conductor }) => conductor === service)?.id;
  return { service, drives, ...page, lag: page?.lag === undefined ? undefined : Math.max(0, page.lag) };
}

function executedIn({ rollup, nextHeight, recentBlocks: blocks }: Conductor): ExecutedBlocks[] {
  const isComplete = rollup !== undefined && nextHeight !== undefined && blocks !== undefined;
  return isComplete ? [{ rollup, upTo: nextHeight - 1, blocks }] : [];
}

interface Context {
  readonly known: readonly RollupFacts[];
  readonly sequencerHeight: number | undefined;
  /** Name of a rollup that only its conductor reports. */
  readonly usualName: string;
}

/** Our rollups, each with the numbers of its own conductor, and then rollups of other makes, which only conductors report. */
function rollupFacts(
  wanted: readonly { readonly url: RollupUrl; readonly page: RollupPage }[],
  conductors: readonly Conductor[],
  { known, sequencerHeight, usualName }: Context,
): RollupFacts[] {
  const own = wanted.map(({ url, page }): RollupFacts => {
    const last = known.find(({ service }) => service === url.service);
    const id = page.rollupId ?? last?.id;
    const conductor = id === undefined ? undefined : conductors.find(({ drives }) => drives === id);
    const height = page.soft?.number;
    return {
      ...url,
      id,
      name: page.rollup ?? last?.name ?? url.service,
      chainId: page.chainId,
      conductor: conductor?.service,
      height,
      firm: page.firm?.number ?? conductor?.firm,
      layerHeight: page.firmLayerHeight ?? conductor?.firmLayerHeight,
      lag: height === undefined ? undefined : (conductor?.lag ?? distance(page.sequencerHeight, sequencerHeight)),
    };
  });
  const ids = new Set(own.map(({ id }) => id));
  // The identity of one of ours is not known before it has answered once.
  if (ids.has(undefined)) return own;
  const others = conductors.flatMap(({ service: conductor, drives: id, soft: height, firm, firmLayerHeight, lag }) =>
    id === undefined || ids.has(id) ? [] : [{ id, conductor, height, firm, layerHeight: firmLayerHeight, lag }],
  );
  return [...own, ...others.map((other) => ({ ...other, name: others.length > 1 ? shortId(other.id) : usualName }))];
}

/** Beginning and end of an identity or a hash. */
export const shortId = (id: string) => (id.length <= 13 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`);

const distance = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.max(0, to - from);

/**
 * In the answer of a relayer to `/status`.
 *
 * @param sequencer Height of the sequencer: a relayer that does not reach it knows an older one.
 */
function layerIn(answer: unknown, sequencer = 0): LayerHeights {
  const { sequencerHeight, postedHeight, daHeight: height } = readValue(answer, relayerPage) ?? {};
  const newest = Math.max(sequencer, sequencerHeight ?? 0);
  return { postedHeight, height, lag: newest === 0 ? undefined : distance(postedHeight, newest) };
}

/**
 * Why the sequencer makes no blocks.
 *
 * @param nodes Answers of the RPCs to `/status`, in their order.
 */
function haltShown(rpcs: readonly string[], nodes: readonly unknown[], fetched: Ask): Promise<string | undefined> {
  const resultIn = (answer: unknown) => readValue(answer, (input) => input.at('result').value);
  const ask: AskNode = async (rpc, method, params = {}) =>
    resultIn(await fetched(`${rpc}/${method}?${new URLSearchParams(params)}`));
  const wanted = rpcs.map((rpc, index) => ({ rpc, status: resultIn(nodes[index]) }));
  return findHalt(wanted, ask, wallClock.unixMs());
}

/** The height of a network is that of its first node in front, from the answers of their RPC to `/status`. */
function highest(nodes: readonly unknown[]): number | undefined {
  const heights = nodes.flatMap(
    (node) => readValue(node, (answer) => whole(syncInfo(answer).at('latest_block_height'))) ?? [],
  );
  return heights.length === 0 ? undefined : Math.max(...heights);
}

/** In the answer of a withdrawer to `/status`; none while it has read nothing. */
function withdrawalsIn(service: string, answer: unknown): Withdrawals[] {
  const read = readValue(answer, status.read);
  if (read === undefined) return [];
  const { rollup, paid, open, held, sheet } = read;
  const missing = sheet?.isBalanced === false ? sheet.surplus.replace('-', '') : undefined;
  return [{ service, rollup: rollup ?? undefined, paid, waiting: open - held, held, missing }];
}
