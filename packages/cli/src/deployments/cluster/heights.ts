import { type AskNode, findHalt } from '@switchyard/client/halt';
import { plain } from '@switchyard/protocol/hidden-characters';
import { type WallClock, wallClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { readJson } from '@switchyard/service/lenient';
import {
  getPorts,
  isNode,
  LAYER_PORTS,
  objectName,
  partName,
  RELAYER,
  SEQUENCER,
  sequencerPod,
} from '@switchyard/stack';
import { NODE_PORTS } from '@switchyard/stack/ports';
import { type Heights, heightsIn, statusCommand } from '../heights.ts';
import type { PartStatus } from '../target.ts';
import type { ClusterApi, ContainerRef } from './api.ts';
import type { Installed } from './labels.ts';

/** The heights of a deployment, and its parts, of which one has why they are not known. */
export interface WithHeights {
  readonly heights: Heights;
  readonly parts: readonly PartStatus[];
}

/** Heights of a rollup, as its conductor reports them. */
export function rollupHeights(
  api: Pick<ClusterApi, 'run'>,
  { name, namespace }: Installed,
  parts: readonly PartStatus[],
): Promise<WithHeights> {
  const node = parts.map((each) => each.name).find(isNode) ?? 'evm';
  const container = { namespace, pod: `${objectName(name, node)}-0`, container: 'conductor' };
  return ask(api, { part: node, container, port: getPorts('conductor').health ?? 0 }, parts);
}

/** Heights of a sequencer network, as its relayer reports them; none if it has no relayer. */
export function networkHeights(
  api: Pick<ClusterApi, 'run'>,
  { name, namespace }: Installed,
  parts: readonly PartStatus[],
): Promise<WithHeights> {
  const container = { namespace, pod: `${partName(name, RELAYER)}-0`, container: RELAYER };
  return ask(api, { part: RELAYER, container, port: LAYER_PORTS.relayer.health }, parts);
}

/** Why a sequencer network makes no blocks, as its first node shows it; undefined also if that is unreachable. */
export async function networkHalt(
  api: Pick<ClusterApi, 'run'>,
  { name, namespace }: Installed,
  wall: WallClock = wallClock,
): Promise<string | undefined> {
  const container = { namespace, pod: sequencerPod(name, 0), container: SEQUENCER };
  const ask: AskNode = async (_, method, params = {}) => {
    try {
      const command = statusCommand(NODE_PORTS.rpc, `${method}?${new URLSearchParams(params)}`);
      return readJson(await api.run(container, command), (input) => input.at('result').value);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return undefined;
    }
  };
  const rpc = container.pod;
  return findHalt([{ rpc, status: await ask(rpc, 'status') }], ask, wall.unixMs());
}

interface Question {
  readonly part: string;
  readonly container: ContainerRef;
  readonly port: number;
}

/** Asked in the container, since the pods need not be reachable from here. */
async function ask(api: Pick<ClusterApi, 'run'>, { part, container, port }: Question, parts: readonly PartStatus[]) {
  if (!parts.some(({ name }) => name === part)) return { heights: {}, parts };
  try {
    return { heights: heightsIn(await api.run(container, statusCommand(port))), parts };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const reason = `heights are not known: ${plain(error.message)}`;
    return {
      heights: {},
      parts: parts.map((each) => (each.name === part ? { ...each, note: `${each.note}, ${reason}` } : each)),
    };
  }
}
