import { type AskNode, haltOf } from '@switchyard/client/halt';
import { wallClock } from '@switchyard/service';
import { type Input, ifValid, object, text } from '@switchyard/service/input';
import { readValue, whole } from '../files/read-json.ts';
import { httpGet, jsonIn } from '../supervisor/http-get.ts';
import { type Withdrawals, type WithdrawerUrl, withdrawalsIn } from './withdrawals.ts';

/** Heights that a running network reports; those that are unavailable are left out. */
export interface Heights {
  readonly sequencerHeight?: number | undefined;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string | undefined;
  readonly rollup?: RollupHeights | undefined;
  readonly evm?: (RollupHeights & { readonly chainId?: number | string | undefined }) | undefined;
  readonly layer?: LayerHeights | undefined;
  /** Withdrawers that do not answer are left out. */
  readonly withdrawals?: readonly Withdrawals[] | undefined;
}

export interface RollupHeights {
  readonly name?: string | undefined;
  /** Height of the newest block, which is soft. */
  readonly height?: number | undefined;
  readonly firm?: number | undefined;
  /** Height of the data-availability layer at which the firm block was found. */
  readonly layerHeight?: number | undefined;
}

/** Progress of the relayer. */
export interface LayerHeights {
  /** Newest sequencer height that is posted. */
  readonly postedHeight?: number | undefined;
  /** Height of the layer that has the newest posted block. */
  readonly height?: number | undefined;
  /** Blocks of the sequencer that are not posted yet. */
  readonly lag?: number | undefined;
}

/** Common part of the status pages of messenger and EVM rollup. */
export const rollupStatus = object({
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
export function layerIn(status: unknown, sequencer = 0): LayerHeights {
  const { sequencerHeight, postedHeight, daHeight: height } = readValue(status, relayerStatus) ?? {};
  const newest = Math.max(sequencer, sequencerHeight ?? 0);
  const lag = postedHeight === undefined || newest === 0 ? undefined : Math.max(0, newest - postedHeight);
  return { postedHeight, height, lag };
}

/** One GET of a JSON value; undefined on any failure. */
export type Ask = (url: string) => Promise<unknown>;

/** Addresses of the services that know heights. */
export interface HeightUrls {
  readonly rpcs?: readonly string[];
  readonly rollup?: string | undefined;
  readonly evm?: string | undefined;
  readonly relayer?: string | undefined;
  readonly withdrawers?: readonly WithdrawerUrl[];
}

/** Asks the sequencer's RPC and the rollups' status pages. */
export async function readHeights(urls: HeightUrls, ask: Ask = fetchJson): Promise<Heights> {
  const asked = (urls.withdrawers ?? []).map(async ({ service, url }) =>
    withdrawalsIn(service, await ask(`${url}/status`)),
  );
  const [rollup, evm, relayer, ...nodes] = await Promise.all([
    urls.rollup === undefined ? undefined : ask(`${urls.rollup}/v1/status`),
    urls.evm === undefined ? undefined : ask(`${urls.evm}/status`),
    urls.relayer === undefined ? undefined : ask(`${urls.relayer}/status`),
    ...(urls.rpcs ?? []).map((rpc) => ask(`${rpc}/status`)),
  ]);
  const sequencerHeight = highest(nodes);
  const withdrawals = (await Promise.all(asked)).flat();
  const halt = await haltShown(urls.rpcs ?? [], nodes, ask);
  const { chainId: _, ...messenger } = rollupIn(rollup);
  return {
    sequencerHeight,
    halt,
    rollup: rollup === undefined ? undefined : messenger,
    evm: evm === undefined ? undefined : rollupIn(evm),
    layer: relayer === undefined ? undefined : layerIn(relayer, sequencerHeight),
    withdrawals: withdrawals.length === 0 ? undefined : withdrawals,
  };
}

/**
 * Why the sequencer makes no blocks.
 *
 * @param nodes Answers of the RPCs to `/status`, in their order.
 */
export function haltShown(
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

function rollupIn(status: unknown): NonNullable<Heights['evm']> {
  const { rollup: name, chainId, soft, firm, firmLayerHeight: layerHeight } = readValue(status, rollupStatus) ?? {};
  return { name, chainId, height: soft?.number, firm: firm?.number, layerHeight };
}

/** The height of a network is that of its first node in front, from the answers of their RPC to `/status`. */
export function highest(nodes: readonly unknown[]): number | undefined {
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

async function fetchJson(url: string): Promise<unknown> {
  const answer = await httpGet(url).catch(() => undefined);
  return answer === undefined ? undefined : jsonIn(answer.body);
}
