/** Keeps asking all nodes how far they are, so that one which is late or stuck is left. */
import { Rejected } from '@switchyard/protocol';
import { type Clock, errorLine, sleep } from '@switchyard/service';
import type { Endpoint, Endpoints } from './endpoints.ts';

const LOOK_EVERY_MS = 2_000;
/** A node that claims to have blocks has to show them in this time; the newest one may lack its votes. */
const STUCK_MS = 15_000;

export interface WatchDeps<T> {
  readonly endpoints: Endpoints<T>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The newest height that a node claims. */
  latest(client: T, signal: AbortSignal): Promise<bigint>;
  /**
   * Resolves with the claimed height when the node has proved it: one node with a wrong number would make all others look late.
   *
   * @throws {Rejected} for an invalid proof. Any other error: there is no proof.
   */
  prove(endpoint: Endpoint<T>, claimed: bigint, signal: AbortSignal): Promise<bigint>;
}

/** Facts about a read under way, as far as they matter here. */
export interface Reading {
  readonly next: bigint;
  /** The reader is slower than the node. */
  readonly isHeldUp: boolean;
}

/** Runs until the signal aborts. */
export async function watchEndpoints<T>(reading: Reading, deps: WatchDeps<T>): Promise<void> {
  const { endpoints, clock, signal } = deps;
  let movedAt = clock.now();
  let seen = { next: reading.next, endpoint: endpoints.current };
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, signal, clock).catch(() => undefined);
    const { current } = endpoints;
    const heights = await Promise.all(endpoints.all.map((endpoint) => look(endpoint, deps)));
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

/** @returns the height that the node claims, which counts only once it has proved it. */
async function look<T>(endpoint: Endpoint<T>, deps: WatchDeps<T>): Promise<bigint | undefined> {
  const { endpoints, signal } = deps;
  let claimed: bigint;
  try {
    claimed = await deps.latest(endpoint.client, signal);
  } catch (error) {
    // The active endpoint is checked by who reads from it.
    if (!signal.aborted && endpoint !== endpoints.current) endpoints.reportFailure(endpoint, errorLine(error));
    return undefined;
  }
  try {
    endpoints.reportHeight(endpoint, await deps.prove(endpoint, claimed, signal));
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof Rejected) endpoints.reportFault(endpoint, `it claims block ${claimed}: ${errorLine(error)}`);
    else if (endpoint !== endpoints.current) endpoints.reportHeight(endpoint);
  }
  return claimed;
}
