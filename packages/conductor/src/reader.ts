/** Reads blocks from a sequencer in order of height, verifies them, and puts them into the buffer. */

import { Code, ConnectError } from '@connectrpc/connect';
import { type Endpoint, ProvenHeights, Unprovable, watchEndpoints } from '@switchyard/client';
import { decodeFilteredBlock, decodeSignedHeader, Rejected } from '@switchyard/protocol';
import { anySignal, backoffMs, errorLine, sleep } from '@switchyard/service';
import { type ActiveEndpoint, Cursor, type ReaderDeps, type ReaderOptions } from './cursor.ts';
import { PEER_BACKOFF } from './plan.ts';
import { pollBlocks } from './poll.ts';
import type { SequencerSource } from './source.ts';

/** A block that does not verify may have been damaged on its way: it is fetched again this many times. */
const SECOND_LOOKS = 3;

/**
 * Resolves when the last block of the session is in the buffer.
 *
 * @throws {Error} when a block keeps failing its checks, from any node. A sequencer that is away is waited for.
 */
export async function readBlocks(options: ReaderOptions, deps: ReaderDeps): Promise<void> {
  const { endpoints, contact, progress, log, clock, random, signal } = deps;
  const cursor = new Cursor(options, deps);
  const isSeveral = endpoints.all.length > 1;
  if (isSeveral) {
    const proofs = new ProvenHeights<Endpoint<SequencerSource>>({ chainId: options.chainId, clock });
    void watchEndpoints(cursor, {
      ...{ endpoints, clock, signal },
      latest: (client, cut) => client.latestHeight(cut),
      prove: (endpoint, claimed, cut) => proofs.prove(endpoint, endpoint.client, claimed, cut),
    });
  }
  const polled = new Set<Endpoint<SequencerSource>>();
  /** Nodes that have deleted the next block, or began after it. */
  const without = new Set<Endpoint<SequencerSource>>();
  let attempts = 0;
  let looks = 0;
  while (!cursor.done) {
    const { next } = cursor;
    const endpoint = endpoints.current;
    const { term } = endpoints;
    const mode = polled.has(endpoint) ? 'poll' : 'stream';
    const inUse: ActiveEndpoint = {
      source: endpoint.client,
      reportHeight(latest) {
        // How far it is counts when it is proved, which `watchEndpoints` sees to.
        endpoints.reportHeight(endpoint);
        cursor.reportHeight(latest);
      },
      signal: isSeveral ? anySignal(signal, term) : signal,
    };
    try {
      progress.reading(mode);
      await (mode === 'stream' ? streamBlocks(cursor, options, inUse) : pollBlocks(cursor, options, deps, inUse));
    } catch (error) {
      signal.throwIfAborted();
      if (cursor.next > next) {
        attempts = looks = 0;
        without.clear();
      }
      if (error instanceof Unprovable) throw error;
      // The other one begins at the end of this one.
      if (term.aborted) continue;
      if (mode === 'stream' && ConnectError.from(error).code === Code.Unimplemented) {
        log.info('the sequencer cannot push blocks; polling instead');
        polled.add(endpoint);
        continue;
      }
      if (ConnectError.from(error).code === Code.OutOfRange) {
        without.add(endpoint);
        if (without.size === endpoints.all.length) throw blockIsGone(cursor.next, error);
      }
      if (error instanceof Rejected) {
        progress.invalid();
        if (++looks > SECOND_LOOKS * endpoints.all.length)
          throw new Error(`cannot follow the sequencer: ${errorLine(error)}`, { cause: error });
        log.warn({ height: cursor.next, reason: errorLine(error) }, 'a block does not verify; asking for it again');
        endpoints.reportFault(endpoint, `block ${cursor.next} does not verify: ${errorLine(error)}`);
      } else {
        endpoints.reportFailure(endpoint, errorLine(error));
        if (!endpoints.isUsable) contact.lost(error);
      }
      // Another one is tried at once, but not again and again.
      if (++attempts < endpoints.all.length && endpoints.current !== endpoint) continue;
      await sleep(backoffMs(attempts, PEER_BACKOFF, random), signal, clock);
    }
  }
}

/** No node comes to have a block again, so waiting would hide the necessary action. */
function blockIsGone(height: bigint, cause: unknown): Error {
  const why = errorLine(cause);
  return new Error(
    `no sequencer node has block ${height}, which the rollup needs next: ${why}. Add a node that keeps it to SVC_CONDUCTOR_SEQUENCER_GRPC_URL and _COMETBFT_URL, or restore the rollup's data from a backup of a later block`,
    { cause },
  );
}

async function streamBlocks(
  cursor: Cursor,
  { rollup }: ReaderOptions,
  { source, reportHeight, signal }: ActiveEndpoint,
): Promise<void> {
  for await (const { blocks, latest } of source.streamFilteredBlocks(cursor.next, rollup, signal)) {
    reportHeight(latest);
    for (const { block, signedHeader } of blocks) {
      signal.throwIfAborted();
      await cursor.accept(decodeFilteredBlock(block), decodeSignedHeader(signedHeader));
      if (cursor.done) return;
    }
  }
  throw new Error('the sequencer ended the stream of blocks');
}
