import { errorLine, type Logger } from '@switchyard/service';
import { DaTooExpensive } from '../layer.ts';

/**
 * Makes calls to one of several nodes of the layer, which is used until a call to it fails. A call is made to one node as a
 * whole: the outcome of a transaction follows from several answers, which must not come from nodes at different heights.
 *
 * @param nodes At least one, in order of preference.
 */
export function severalNodes<N extends { readonly url: string }>(nodes: readonly N[], log: Logger) {
  let current = 0;
  return async <T>(work: (node: N) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const at = current;
    const node = nodes[at];
    if (node === undefined) throw new RangeError('no node was given');
    try {
      return await work(node);
    } catch (error) {
      const isFault = !signal.aborted && !(error instanceof DaTooExpensive);
      if (isFault && nodes.length > 1 && current === at) {
        current = (at + 1) % nodes.length;
        const [left, url, reason] = [node.url, nodes[current]?.url, errorLine(error)];
        log.debug({ left, url, reason }, 'asking another node of the layer');
      }
      throw error;
    }
  };
}
