import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { rollupBuiltin } from '../entry.ts';
import { FIELDS, type SettingField } from '../known-settings.ts';
import { rollupFields, withRole } from '../roles.ts';
import { getSettings } from '../settings.ts';
import type { Place } from './finding.ts';

/** A setting of a service with the place that decides it; `undefined` for a default. */
export function settingPlace(instance: Instance, entry: ServiceEntry, { names }: SettingField): Place | undefined {
  const setting = getSettings(instance, entry).get(names[0]);
  return setting && { ...setting.from, value: setting.value };
}

/** A key of the network's own block. */
export function networkPlace({ paths, network }: Instance, key: string, value: string): Place {
  return { file: paths.networks, key: `networks.${network.name}.${key}`, value };
}

export function sequencerGenesisPath(instance: Instance): string | undefined {
  const [sequencer] = withRole(instance.network, 'sequencer');
  if (sequencer === undefined) return undefined;
  return settingPlace(instance, sequencer, FIELDS.sequencer.genesisFilepath)?.value ?? instance.paths.sequencerGenesis;
}

export function rollupGenesisPath(instance: Instance, rollup: ServiceEntry): string {
  const { evmGenesis, rollupGenesis } = instance.paths;
  const usual = rollupBuiltin(rollup) === 'evm' ? evmGenesis : rollupGenesis;
  return settingPlace(instance, rollup, rollupFields(rollup).genesisFilepath)?.value ?? usual;
}
