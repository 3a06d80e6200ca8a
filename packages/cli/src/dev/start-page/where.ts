import type { PortUse } from '@switchyard/network/supervisor/spec';
import { Failure } from '@switchyard/service/failure';
import { type Instance, START_PAGE_KEY } from '../instance/instance.ts';
import { findRpcOffset, START_PAGE_PORT } from '../instance/ports.ts';

export type StartPageAddress = NonNullable<ReturnType<typeof startPageAddress>>;

/**
 * Address of the start page of a network: from its block, else on the usual port, as far from it as the
 * sequencer's RPC is; `undefined` if `start_page = ""`.
 *
 * @throws {Failure} on a value that is no address.
 */
export function startPageAddress({ network, paths }: Instance) {
  const where = `networks.${network.name}.${START_PAGE_KEY} in ${paths.networks}`;
  const use = (host: string, port: number): PortUse => ({
    ...{ service: 'start page', setting: START_PAGE_KEY, use: 'HTTP', where, host, port },
  });
  if (network.startPage === undefined) {
    const offset = findRpcOffset(network.sequencerRpc) ?? 0;
    // No file names this port, so a network starts without the page if it is taken.
    return { use: use('127.0.0.1', START_PAGE_PORT + offset), isUsual: true };
  }
  if (network.startPage === '') return undefined;
  const [, host, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(network.startPage) ?? [];
  if (host === undefined || Number(port) > 65_535) {
    throw new Failure(`${where}: expected host:port, or "" for none, got ${JSON.stringify(network.startPage)}`);
  }
  return { use: use(host, Number(port)), isUsual: false };
}
