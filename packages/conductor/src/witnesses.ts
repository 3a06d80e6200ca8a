/** Whether several nodes agree on where to begin. */
import { type Endpoint, type Endpoints, Unprovable } from '@switchyard/client';
import { equalBytes, headerHash, Rejected, type SignedHeader, toHex, verifyCommit } from '@switchyard/protocol';
import { errorLine } from '@switchyard/service';
import type { SequencerSource } from './source.ts';

/**
 * Asks the other nodes for a block without a trust anchor. Unreachable nodes are passed over.
 *
 * @throws {Unprovable} if another one shows a different block, as well signed.
 */
export async function compareFirst(
  chainId: string,
  signed: SignedHeader,
  endpoints: Endpoints<SequencerSource>,
  signal: AbortSignal,
): Promise<void> {
  const { height } = signed.header;
  const own = headerHash(signed.header);
  await Promise.all(
    endpoints.all.map(async (endpoint) => {
      if (endpoint === endpoints.current) return;
      const theirs = await provenHeader(chainId, height, endpoint, endpoints, signal);
      if (theirs === undefined || equalBytes(theirs, own)) return;
      throw new Unprovable(
        `two sequencer nodes show different blocks ${height}: ${endpoints.current.url} ${toHex(own)}, ${endpoint.url} ${toHex(theirs)}; say which is right with SVC_CONDUCTOR_TRUSTED_HEIGHT and SVC_CONDUCTOR_TRUSTED_HASH`,
      );
    }),
  );
}

async function provenHeader(
  chainId: string,
  height: bigint,
  endpoint: Endpoint<SequencerSource>,
  endpoints: Endpoints<SequencerSource>,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const signed = await endpoint.client.commit(height, signal);
    verifyCommit(chainId, await endpoint.client.validators(height, signal), signed);
    return headerHash(signed.header);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Rejected) endpoints.reportFault(endpoint, errorLine(error));
    return undefined;
  }
}
