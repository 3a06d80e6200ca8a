/** The whole stack as a library: networks in the process of a test. */

export { alice, bob, type DevAccount } from './accounts/accounts.ts';
export type { EvmTestAccount } from './accounts/evm-accounts.ts';
export { BadOptions } from './bad-options.ts';
export { type DefinedOptions, definedRollup } from './defined-rollup.ts';
export type { Deposit } from './deposit.ts';
export type { Link } from './link.ts';
export { localNetwork } from './local-network.ts';
export type { NetworkSnapshot } from './memory-stores.ts';
export type { MessengerClient } from './messenger-client.ts';
export { LocalNetwork } from './network.ts';
export type { LocalNetworkOptions } from './options.ts';
export type { RollupAccess } from './rollup-access.ts';
export { evm, messenger, type OwnRollup, type Rollup, type RollupOptions, rollup } from './rollups.ts';
