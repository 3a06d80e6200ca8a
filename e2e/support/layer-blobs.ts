import { createCelestiaReader, type DaBlock, getFirstBlock } from '@switchyard/da';
import type { Namespace } from '@switchyard/protocol/celestia';
import { silentLogger } from '@switchyard/service';
import { until } from './network.ts';

interface LightNode {
  readonly url: string;
  readonly token?: { readonly file: string; readonly setting: string } | undefined;
}

/** Heights that are read at a time. */
const AT_ONCE = 4;

/**
 * Blobs in some namespaces, at all heights of a layer, verified as a conductor does; its first block is believed.
 *
 * @param more Blocks of the layer that are waited for before.
 */
export async function layerBlobs(node: LightNode, namespaces: readonly Namespace[], more = 0n): Promise<DaBlock[]> {
  const { signal } = new AbortController();
  const reader = createCelestiaReader({ ...node, ...(await getFirstBlock(node, signal)) }, { log: silentLogger });
  const before = await reader.head(signal);
  const head = await until('blocks of the layer', async () => {
    const found = await reader.head(signal);
    return found >= before + more ? found : undefined;
  });
  const blocks: DaBlock[] = [];
  for (let from = 1n; from <= head; from += BigInt(AT_ONCE)) {
    const heights = Array.from({ length: AT_ONCE }, (_, index) => from + BigInt(index)).filter((at) => at <= head);
    blocks.push(...(await Promise.all(heights.map((height) => reader.read(height, namespaces, signal)))));
  }
  return blocks;
}
