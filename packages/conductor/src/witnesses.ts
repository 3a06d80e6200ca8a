/** Several nodes: which of them is behind or stuck, and whether they agree on where to begin. */
import { type Endpoint, type Endpoints, ProvenHeights } from '@switchyard/client';
import { equalBytes, headerHash, Rejected, type SignedHeader, toHex, verifyCommit } from '@switchyard/protocol';
import { type Clock, errorLine, sleep } from '@switchyard/service';
import type { SequencerSource } from './source.ts';
import { Unprovable } from './trust.ts';

const LOOK_EVERY_MS = 2_000;
/** A node that claims to have blocks has to show them in this time; the newest one may lack its votes. */
const STUCK_MS = 15_000;

export interface WatchDeps {
  readonly chainId: string;
  readonly endpoints: Endpoints<SequencerSource>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What is being read, as far as it matters here. */
export interface Reading {
  readonly next: bigint;
  /** The rollup is slower than the sequencer. */
  readonly isHeldUp: boolean;
}

/**
 * Keeps asking all nodes how far they are, so that one which is late or stuck is left. Until the signal aborts. A height
 * counts only with a commit for it, or one node with a wrong number would make all others look late.
 */
export async function watchNodes(reading: Reading, { chainId, endpoints, clock, signal }: WatchDeps): Promise<void> {
  const proofs = new ProvenHeights<Endpoint<SequencerSource>>({ chainId, clock });
  let movedAt = clock.now();
  let seen = { next: reading.next, endpoint: endpoints.current };
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, signal, clock).catch(() => undefined);
    const { current } = endpoints;
    const heights = await Promise.all(endpoints.all.map((endpoint) => look(endpoint, { endpoints, proofs, signal })));
    const claimed = heights[endpoints.all.indexOf(current)] ?? 0n;
    if (signal.aborted || current !== endpoints.current) continue;
    if (reading.next !== seen.next || current !== seen.endpoint || reading.isHeldUp || claimed <= reading.next) {
      seen = { next: reading.next, endpoint: current };
      movedAt = clock.now();
    } else if (clock.now() - movedAt >= STUCK_MS) {
      endpoints.reportFault(current, `it claims block ${claimed} and does not deliver block ${reading.next}`);
    }
  }
}

interface LookDeps {
  readonly endpoints: Endpoints<SequencerSource>;
  readonly proofs: ProvenHeights<Endpoint<SequencerSource>>;
  readonly signal: AbortSignal;
}

/** @returns the height that the node claims, which counts only once it has proved it. */
async function look(
  endpoint: Endpoint<SequencerSource>,
  { endpoints, proofs, signal }: LookDeps,
): Promise<bigint | undefined> {
  let claimed: bigint;
  try {
    claimed = await endpoint.client.latestHeight(signal);
  } catch (error) {
    // The active endpoint is checked by its stream.
    if (!signal.aborted && endpoint !== endpoints.current) endpoints.reportFailure(endpoint, errorLine(error));
    return undefined;
  }
  try {
    endpoints.reportHeight(endpoint, await proofs.prove(endpoint, endpoint.client, claimed, signal));
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof Rejected) endpoints.reportFault(endpoint, `it claims block ${claimed}: ${errorLine(error)}`);
    else if (endpoint !== endpoints.current) endpoints.reportHeight(endpoint);
  }
  return claimed;
}

/**
 * Asks the other nodes for a block without a trust anchor. Those that cannot be asked are passed over.
 *
 * @throws {Unprovable} where another one shows a different block, as well signed.
 */
export async function compareFirst(
  chainId: string,
  signed: SignedHeader,
  endpoints: Endpoints<SequencerSource>,
  signal: AbortSignal,
): Promise<void> {
  const { height } = signed.header;
  const ours = headerHash(signed.header);
  await Promise.all(
    endpoints.all.map(async (endpoint) => {
      if (endpoint === endpoints.current) return;
      const theirs = await provenHeader(chainId, height, endpoint, endpoints, signal);
      if (theirs === undefined || equalBytes(theirs, ours)) return;
      throw new Unprovable(
        `two sequencer nodes show different blocks ${height}: ${endpoints.current.url} ${toHex(ours)}, ${endpoint.url} ${toHex(theirs)}; say which is right with SVC_CONDUCTOR_TRUSTED_HEIGHT and SVC_CONDUCTOR_TRUSTED_HASH`,
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
