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
export type RollupPort = Port<'rollup'>;
export type SequencerPort = Port<'sequencer'>;
export type EvmPort = Port<'evm'>;
export type WithdrawerPort = Port<'withdrawer'>;
export type ComposerPort = Port<'composer'>;
