import { whoseProcess } from '../instance/run-file.ts';
import type { PlannedService } from '../services/planned.ts';
import { requireFreePorts } from './port-check.ts';
import { ReservedPorts } from './reserved-ports.ts';

/** The ports of one run: free before a service is started, and reserved for it from then on. */
export class RunPorts {
  readonly ownerOf: (pid: number) => string | undefined;
  readonly #reserved = new ReservedPorts();

  /** @param home Of the instances that may own the process behind a port. */
  constructor(home: string) {
    this.ownerOf = whoseProcess(home);
  }

  /** @throws {Failure} with one line for each port that is taken. */
  async take(services: readonly Pick<PlannedService, 'own' | 'comet' | 'celestia' | 'ports'>[]): Promise<void> {
    await requireFreePorts(
      services.flatMap(({ ports }) => ports),
      this.ownerOf,
    );
    // A user's program need not set SO_REUSEADDR, as ours and those in Go do.
    const sharing = services.filter(({ own, comet, celestia }) => own || comet !== undefined || celestia !== undefined);
    await this.#reserved.add(sharing.flatMap(({ ports }) => ports.map(({ port }) => port)));
  }

  release(): Promise<void> {
    return this.#reserved.release();
  }
}
