import type { ProgramName } from '@switchyard/stack/process';
import type { Network, ServiceEntry } from '../instance/instance.ts';
import { BUILTIN_OF_LABEL, isBuiltin } from '../services/builtin.ts';
import { FIELDS, type SettingField } from './known-settings.ts';

/** Role of a service in its network, whoever wrote its program. */
export type Role = 'sequencer' | 'composer' | 'conductor' | 'rollup' | 'other';

/** Uses the program where it is one of ours, else the label; a service with a genesis of its own is a rollup too. */
export function roleOf(entry: ServiceEntry): Role {
  const builtin = builtinOf(entry);
  if (builtin === 'messenger' || builtin === 'evm') return 'rollup';
  if (builtin === 'sequencer' || builtin === 'composer' || builtin === 'conductor') return builtin;
  if (builtin !== undefined) return 'other';
  return ownVariable(entry, FIELDS.messenger.genesisFilepath) === undefined ? 'other' : 'rollup';
}

export function withRole(network: Network, role: Role): ServiceEntry[] {
  return network.services.filter((entry) => roleOf(entry) === role);
}

/** Which of our rollups a service is; `undefined` for one of the user's. */
export function rollupBuiltin(entry: ServiceEntry): 'messenger' | 'evm' | undefined {
  const builtin = builtinOf(entry);
  return builtin === 'messenger' || builtin === 'evm' ? builtin : undefined;
}

/** The program of ours that a service runs, or stands in for by its label. */
export function builtinOf({ localPath, label }: ServiceEntry): ProgramName | undefined {
  const named = localPath.startsWith('builtin:') ? localPath.slice('builtin:'.length) : label;
  return isBuiltin(named) ? named : BUILTIN_OF_LABEL[named];
}

/** Which program of ours a service runs; `undefined` for another's, which may read the same names with defaults of its own. */
export function programOf(entry: ServiceEntry): ProgramName | undefined {
  const isOther = entry.downloadUrl !== '' || (entry.localPath !== '' && !entry.localPath.startsWith('builtin:'));
  return isOther ? undefined : builtinOf(entry);
}

/** The settings that every rollup has, under the names by which this one reads them. */
export function rollupFields(
  entry: ServiceEntry,
): Readonly<Record<'genesisFilepath' | 'dbFilepath' | 'composerAddr' | 'executionGrpcAddr', SettingField>> {
  return rollupBuiltin(entry) === 'evm' ? FIELDS.evm : FIELDS.messenger;
}

/** Where the genesis of a rollup has its name. */
export function rollupNameKeys(entry: ServiceEntry): readonly (readonly string[])[] {
  if (rollupBuiltin(entry) === 'evm') {
    return [
      ['config', 'switchyard', 'rollupName'],
      ['config', 'astriaRollupName'],
    ];
  }
  return [['rollup_name'], ['rollupName']];
}

/** A network whose sequencer runs elsewhere: only composer, conductor and rollups run here. */
export function isRemote(network: Network): boolean {
  return withRole(network, 'sequencer').length === 0;
}

/**
 * Whether the chain and the assets that the base settings name are those of this network. A remote one has its own, and
 * so has one under CometBFT, which stands beside the local one.
 */
export function isOfBase(network: Network): boolean {
  const sequencers = withRole(network, 'sequencer');
  return sequencers.some((entry) => ownVariable(entry, FIELDS.sequencer.engine)?.value !== 'cometbft');
}

/** A variable that a service has of its own, in any letter case and under either prefix. */
export function ownVariable(
  entry: ServiceEntry,
  { names: [name] }: SettingField,
): { readonly key: string; readonly value: string } | undefined {
  const found = Object.entries(entry.env).find(([key]) => ownName(key) === name);
  return found === undefined ? undefined : { key: found[0], value: found[1] };
}

/** The name under which we know a setting: in upper case, and with our prefix where the reference has its own. */
export function ownName(key: string): string {
  return key.toUpperCase().replace(/^ASTRIA_(?=SEQUENCER_|COMPOSER_|CONDUCTOR_)/, 'SVC_');
}
