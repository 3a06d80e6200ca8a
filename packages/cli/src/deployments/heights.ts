import { plain } from '@switchyard/protocol/hidden-characters';
import { readJson } from '@switchyard/service/lenient';
import { conductorPage, relayerPage } from '../dev/status/pages.ts';

/** How far the blocks of a deployment are. Unknown heights are absent. */
export interface Heights {
  /** Blocks of the rollup: executed, and final. */
  readonly soft?: number | undefined;
  readonly firm?: number | undefined;
  /** Newest height of the data-availability layer that is known. */
  readonly layer?: number | undefined;
  /** Newest block of the sequencer that was posted to it. */
  readonly posted?: number | undefined;
  /** Blocks of the sequencer that the rollup has not executed yet. */
  readonly behind?: number | undefined;
  /** Why the sequencer makes no blocks, while it makes none. */
  readonly halt?: string | undefined;
}

/** Sequencer blocks that are under way while everything works. */
const USUAL_BEHIND = 5;

/** @param body Status page of a conductor, or of a relayer, whose last transaction is in the layer: that is as high, or higher. */
export function heightsIn(body: string): Heights {
  const { soft, firm, layerHead, lag } = readJson(body, conductorPage) ?? {};
  const { daHeight, postedHeight: posted, sequencerHalt: halt } = readJson(body, relayerPage) ?? {};
  return { soft, firm, layer: layerHead ?? daHeight, posted, behind: lag, halt };
}

/** Merges heights from several processes: the highest value is the newest. */
export function newest(all: readonly Heights[]): Heights {
  const most = (key: Exclude<keyof Heights, 'halt'>) => {
    const values = all.flatMap((each) => each[key] ?? []);
    return values.length === 0 ? undefined : Math.max(...values);
  };
  return {
    soft: most('soft'),
    firm: most('firm'),
    layer: most('layer'),
    posted: most('posted'),
    behind: most('behind'),
    halt: all.find(({ halt }) => halt !== undefined)?.halt,
  };
}

/** For people; empty if nothing is known. */
export function heightsLines({ soft, firm, layer, posted, behind = 0, halt }: Heights): readonly string[] {
  const named = Object.entries({ soft, firm, 'layer height': layer, 'posted sequencer block': posted });
  const heights = [
    ...named.flatMap(([name, height]) => (height === undefined ? [] : [`${name} ${height}`])),
    ...(behind > USUAL_BEHIND ? [`catching up: ${behind} sequencer blocks to execute`] : []),
  ];
  return [
    ...(heights.length === 0 ? [] : [heights.join(', ')]),
    ...(halt === undefined ? [] : [`the sequencer makes no blocks: ${plain(halt)}`]),
  ];
}

/** Command that prints the status page of a process, or another one, in its own container. */
export function statusCommand(port: number, path = 'status'): readonly string[] {
  const program = `fetch('http://127.0.0.1:${port}/${path}').then((answer) => answer.text()).then((text) => console.log(text))`;
  return ['node', '-e', program];
}
