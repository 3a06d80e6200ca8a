/**
 * What running a process of ours takes, as a service of a local network or as a container. Loads nothing, since the
 * command line needs it for every network.
 */

/** Processes that an EVM rollup consists of. */
export const PROCESSES = ['evm', 'composer', 'conductor', 'faucet', 'explorer'] as const;

export type Process = (typeof PROCESSES)[number];

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

export const RUN_FACTS: Readonly<Record<Process, RunFacts>> = {
  evm: { ...USUAL, youngMegabytes: 64 },
  composer: USUAL,
  conductor: USUAL,
  faucet: USUAL,
  // It shows what it has while it fills its index, and while its nodes are away.
  explorer: { ...USUAL, readyPath: '/healthz' },
};
