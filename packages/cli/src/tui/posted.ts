import { object, validItems } from '@switchyard/service/input';
import { readValue, whole } from '../dev/files/read-json.ts';
import type { Ask } from '../dev/status/heights.ts';
import type { Journey } from './facts.ts';

/** Largest number of heights in one response of the relayer. */
const SPAN = 1_000;

const postedBlocks = object({
  blocks: validItems(object({ height: whole, daHeight: whole, at: whole })),
});

/** Adds where the layer has the sequencer blocks of the newest transactions, with one request while that is not known. */
export async function withPlaces(
  path: readonly Journey[],
  relayer: string | undefined,
  ask: Ask,
): Promise<readonly Journey[]> {
  const heights = path.flatMap(({ sequenced, posted }) =>
    sequenced === undefined || posted !== undefined ? [] : [sequenced.height],
  );
  const to = Math.max(...heights);
  const from = Math.max(Math.min(...heights), to - SPAN + 1);
  if (relayer === undefined || heights.length === 0) return path;
  const { blocks } = readValue(await ask(`${relayer}/v1/posted?from=${from}&to=${to}`), postedBlocks) ?? { blocks: [] };
  const places = new Map(blocks.map(({ height, daHeight, at }) => [height, { at, layerHeight: daHeight }]));
  return path.map((journey) => {
    const posted = journey.posted ?? places.get(journey.sequenced?.height ?? 0);
    return posted === undefined ? journey : { ...journey, posted };
  });
}
