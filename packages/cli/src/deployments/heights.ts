import { ifValid, object } from '@switchyard/service/input';
import { readJson, whole } from '../dev/files/read-json.ts';

/** How far the blocks of a deployment are. What is not known is absent. */
export interface Heights {
  /** Blocks of the rollup: executed, and final. */
  readonly soft?: number;
  readonly firm?: number;
  /** Newest height of the data-availability layer that is known. */
  readonly layer?: number;
  /** Newest block of the sequencer that was posted to it. */
  readonly posted?: number;
  /** Blocks of the sequencer that the rollup has not executed yet. */
  readonly behind?: number;
}

/** What is under way while everything works. */
const USUAL_BEHIND = 5;

const ofConductor = object({
  soft: ifValid(whole),
  firm: ifValid(whole),
  layerHead: ifValid(whole),
  postedHeight: ifValid(whole),
  lag: ifValid(whole),
});
const ofRelayer = object({ daHeight: ifValid(whole), postedHeight: ifValid(whole) });

/** @param body What the status page of a conductor has. */
export function conductorHeights(body: string): Heights {
  const { soft, firm, layerHead, postedHeight, lag } = readJson(body, ofConductor) ?? {};
  return known({ soft, firm, layer: layerHead, posted: postedHeight, behind: lag });
}

/** @param body What the status page of a relayer has: the layer is as high as its last transaction, or higher. */
export function relayerHeights(body: string): Heights {
  const { daHeight, postedHeight } = readJson(body, ofRelayer) ?? {};
  return known({ layer: daHeight, posted: postedHeight });
}

/** The same facts from several processes, of which the one that is ahead is right. */
export function newest(all: readonly Heights[]): Heights {
  const most = (key: keyof Heights) => {
    const values = all.flatMap((each) => each[key] ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  return known({
    soft: most('soft'),
    firm: most('firm'),
    layer: most('layer'),
    posted: most('posted'),
    behind: most('behind'),
  });
}

/** For people; empty where nothing is known. */
export function heightsText({ soft, firm, layer, posted, behind = 0 }: Heights): string {
  const named = Object.entries({ soft, firm, 'layer height': layer, 'posted sequencer block': posted });
  return [
    ...named.flatMap(([name, height]) => (height === undefined ? [] : [`${name} ${height}`])),
    ...(behind > USUAL_BEHIND ? [`catching up: ${behind} sequencer blocks to execute`] : []),
  ].join(', ');
}

function known(heights: { readonly [K in keyof Heights]: Heights[K] | undefined }): Heights {
  // What is left has a value.
  return Object.fromEntries(Object.entries(heights).filter(([, value]) => value !== undefined)) as Heights;
}

/** What prints the status page of a process, in its own container. */
export function statusCommand(port: number): readonly string[] {
  const program = `fetch('http://127.0.0.1:${port}/status').then((answer) => answer.text()).then((text) => console.log(text))`;
  return ['node', '-e', program];
}
