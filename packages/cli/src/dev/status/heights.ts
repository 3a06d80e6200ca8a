import { valueAt } from '../files/toml.ts';
import { httpGet, jsonIn } from '../supervisor/http-get.ts';

/** Heights that a running network reports; those that are unavailable are left out. */
export interface Heights {
  readonly sequencer?: number;
  readonly rollup?: { readonly name?: string; readonly height?: number };
  readonly evm?: { readonly name?: string; readonly chainId?: number; readonly height?: number };
}

/** Asks the sequencer's RPC and the rollups' status pages. */
export async function readHeights(urls: {
  readonly rpcs?: readonly string[];
  readonly rollup?: string | undefined;
  readonly evm?: string | undefined;
}): Promise<Heights> {
  const [rollup, evm, ...nodes] = await Promise.all([
    urls.rollup === undefined ? undefined : fetchJson(`${urls.rollup}/v1/status`),
    urls.evm === undefined ? undefined : fetchJson(`${urls.evm}/status`),
    ...(urls.rpcs ?? []).map((rpc) => fetchJson(`${rpc}/status`)),
  ]);
  const sequencer = highest(nodes);
  const name = valueAt(rollup, ['rollup']);
  const height = whole(valueAt(rollup, ['soft', 'number']));
  return {
    ...(sequencer === undefined ? {} : { sequencer }),
    ...(rollup === undefined
      ? {}
      : { rollup: { ...(typeof name === 'string' ? { name } : {}), ...(height === undefined ? {} : { height }) } }),
    ...(evm === undefined ? {} : { evm: evmIn(evm) }),
  };
}

function evmIn(status: unknown): NonNullable<Heights['evm']> {
  const [name, chainId, height] = [
    valueAt(status, ['rollup']),
    whole(valueAt(status, ['chainId'])),
    whole(valueAt(status, ['soft', 'number'])),
  ];
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(chainId === undefined ? {} : { chainId }),
    ...(height === undefined ? {} : { height }),
  };
}

/** The height of a network is that of its first node in front, from the answers of their RPC to `/status`. */
export function highest(nodes: readonly unknown[]): number | undefined {
  const heights = nodes.flatMap((node) => whole(valueAt(node, ['result', 'sync_info', 'latest_block_height'])) ?? []);
  return heights.length === 0 ? undefined : Math.max(...heights);
}

function whole(value: unknown): number | undefined {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

async function fetchJson(url: string): Promise<unknown> {
  const answer = await httpGet(url).catch(() => undefined);
  return answer === undefined ? undefined : jsonIn(answer.body);
}
