import { PROGRAMS } from '@switchyard/stack/programs';
import { getMember } from '../instance-network.ts';
import { type CheckInput, error, type Finding } from './finding.ts';
import { settingPlace } from './places.ts';

/** Finds stores that services of two chains would share: state of one chain must not be taken for another's. */
export function checkStores({ instances }: CheckInput): Finding[] {
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
