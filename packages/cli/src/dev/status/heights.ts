import { type AskNode, haltOf } from '@switchyard/client/halt';
import { wallClock } from '@switchyard/service';
import { type Input, ifValid, object, text } from '@switchyard/service/input';
import { readValue, whole } from '../files/read-json.ts';
import { httpGet, jsonIn } from '../supervisor/http-get.ts';
import { type Withdrawals, type WithdrawerUrl, withdrawalsIn } from './withdrawals.ts';

/** Heights that a running network reports; those that are unavailable are left out. */
export interface Heights {
  readonly sequencer?: number;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string;
  readonly rollup?: RollupHeights;
  readonly evm?: RollupHeights & { readonly chainId?: number | string };
  readonly layer?: LayerHeights;
  /** Withdrawers that do not answer are left out. */
  readonly withdrawals?: readonly Withdrawals[];
}

export interface RollupHeights {
  readonly name?: string;
  /** Height of the newest block, which is soft. */
  readonly height?: number;
  readonly firm?: number;
  /** Height of the data-availability layer at which the firm block was found. */
  readonly layerHeight?: number;
}

/** Progress of the relayer. */
export interface LayerHeights {
  /** Newest sequencer height that is posted. */
  readonly postedHeight?: number;
  /** Height of the layer that has the newest posted block. */
  readonly height?: number;
  /** Blocks of the sequencer that are not posted yet. */
  readonly lag?: number;
}

/** Common part of the status pages of messenger and EVM rollup. */
export const rollupStatus = object({
  rollup: ifValid(text),
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
  return {
    ...(postedHeight === undefined ? {} : { postedHeight }),
    ...(height === undefined ? {} : { height }),
    ...(postedHeight === undefined || newest === 0 ? {} : { lag: Math.max(0, newest - postedHeight) }),
  };
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
  const sequencer = highest(nodes);
  const withdrawals = (await Promise.all(asked)).flat();
  const halt = await haltShown(urls.rpcs ?? [], nodes, ask);
  const { chainId: _, ...messenger } = rollupIn(rollup);
  return {
    ...(sequencer === undefined ? {} : { sequencer }),
    ...(halt === undefined ? {} : { halt }),
    ...(rollup === undefined ? {} : { rollup: messenger }),
    ...(evm === undefined ? {} : { evm: rollupIn(evm) }),
    ...(relayer === undefined ? {} : { layer: layerIn(relayer, sequencer) }),
    ...(withdrawals.length === 0 ? {} : { withdrawals }),
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
  return {
    ...(name === undefined ? {} : { name }),
    ...(chainId === undefined ? {} : { chainId }),
    ...(soft?.number === undefined ? {} : { height: soft.number }),
    ...(firm?.number === undefined ? {} : { firm: firm.number }),
    ...(layerHeight === undefined ? {} : { layerHeight }),
  };
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
