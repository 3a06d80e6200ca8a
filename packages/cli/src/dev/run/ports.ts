import type { PortUse } from '@switchyard/network/supervisor/spec';
import { anySignal } from '@switchyard/service';
import { getOwner } from '../instance/run-file.ts';
import type { PlannedService } from '../services/planned.ts';
import { requireFreePorts } from './port-check.ts';
import { ReservedPorts } from './reserved-ports.ts';

interface RunPortsOptions {
  /** Home of the instances that may own the process behind a port. */
  readonly home: string;
  readonly onNotice: (line: string) => void;
  /** Ends the wait for a port. */
  readonly signal?: AbortSignal | undefined;
}

export type RunPorts = ReturnType<typeof runPorts>;

/** The ports of one run: free before a service is started, and reserved for it from then on. */
export function runPorts({ home, onNotice, signal }: RunPortsOptions) {
  const reserved = new ReservedPorts();
  const released = new AbortController();
  const ended = anySignal(released.signal, ...(signal === undefined ? [] : [signal]));
  /** @throws {Failure} when one is taken, and does not become free on its own. */
  const requireFree = (uses: readonly PortUse[]) =>
    requireFreePorts(uses, { whose: getOwner(home), onWait: onNotice, signal: ended });
  return {
    requireFree,
    /** @throws {Failure} as {@link requireFree}. */
    async take(services: readonly Pick<PlannedService, 'own' | 'comet' | 'celestia' | 'ports'>[]): Promise<void> {
      await requireFree(services.flatMap(({ ports }) => ports));
      // A user's program need not set SO_REUSEADDR, as ours and those in Go do.
      const sharing = services.filter((each) => each.own || each.comet !== undefined || each.celestia !== undefined);
      await reserved.add(sharing.flatMap(({ ports }) => ports.map(({ port }) => port)));
    },
    release(): Promise<void> {
      released.abort();
      return reserved.release();
    },
  };
}
