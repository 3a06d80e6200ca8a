import { httpGet, jsonIn } from '@switchyard/network/supervisor/http-get';
import { type Input, ifValid, object, text, validItems } from '@switchyard/service/input';
import { readValue, whole } from '@switchyard/service/lenient';

/*
 * Status pages of our processes, for all commands that read them. A value that is missing, or of another kind, is undefined.
 */

const number = ifValid(whole);
const words = ifValid(text);
const block = ifValid(object({ number }));

/** The common part of the pages of messenger and EVM rollup. */
export const rollupPage = object({
  rollup: words,
  rollupId: words,
  chainId: ifValid<number | string>((input) => (typeof input.value === 'string' ? text(input) : whole(input))),
  sequencerHeight: number,
  soft: block,
  firm: block,
  firmLayerHeight: number,
});
export type RollupPage = Partial<ReturnType<typeof rollupPage>>;

export const relayerPage = object({
  account: words,
  balance: number,
  isBalanceLow: ifValid((input: Input) => input.value === true),
  sequencerHeight: number,
  postedHeight: number,
  daHeight: number,
  waitsFor: words,
  sequencerTrouble: words,
  sequencerHalt: words,
  daTrouble: words,
});
export type RelayerPage = Partial<ReturnType<typeof relayerPage>>;

export const conductorPage = object({
  rollup: words,
  sequencerHeight: number,
  sequencerHalt: words,
  nextHeight: number,
  soft: number,
  firm: number,
  firmLayerHeight: number,
  lag: number,
  layerHead: number,
  layerRead: number,
  /** Up to here nothing of the layer is left to be found. */
  layerComplete: number,
  postedHeight: number,
  recentBlocks: ifValid(validItems(object({ sequencerHeight: whole, number: whole, executedAt: whole }))),
  rollupTrouble: words,
  layerTrouble: words,
  unprovenBlobs: words,
});
export type ConductorPage = Partial<ReturnType<typeof conductorPage>>;

/** One GET of a JSON value; undefined on any failure. */
export type Ask = (url: string) => Promise<unknown>;

export async function fetchJson(url: string): Promise<unknown> {
  const answer = await httpGet(url).catch(() => undefined);
  return answer?.status === 200 ? jsonIn(answer.body) : undefined;
}

/** In the answer of a sequencer's RPC to `/status`. */
export const syncInfo = (status: Input): Input => status.at('result').at('sync_info');

/** The oldest and the newest block that a node of the sequencer has. @returns `undefined` if it does not answer. */
export async function keptBlocks(rpc: string) {
  return readValue(await fetchJson(`${rpc}/status`), (status) => ({
    oldest: whole(syncInfo(status).at('earliest_block_height')),
    newest: whole(syncInfo(status).at('latest_block_height')),
  }));
}
