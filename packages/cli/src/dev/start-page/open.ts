import type { PortUse } from '@switchyard/network/supervisor/spec';
import { Failure } from '@switchyard/service/failure';
import type { Programs } from '../run/banner.ts';
import type { RunPorts } from '../run/ports.ts';
import type { RunningInstance } from '../run/running.ts';
import type { PlannedService } from '../services/planned.ts';
import { toUrl } from '../status/urls.ts';
import { type StartPageAddress, startPageAddress } from './where.ts';

/**
 * The address of the start page, free at this moment; `undefined` if there is to be none, or its usual port is taken.
 *
 * @throws {Failure} when the port was chosen in a file and is taken.
 */
export async function claimStartPage(
  { instance, services }: Pick<RunningInstance, 'instance' | 'services'>,
  { ports, onNotice }: { readonly ports: Pick<RunPorts, 'requireFree'>; readonly onNotice: (line: string) => void },
): Promise<PortUse | undefined> {
  const address = startPageAddress(instance);
  if (address === undefined) return undefined;
  try {
    requireApart(address, services);
    await ports.requireFree([address.use]);
    return address.use;
  } catch (error) {
    if (!address.isUsual || !(error instanceof Failure)) throw error;
    onNotice(`no start page: ${error.message.split('\n')[0]}`);
    return undefined;
  }
}

function requireApart({ use }: StartPageAddress, services: readonly PlannedService[]): void {
  const other = services.flatMap(({ ports }) => ports).find(({ port }) => port !== 0 && port === use.port);
  if (other === undefined) return;
  throw new Failure(
    `port ${use.port}: given to the start page (${use.where}) and to ${other.service} (${other.where})`,
  );
}

interface OpenOptions {
  readonly env: NodeJS.ProcessEnv;
  /** How the user calls our command lines. */
  readonly programs: Programs;
  readonly onNotice: (line: string) => void;
}

/** Serves the page. @returns a function that ends it; `undefined` if the port was taken in the meantime. */
export async function openStartPage(use: PortUse, running: RunningInstance, { env, programs, onNotice }: OpenOptions) {
  const { serveStartPage } = await import('./server.ts');
  const { createPageFacts } = await import('./page-facts.ts');
  const { findNetworkPages } = await import('../config/settings.ts');
  try {
    const pages = findNetworkPages(running.instance);
    const server = await serveStartPage({ use, env, pages, describe: createPageFacts(running, programs) });
    return { url: toUrl({ ...use, port: server.port }), close: () => server.close() };
  } catch (error) {
    onNotice(`no start page: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
