import { httpGet, jsonIn } from './http-get.ts';
import { valueAt } from './toml.ts';

/** What a running network says of itself; what cannot be had is left out. */
export interface Heights {
  readonly sequencer?: number;
  readonly rollup?: { readonly name?: string; readonly height?: number };
}

/** Asks the sequencer's RPC and the rollup's status page. */
export async function readHeights(urls: { rpc?: string | undefined; rollup?: string | undefined }): Promise<Heights> {
  const [rpc, rollup] = await Promise.all([
    urls.rpc === undefined ? undefined : fetchJson(`${urls.rpc}/status`),
    urls.rollup === undefined ? undefined : fetchJson(`${urls.rollup}/v1/status`),
  ]);
  const sequencer = whole(valueAt(rpc, ['result', 'sync_info', 'latest_block_height']));
  const name = valueAt(rollup, ['rollup']);
  const height = whole(valueAt(rollup, ['soft', 'number']));
  return {
    ...(sequencer === undefined ? {} : { sequencer }),
    ...(rollup === undefined
      ? {}
      : { rollup: { ...(typeof name === 'string' ? { name } : {}), ...(height === undefined ? {} : { height }) } }),
  };
}

function whole(value: unknown): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

async function fetchJson(url: string): Promise<unknown> {
  const answer = await httpGet(url).catch(() => undefined);
  return answer === undefined ? undefined : jsonIn(answer.body);
}
