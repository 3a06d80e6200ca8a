import { join } from 'node:path';
import { PORTS } from '../instance/ports.ts';

/*
 * Where the nodes of a network under CometBFT have their ports and files. The first node has the ports of the network
 * `local`, so that everything which asks "the sequencer" finds it there.
 */

/** Name of the network in `networks-config.toml`, and of its directories. */
export const COMET_NETWORK = 'cometbft';

/** Two processes each, on one machine. */
export const MAX_NODES = 32;

/** From one node to the next, for every kind of port. */
const STRIDE = 10;

export interface NodePorts {
  readonly p2p: number;
  readonly rpc: number;
  readonly abci: number;
  readonly cometMetrics: number;
  readonly grpc: number;
  readonly metrics: number;
}

export function nodePorts(index: number, offset: number): NodePorts {
  const shift = index * STRIDE + offset;
  return {
    p2p: 26_656 + shift,
    rpc: PORTS.sequencerRpc + shift,
    abci: 26_658 + shift,
    cometMetrics: 26_660 + shift,
    grpc: PORTS.sequencerGrpc + shift,
    metrics: PORTS.sequencerMetrics + shift,
  };
}

/** Directory of a node below `config/` and `data/`: keys and settings are apart from what a reset removes. */
export function nodeDirectory(index: number): string {
  return join(COMET_NETWORK, `node-${index}`);
}

export function sequencerLabel(index: number): string {
  return `sequencer-${index}`;
}

export function cometLabel(index: number): string {
  return `cometbft-${index}`;
}

/** Whether a service with this label is a CometBFT. */
export function isCometLabel(label: string): boolean {
  return /^cometbft(-\d+)?$/.test(label);
}
