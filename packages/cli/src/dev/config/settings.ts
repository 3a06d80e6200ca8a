import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { networkSettings } from './network-settings.ts';
import { ownName, ownVariable } from './roles.ts';

/** Where a value was written. */
export type Origin =
  /** In the table `env` of one service. */
  | { readonly kind: 'service'; readonly label: string; readonly key: string }
  /** In the block of the network, under a name of its own there. */
  | { readonly kind: 'network'; readonly key: string }
  | { readonly kind: 'base' };

export interface Setting {
  readonly value: string;
  readonly origin: Origin;
}

/** Every setting that reaches a service, under our own name for it: what the service has itself wins, then the network. */
export function settingsOf(instance: Instance, entry: ServiceEntry): Map<string, Setting> {
  const settings = new Map<string, Setting>();
  for (const [name, value] of Object.entries(instance.base)) settings.set(name, { value, origin: { kind: 'base' } });
  for (const { name, key, value } of networkSettings(instance.network)) {
    settings.set(name, { value, origin: { kind: 'network', key } });
  }
  for (const [key, value] of Object.entries(entry.env)) {
    settings.set(ownName(key), { value, origin: { kind: 'service', label: entry.label, key } });
  }
  return settings;
}

/** The value of one setting for one service; `undefined` where nothing sets it. */
export function settingOf(instance: Instance, entry: ServiceEntry, name: string): string | undefined {
  return ownVariable(entry, name)?.value ?? settingsOf(instance, entry).get(name)?.value;
}

/** How people find the place: file and key. */
export function placeOf(
  { paths, network }: Instance,
  name: string,
  origin: Origin,
): { readonly file: string; readonly key: string } {
  const block = `networks.${network.name}`;
  switch (origin.kind) {
    case 'service':
      return { file: paths.networks, key: `${block}.services.${origin.label}.env.${origin.key}` };
    case 'network':
      return { file: paths.networks, key: `${block}.${origin.key}` };
    case 'base':
      return { file: paths.base, key: name.toLowerCase() };
  }
}
