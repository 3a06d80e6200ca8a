import type { Instance, Network, ServiceEntry } from '../instance/instance.ts';
import { findBuiltin, findProgram, ownVariable, rollupBuiltin } from './entry.ts';
import { FIELDS, type SettingField } from './known-settings.ts';

/** Role of a service in its network, with any program. */
export type Role = 'sequencer' | 'composer' | 'conductor' | 'rollup' | 'other';

/** Uses the program if it is one of ours, else the label; a service with a genesis of its own is a rollup too. */
export function getRole(entry: ServiceEntry): Role {
  const builtin = findBuiltin(entry);
  if (builtin === 'messenger' || builtin === 'evm') return 'rollup';
  if (builtin === 'sequencer' || builtin === 'composer' || builtin === 'conductor') return builtin;
  if (builtin !== undefined) return 'other';
  return ownVariable(entry, FIELDS.messenger.genesisFilepath) === undefined ? 'other' : 'rollup';
}

export function withRole(network: Network, role: Role): ServiceEntry[] {
  return network.services.filter((entry) => getRole(entry) === role);
}

/** Services that run our program: the settings that another program reads are unknown. */
export function ofProgram({ network }: Instance, program: 'da' | 'relayer' | 'conductor'): ServiceEntry[] {
  return network.services.filter((entry) => findProgram(entry) === program);
}

/** The settings that every rollup has, under the names by which this one reads them. */
export function rollupFields(
  entry: ServiceEntry,
): Readonly<Record<'genesisFilepath' | 'dbFilepath' | 'composerAddr' | 'executionGrpcAddr', SettingField>> {
  return rollupBuiltin(entry) === 'evm' ? FIELDS.evm : FIELDS.messenger;
}

/** A network whose sequencer runs elsewhere: only composer, conductor and rollups run here. */
export function isRemote(network: Network): boolean {
  return withRole(network, 'sequencer').length === 0;
}

/**
 * Whether the chain and the assets that the base settings name are those of this network. A remote one has its own, and
 * so has one under CometBFT, which stands alongside the local one.
 */
export function isOfBase(network: Network): boolean {
  const sequencers = withRole(network, 'sequencer');
  return sequencers.some((entry) => ownVariable(entry, FIELDS.sequencer.engine)?.value !== 'cometbft');
}
