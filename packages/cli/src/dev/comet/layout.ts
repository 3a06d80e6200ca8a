import { join } from 'node:path';

/*
 * Places of the nodes of a network under CometBFT: ports and files. The first node has the ports of the network
 * `local`, so that everything which asks "the sequencer" finds it there.
 */

/** Name of the network in `networks-config.toml`, and of its directories. */
export const COMET_NETWORK = 'cometbft';

/** Two processes each, on one machine. */
export const MAX_NODES = 32;

export interface NodeCounts {
  readonly validators: number;
  readonly fullNodes: number;
}

/** Directory of a node below `config/` and `data/`: keys and settings are apart from the data that a reset removes. */
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
