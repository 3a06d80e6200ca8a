import { type Kind, PROGRAM_NAMES } from './network.ts';
import type { Program } from './process.ts';
import { sequencer } from './processes/sequencer.ts';
import { PROGRAMS } from './programs.ts';

/* Ports of processes that a file does not state: those in the defaults of a program, and others for its further processes. */

interface Usual {
  /** Which of the processes of the program it is. */
  readonly kind?: Kind | undefined;
  /** Added to every port of the network. */
  readonly offset?: number;
}

/** @param listener One of the program's, or `metrics`. */
export function usualPort(program: Program, listener: string, { kind, offset = 0 }: Usual = {}): number {
  const field = listener === 'metrics' ? program.fields.metricsHttpListenerAddr : program.listeners[listener]?.field;
  const usual = /\d+$/.exec(field?.fallback ?? '')?.[0];
  return ((kind && program.further?.[kind]?.[listener]) ?? Number(usual)) + offset;
}

/** The usual address of a listener, on loopback. */
export const usualListener = (...item: Parameters<typeof usualPort>): string => `127.0.0.1:${usualPort(...item)}`;

/** Usual ports of some of a program's listeners, and that of its metrics. */
export function usualPorts<Name extends string>(
  program: Program,
  ...listeners: readonly Name[]
): Readonly<Record<Name | 'metrics', number>> {
  const ports = [...listeners, 'metrics'].map((listener) => [listener, usualPort(program, listener)]);
  // One for each of the names.
  return Object.fromEntries(ports) as Record<Name | 'metrics', number>;
}

const ports = [
  ...PROGRAM_NAMES.flatMap((name) => {
    const program: Program = PROGRAMS[name];
    const listeners = Object.entries(program.listeners).filter(([, { engine }]) => engine !== 'cometbft');
    const usual = [...listeners.map(([listener]) => listener), 'metrics'].map((each) => usualPort(program, each));
    return [...usual, ...Object.values(program.further ?? {}).flatMap((further) => Object.values(further))];
  }),
];

/** Every port that a network without CometBFT and Celestia may use, before its offset. */
export const USUAL_PORTS: readonly number[] = [...new Set(ports)];

/** Between the ports of one node of a network under CometBFT and those of the next. */
const STRIDE = 10;

/** Ports of a node under CometBFT, on a machine or in a pod of its own. */
export const NODE_PORTS = { ...usualPorts(sequencer, 'rpc', 'abci', 'grpc'), p2p: 26_656, cometMetrics: 26_660 };

export type NodePorts = typeof NODE_PORTS;

/** Ports of node `index` of a network under CometBFT on one machine; the first has those of the network `local`. */
export function nodePorts(index: number, offset: number): NodePorts {
  const shift = index * STRIDE + offset;
  const ports = Object.entries(NODE_PORTS).map(([name, port]) => [name, port + shift]);
  // The port that follows by the stride is the relayer's.
  const metrics = NODE_PORTS.metrics + shift + (index === 0 ? 0 : STRIDE / 2);
  return { ...(Object.fromEntries(ports) as NodePorts), metrics };
}

/** The address of a listener of a node, on loopback. */
export function nodeListener(listener: string, { node = 0, offset = 0 }): string {
  const ports: Readonly<Record<string, number>> = nodePorts(node, offset);
  return `127.0.0.1:${ports[listener]}`;
}
