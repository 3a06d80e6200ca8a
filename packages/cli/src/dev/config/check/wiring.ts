import { PROGRAMS } from '@switchyard/stack/programs';
import type { Instance, ServiceEntry } from '../../instance/instance.ts';
import { getMember } from '../instance-network.ts';
import { FIELDS, type SettingField } from '../known-settings.ts';
import { rollupFields, withRole } from '../roles.ts';
import { reaches } from './contradictions.ts';
import { type CheckInput, error, type Finding, type Place, warning } from './finding.ts';
import { networkPlace, settingPlace } from './places.ts';

/** Conductors and the rollups that they feed, and places that two chains would share. */
export function checkWiring(input: CheckInput): Finding[] {
  return [...input.instances.flatMap(feeding), ...sharedState(input)];
}

/** A conductor may feed any rollup of its network; a rollup that none feeds never gets a block. */
function feeding(instance: Instance): Finding[] {
  const { network } = instance;
  const rollups = withRole(network, 'rollup').map(
    (entry) => [entry, settingOrDefault(instance, entry, rollupFields(entry).executionGrpcAddr)] as const,
  );
  const listeners = rollups.flatMap(([, place]) => place ?? []);
  const calls = withRole(network, 'conductor').map(
    (entry) => [entry, settingOrDefault(instance, entry, FIELDS.conductor.executionRpcUrl)] as const,
  );
  const lost = calls.flatMap(([entry, called]) => {
    if (rollups.length === 0 || called === undefined) return [];
    if (rollups.some(([, place]) => place && reaches(called.value, place.value))) return [];
    const problem = `${entry.name} calls an address where no rollup of network ${network.name} listens`;
    const fix = `make ${called.key} the address at which a rollup listens`;
    return [error(problem, [called, ...listeners], fix)];
  });
  const unfed = rollups.flatMap(([rollup, listens]) => {
    if (listens === undefined || calls.some(([, called]) => called && reaches(called.value, listens.value))) return [];
    const fix = `add a service with local_path = "builtin:conductor" and its own svc_conductor_execution_rpc_url = "http://${listens.value}"`;
    return [warning(`no conductor brings blocks to ${rollup.name}, so nothing is executed`, [listens], fix)];
  });
  return [...lost, ...unfed];
}

/** Finds stores that services of two chains would share: state of one chain must not be taken for another's. */
function sharedState({ instances }: CheckInput): Finding[] {
  const stores = instances.flatMap((instance) =>
    instance.network.services.flatMap((entry) => {
      const { program } = getMember(entry);
      const field = program && PROGRAMS[program].store;
      const place = field && settingPlace(instance, entry, field);
      return field === undefined || place === undefined ? [] : [{ instance, entry, name: field.names[0], place }];
    }),
  );
  return stores.flatMap((store, index) => {
    const other = stores
      .slice(0, index)
      .find(
        ({ instance, place }) =>
          place.value === store.place.value &&
          instance.network.sequencerChainId !== store.instance.network.sequencerChainId,
      );
    if (other === undefined) return [];
    const { network } = store.instance;
    const places = [
      { ...other.place, key: `${other.place.key} (network ${other.instance.network.name})` },
      { ...store.place, key: `${store.place.key} (network ${network.name})` },
    ];
    const fix = `give ${store.name.toLowerCase()} a directory of its own in [networks.${network.name}.services.${store.entry.label}.env]`;
    return [error(`${store.entry.name} would store the data of two chains in one place`, places, fix)];
  });
}

function settingOrDefault(instance: Instance, entry: ServiceEntry, field: SettingField): Place | undefined {
  const place = settingPlace(instance, entry, field);
  if (place !== undefined) return place;
  // Defaults of a user's own program are unknown.
  if (entry.localPath !== '' && !entry.localPath.startsWith('builtin:')) return undefined;
  const value = field.fallback;
  return value === undefined
    ? undefined
    : { ...networkPlace(instance, `services.${entry.label}`, value), key: `${field.names[0].toLowerCase()} (default)` };
}
