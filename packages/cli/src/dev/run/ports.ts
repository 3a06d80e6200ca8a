import { anySignal } from '@switchyard/service';
import { ownerOf } from '../instance/run-file.ts';
import type { PlannedService } from '../services/planned.ts';
import type { PortUse } from '../supervisor/spec.ts';
import { requireFreePorts } from './port-check.ts';
import { ReservedPorts } from './reserved-ports.ts';

interface RunPortsOptions {
  /** Home of the instances that may own the process behind a port. */
  readonly home: string;
  readonly onNotice: (line: string) => void;
  /** Ends the wait for a port. */
  readonly signal?: AbortSignal | undefined;
}

/** The ports of one run: free before a service is started, and reserved for it from then on. */
export class RunPorts {
  readonly #options: RunPortsOptions;
  readonly #reserved = new ReservedPorts();
  readonly #released = new AbortController();

  constructor(options: RunPortsOptions) {
    this.#options = options;
  }

  /** @throws {Failure} when one is taken, and does not become free by itself. */
  requireFree(uses: readonly PortUse[]): Promise<void> {
    const { home, onNotice, signal } = this.#options;
    const signals = [this.#released.signal, ...(signal === undefined ? [] : [signal])];
    return requireFreePorts(uses, { whose: ownerOf(home), onWait: onNotice, signal: anySignal(...signals) });
  }

  /** @throws {Failure} as {@link requireFree}. */
  async take(services: readonly Pick<PlannedService, 'own' | 'comet' | 'celestia' | 'ports'>[]): Promise<void> {
    await this.requireFree(services.flatMap(({ ports }) => ports));
    // A user's program need not set SO_REUSEADDR, as ours and those in Go do.
    const sharing = services.filter(({ own, comet, celestia }) => own || comet !== undefined || celestia !== undefined);
    await this.#reserved.add(sharing.flatMap(({ ports }) => ports.map(({ port }) => port)));
  }

  release(): Promise<void> {
    this.#released.abort();
    return this.#reserved.release();
  }
}
