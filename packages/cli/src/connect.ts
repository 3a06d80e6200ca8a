/** The real nodes, by `@switchyard/client`, which is loaded when it is needed. */
export const connections = {
  rollup: async (url: string) => (await import('./connect-rollup.ts')).connectRollup(url),
  sequencer: async (url: string) => (await import('./connect-sequencer.ts')).connectSequencer(url),
  evm: async (url: string) => (await import('./connect-evm.ts')).connectEvm(url),
  withdrawer: async (url: string) => (await import('./connect-withdrawer.ts')).connectWithdrawer(url),
  composer: async (url: string, secretFile: string | undefined) =>
    (await import('./connect-composer.ts')).connectComposer(url, secretFile),
};

/** How commands reach nodes; tests give their own. */
export type Connections = typeof connections;

type Port<Name extends keyof Connections> = Awaited<ReturnType<Connections[Name]>>;

/** Requests that the commands make to a rollup node. */
export type RollupPort = Port<'rollup'>;

/** Requests that the commands make to a sequencer node. */
export type SequencerPort = Port<'sequencer'>;

/** Requests that the commands make to a node of an EVM rollup. */
export type EvmPort = Port<'evm'>;

/** Requests that the commands make to the process that pays withdrawals. */
export type WithdrawerPort = Port<'withdrawer'>;

/** Requests that the commands make to a composer. */
export type ComposerPort = Port<'composer'>;
