import {
  type Endpoint,
  type Endpoints,
  ProvenHeights,
  type Reading,
  type SequencerClient,
  watchEndpoints,
} from '@switchyard/client';
import { toHex } from '@switchyard/protocol';
import { anySignal, type Clock, sleep } from '@switchyard/service';
import { type IsReset, isReset } from '../is-reset.ts';
import type { SequencerIndexer } from '../sequencer/indexer.ts';
import { oneOf, Stranger } from './one-of.ts';

/** Calls that the explorer makes to a node. */
export type SequencerNode = Pick<
  SequencerClient,
  | 'status'
  | 'block'
  | 'executedBlocks'
  | 'validators'
  | 'commit'
  | 'streamFilteredBlocks'
  | 'filteredBlock'
  | 'balances'
  | 'nonce'
  | 'bridgeAccount'
>;

/** The sequencer behind some nodes, as if they were one. @param chainId That of the first that answers, if undefined. */
export function toSequencer(endpoints: Endpoints<SequencerNode>, chainId?: string): SequencerNode {
  // The chain of a single node is checked by its indexer.
  if (endpoints.all.length === 1) return endpoints.current.client;
  let expected = chainId;
  const check = async ({ client }: Endpoint<SequencerNode>, signal: AbortSignal) => {
    const { chainId: got } = await client.status(signal);
    expected ??= got;
    if (got !== expected) throw new Stranger(`it runs chain ${got}, expected ${expected}`);
  };
  return {
    ...oneOf(endpoints, check),
    streamFilteredBlocks: (from, rollup, signal) =>
      endpoints.current.client.streamFilteredBlocks(from, rollup, anySignal(signal, endpoints.term)),
  };
}

export const isSequencerReset = (endpoints: Endpoints<SequencerNode>): IsReset =>
  isReset(endpoints, {
    latest: async (client, signal) => Number((await client.status(signal)).latestHeight),
    findHash: async (client, height, signal) => toHex((await client.block(BigInt(height), signal)).id.hash),
  });

/** Leaves a node that lags, or that does not deliver its claimed blocks. Runs until the signal aborts. */
export async function watchSequencer(
  endpoints: Endpoints<SequencerNode>,
  indexer: Pick<SequencerIndexer, 'state'> & Reading,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (endpoints.all.length === 1) return;
  let { chainId } = indexer.state();
  for (; chainId === undefined; { chainId } = indexer.state()) {
    await sleep(FIRST_LOOK_MS, signal, clock).catch(() => undefined);
    if (signal.aborted) return;
  }
  const proofs = new ProvenHeights<Endpoint<SequencerNode>>({ chainId, clock });
  await watchEndpoints(indexer, {
    ...{ endpoints, clock, signal },
    latest: async (client, cut) => (await client.status(cut)).latestHeight,
    prove: (endpoint, claimed, cut) => proofs.prove(endpoint, endpoint.client, claimed, cut),
  });
}

const FIRST_LOOK_MS = 500;
