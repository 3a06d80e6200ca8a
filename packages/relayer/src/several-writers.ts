import { DaTooExpensive, type DaWriter } from '@switchyard/da';
import { errorLine, type Logger } from '@switchyard/service';

export interface WriterOf {
  /** For people. */
  readonly url: string;
  readonly writer: DaWriter;
}

/**
 * Writers of one account over several nodes, one of which is used until a call to it fails. A call is made to one node as a
 * whole: the outcome of a transaction follows from several answers, which must not come from nodes at different heights.
 *
 * @param nodes At least one, in order of preference.
 */
export function severalWriters(nodes: readonly WriterOf[], log: Logger): DaWriter {
  let current = 0;
  async function call<T>(work: (writer: DaWriter) => Promise<T>, signal: AbortSignal): Promise<T> {
    const at = current;
    const node = nodes[at];
    if (node === undefined) return absent();
    try {
      return await work(node.writer);
    } catch (error) {
      const isOfNode = !signal.aborted && !(error instanceof DaTooExpensive);
      if (isOfNode && nodes.length > 1 && current === at) {
        current = (at + 1) % nodes.length;
        log.debug(
          { left: node.url, url: nodes[current]?.url, reason: errorLine(error) },
          'asking another node of the layer',
        );
      }
      throw error;
    }
  }
  return {
    chainId: (signal) => call((writer) => writer.chainId(signal), signal),
    balance: (signal) => call((writer) => writer.balance(signal), signal),
    prepare: (blobs, signal) => call((writer) => writer.prepare(blobs, signal), signal),
    submit: (prepared, signal) => call((writer) => writer.submit(prepared, signal), signal),
    blobsOf: (prepared) => (nodes[current] ?? absent()).writer.blobsOf(prepared),
    outcome: (prepared, signal) => call((writer) => writer.outcome(prepared, signal), signal),
  };
}

function absent(): never {
  throw new RangeError('no node was given');
}
