import type { ProgramName } from '@switchyard/stack/network';
import { USUAL_PORTS, usualListener, usualPort } from '@switchyard/stack/ports';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';

/** Port of the page that links to everything, before the offset of an instance. */
export const START_PAGE_PORT = 3000;

/** Ports of the nodes of an instance's own Celestia network. */
export const CELESTIA_PORTS = {
  appRpc: 27_650,
  appP2p: 27_651,
  appGrpc: 27_652,
  coreGrpc: 27_653,
  bridgeRpc: 27_654,
  bridgeP2p: 27_655,
  lightRpc: 27_656,
} as const;

export type CelestiaPort = keyof typeof CELESTIA_PORTS;

/** Every port of a local network, before the offset of an instance is added. All are bound on 127.0.0.1. */
export const PORTS: readonly number[] = [...USUAL_PORTS, START_PAGE_PORT, ...Object.values(CELESTIA_PORTS)];

/** The largest offset that keeps every port below 65,536. */
export const MAX_OFFSET = 65_535 - Math.max(...PORTS);

/** How far the port of a listener is from its usual place; `undefined` for a port that no offset gives. */
export function findOffset(port: number, program: Program, listener: string): number | undefined {
  const offset = port - usualPort(program, listener);
  return offset >= 0 && offset <= MAX_OFFSET ? offset : undefined;
}

/** The offset of the ports of an instance, by the RPC of its sequencer. */
export function findRpcOffset(sequencerRpc: string): number | undefined {
  return findOffset(Number(/:(\d+)\/?$/.exec(sequencerRpc)?.[1]), PROGRAMS.sequencer, 'rpc');
}

/** The ports of an instance's own Celestia network, which have the offset of its sequencer. */
export function celestiaPorts(sequencerRpc: string): Readonly<Record<CelestiaPort, number>> {
  const offset = findRpcOffset(sequencerRpc) ?? 0;
  const ports = Object.entries(CELESTIA_PORTS).map(([name, port]) => [name, port + offset]);
  // One for each of the names.
  return Object.fromEntries(ports) as Record<CelestiaPort, number>;
}

/** Port of the first process of a program, unless a file states another place. */
export function usualUrl(program: ProgramName, listener: string, offset = 0): string {
  return `http://${usualListener(PROGRAMS[program], listener, { offset })}`;
}
