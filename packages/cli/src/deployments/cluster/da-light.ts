import { systemClock, wallClock } from '@switchyard/service';
import { DA_LIGHT, DA_LIGHT_HEAD_COMMAND, daLightHeadText, readDaLightHead } from '@switchyard/stack';
import type { PartStatus } from '../target.ts';
import type { ClusterApi } from './api.ts';
import { type Installed, ofOne, WORKLOAD } from './labels.ts';

/** Adds its head to the facts about the data-availability node, or why it is unreachable; other parts stay unchanged. */
export async function withDaLightHead(
  api: Pick<ClusterApi, 'list' | 'run'>,
  rollup: Installed,
  part: PartStatus,
  wall = wallClock,
): Promise<PartStatus> {
  if (part.name !== DA_LIGHT) return part;
  const labels = { ...ofOne(rollup), [WORKLOAD]: DA_LIGHT };
  const { namespace } = rollup;
  const pods = await api.list('Pod', { namespace, labels });
  const running = pods.find(({ status }) =>
    status?.containerStatuses?.some(({ state }) => state?.running !== undefined),
  );
  const pod = running?.metadata?.name;
  if (pod === undefined) return part;
  return { ...part, note: `${part.note}, ${await getHead(api, namespace, pod, wall)}` };
}

const ASK_EVERY_MS = 10_000;

/** Shows the head while the node is waited for: queried now and then, and when anything else of the node has changed. */
export function daLightProgress(
  api: Pick<ClusterApi, 'list' | 'run'>,
  rollup: Installed,
  clock = systemClock,
): (part: PartStatus) => Promise<PartStatus> {
  let last: { readonly of: string; readonly atMs: number; readonly shown: PartStatus } | undefined;
  return async (part) => {
    if (part.name !== DA_LIGHT || part.isReady) return part;
    const atMs = clock.now();
    if (last === undefined || last.of !== part.note || atMs - last.atMs >= ASK_EVERY_MS)
      last = { of: part.note, atMs, shown: await withDaLightHead(api, rollup, part) };
    return last.shown;
  };
}

async function getHead(api: Pick<ClusterApi, 'run'>, namespace: string, pod: string, wall: typeof wallClock) {
  try {
    const printed = await api.run({ namespace, pod, container: DA_LIGHT }, DA_LIGHT_HEAD_COMMAND);
    return daLightHeadText(readDaLightHead(printed), wall.unixMs());
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
