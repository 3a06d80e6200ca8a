import { type AskNode, haltOf } from '@switchyard/client/halt';
import { wallClock } from '@switchyard/service';
import { type Input, ifValid, object, text } from '@switchyard/service/input';
import { status } from '@switchyard/withdrawer/contract';
import { readValue, whole } from '../files/read-json.ts';
import { httpGet, jsonIn } from '../supervisor/http-get.ts';
import type { LayerHeights, RollupHeights, Withdrawals } from './network.ts';
import type { RollupUrl, Urls } from './urls.ts';

/** Heights that a running network reports; those that are unavailable are left out. */
export interface Heights {
  readonly sequencerHeight?: number | undefined;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string | undefined;
  readonly layer?: LayerHeights | undefined;
  /** Withdrawers that do not answer are left out. */
  readonly withdrawals?: readonly Withdrawals[] | undefined;
}

/** Response of one of our rollups; without numbers when it does not answer. */
export interface RollupReport extends RollupHeights, RollupUrl {
  /** Its identity on the sequencer. */
  readonly id?: string | undefined;
  readonly chainId?: number | string | undefined;
  /** Height of the newest sequencer block that it has executed. */
  readonly executedTo?: number | undefined;
}

/** Common part of the status pages of messenger and EVM rollup. */
const rollupStatus = object({
  rollup: ifValid(text),
  rollupId: ifValid(text),
  chainId: ifValid<number | string>((input) => (typeof input.value === 'string' ? text(input) : whole(input))),
  sequencerHeight: ifValid(whole),
  soft: ifValid(object({ number: ifValid(whole) })),
  firm: ifValid(object({ number: ifValid(whole) })),
  firmLayerHeight: ifValid(whole),
});

const relayerStatus = object({
  sequencerHeight: ifValid(whole),
  postedHeight: ifValid(whole),
  daHeight: ifValid(whole),
});

/**
 * In the answer of a relayer to `/status`.
 *
 * @param sequencer Height of the sequencer: a relayer that does not reach it knows an older one.
 */
function layerIn(status: unknown, sequencer = 0): LayerHeights {
  const { sequencerHeight, postedHeight, daHeight: height } = readValue(status, relayerStatus) ?? {};
  const newest = Math.max(sequencer, sequencerHeight ?? 0);
  const lag = postedHeight === undefined || newest === 0 ? undefined : Math.max(0, newest - postedHeight);
  return { postedHeight, height, lag };
}

/** One GET of a JSON value; undefined on any failure. */
export type Ask = (url: string) => Promise<unknown>;

/** Asks the sequencer's RPC, the rollups, the relayer and the withdrawers. One that does not answer leaves only its own facts undefined. */
export async function readHeights(
  { rpcs, rollups: asked, relayer, withdrawers }: Urls,
  ask: Ask = fetchJson,
): Promise<Heights & { readonly rollups: readonly RollupReport[] }> {
  const [nodes, rollups, posted, withdrawals] = await Promise.all([
    Promise.all(rpcs.map((rpc) => ask(`${rpc}/status`))),
    Promise.all(asked.map((rollup) => askRollup(rollup, ask))),
    relayer && ask(`${relayer.url}/status`),
    Promise.all(withdrawers.map(async ({ service, url }) => withdrawalsIn(service, await ask(`${url}/status`)))),
  ]);
  const sequencerHeight = highest(nodes);
  const paid = withdrawals.flat();
  return {
    sequencerHeight,
    halt: await haltShown(rpcs, nodes, ask),
    rollups,
    layer: posted === undefined ? undefined : layerIn(posted, sequencerHeight),
    withdrawals: paid.length === 0 ? undefined : paid,
  };
}

/**
 * Why the sequencer makes no blocks.
 *
 * @param nodes Answers of the RPCs to `/status`, in their order.
 */
function haltShown(
  rpcs: readonly string[],
  nodes: readonly unknown[],
  fetched: (url: string) => Promise<unknown>,
): Promise<string | undefined> {
  const resultOf = (answer: unknown) => readValue(answer, (input) => input.at('result').value);
  const ask: AskNode = async (rpc, method, params = {}) =>
    resultOf(await fetched(`${rpc}/${method}?${new URLSearchParams(params)}`));
  const asked = rpcs.map((rpc, index) => ({ rpc, status: resultOf(nodes[index]) }));
  return haltOf(asked, ask, wallClock.unixMs());
}

async function askRollup(rollup: RollupUrl, ask: Ask): Promise<RollupReport> {
  const { kind, url } = rollup;
  const status = readValue(await ask(kind === 'evm' ? `${url}/status` : `${url}/v1/status`), rollupStatus);
  const { rollup: name, rollupId: id, chainId, sequencerHeight: executedTo, soft, firm } = status ?? {};
  const numbers = { height: soft?.number, firm: firm?.number, layerHeight: status?.firmLayerHeight };
  return { ...rollup, name, id, chainId, executedTo, ...numbers };
}

/** The first rollup of a kind. */
export const rollupOf = (wanted: RollupUrl['kind'], rollups: readonly RollupReport[]): RollupReport | undefined =>
  rollups.find(({ kind }) => kind === wanted);

/** The height of a network is that of its first node in front, from the answers of their RPC to `/status`. */
function highest(nodes: readonly unknown[]): number | undefined {
  const heights = nodes.flatMap(
    (node) => readValue(node, (status) => whole(syncInfo(status).at('latest_block_height'))) ?? [],
  );
  return heights.length === 0 ? undefined : Math.max(...heights);
}

/** The oldest and the newest block that a node of the sequencer has. @returns `undefined` where it does not answer. */
export async function keptBlocks(
  rpc: string,
): Promise<{ readonly oldest: number; readonly newest: number } | undefined> {
  return readValue(await fetchJson(`${rpc}/status`), (status) => ({
    oldest: whole(syncInfo(status).at('earliest_block_height')),
    newest: whole(syncInfo(status).at('latest_block_height')),
  }));
}

/** In the answer of a sequencer's RPC to `/status`. */
export const syncInfo = (status: Input): Input => status.at('result').at('sync_info');

/** One GET; undefined on any failure. */
export async function fetchJson(url: string): Promise<unknown> {
  const answer = await httpGet(url).catch(() => undefined);
  return answer?.status === 200 ? jsonIn(answer.body) : undefined;
}

/** In the answer of a withdrawer to `/status`; none while it has read nothing. */
function withdrawalsIn(service: string, answer: unknown): Withdrawals[] {
  const read = readValue(answer, status.read);
  if (read === undefined) return [];
  const { rollup, paid, open, held, sheet } = read;
  const missing = sheet?.isBalanced === false ? sheet.surplus.replace('-', '') : undefined;
  return [{ service, rollup: rollup ?? undefined, paid, waiting: open - held, held, missing }];
}
