/**
 * What running a process of ours takes, as a service of a local network or as a container. Loads nothing, since the
 * command line needs it for every network.
 */

/** Processes that an EVM rollup consists of. */
export const PROCESSES = ['evm', 'composer', 'conductor', 'faucet', 'explorer'] as const;

export type Process = (typeof PROCESSES)[number];

/** What a rollup on one machine has besides, where its data-availability layer is the local one. */
export const LAYER_PROCESSES = ['da', 'relayer'] as const;

export type LayerProcess = (typeof LAYER_PROCESSES)[number];

export interface RunFacts {
  /** Which path of its health listener answers 200 once it is of use. */
  readonly readyPath: string;
  /**
   * Megabytes of Node's young generation. A small one keeps memory small; what waits for its block outlives it, and
   * would be collected at a higher price.
   */
  readonly youngMegabytes: number;
}

const USUAL: RunFacts = { readyPath: '/readyz', youngMegabytes: 4 };

export const RUN_FACTS: Readonly<Record<Process | LayerProcess, RunFacts>> = {
  evm: { ...USUAL, youngMegabytes: 16 },
  composer: USUAL,
  conductor: USUAL,
  da: USUAL,
  relayer: USUAL,
  faucet: USUAL,
  // It shows what it has while it fills its index, and while its nodes are away.
  explorer: { ...USUAL, readyPath: '/healthz' },
};
