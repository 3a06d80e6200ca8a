import type { connections } from './connect.ts';

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
