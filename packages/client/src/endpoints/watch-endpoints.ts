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
  /** Others that have not answered yet: they are not queried again, and nothing waits for them. */
  const wanted = new Set<Endpoint<T>>();
  while (!signal.aborted) {
    await sleep(LOOK_EVERY_MS, signal, clock).catch(() => undefined);
    const { current } = endpoints;
    const own = look(current, deps).then((found) => {
      if (!signal.aborted) found.report();
      return found;
    });
    for (const other of endpoints.all) {
      if (other === current || wanted.has(other)) continue;
      wanted.add(other);
      // The heights of one moment are compared: the active endpoint is not behind because another one has answered sooner.
      void Promise.all([look(other, deps), own]).then(([found]) => {
        wanted.delete(other);
        if (!signal.aborted) found.report();
      });
    }
    const { claimed = 0n } = await own;
    if (signal.aborted || current !== endpoints.current) continue;
    if (reading.next !== seen.next || current !== seen.endpoint || reading.isHeldUp || claimed <= reading.next) {
      seen = { next: reading.next, endpoint: current };
      movedAt = clock.now();
    } else if (clock.now() - movedAt >= STUCK_MS) {
      endpoints.reportFault(current, `it claims block ${claimed} and does not deliver block ${reading.next}`);
    }
  }
}

interface Look {
  /** Counts only once the node has proved it. */
  readonly claimed?: bigint;
  /** Passes on the findings. */
  report(): void;
}

async function look<T>(endpoint: Endpoint<T>, { endpoints, signal, latest, prove }: WatchDeps<T>): Promise<Look> {
  let claimed: bigint;
  try {
    claimed = await latest(endpoint.client, signal);
  } catch (error) {
    // The active endpoint is checked by who reads from it.
    return { report: () => endpoint !== endpoints.current && endpoints.reportFailure(endpoint, errorLine(error)) };
  }
  try {
    const proved = await prove(endpoint, claimed, signal);
    return { claimed, report: () => endpoints.reportHeight(endpoint, proved) };
  } catch (error) {
    if (error instanceof Rejected) {
      return {
        claimed,
        report: () => endpoints.reportFault(endpoint, `it claims block ${claimed}: ${errorLine(error)}`),
      };
    }
    return { claimed, report: () => endpoint !== endpoints.current && endpoints.reportHeight(endpoint) };
  }
}
