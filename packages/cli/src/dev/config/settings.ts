import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { derivedSettings, type Explicit, type Source } from './derived.ts';
import { layerSettings } from './layer-settings.ts';
import { networkSettings } from './network-settings.ts';
import { ownName } from './roles.ts';

/** Where a value was written. */
export type Origin =
  /** In the table `env` of one service. */
  | { readonly kind: 'service'; readonly label: string; readonly key: string }
  /** In the block of the network, under a name of its own there. */
  | { readonly kind: 'network'; readonly key: string }
  | { readonly kind: 'base' }
  /** Nowhere: it follows from what is written there. */
  | { readonly kind: 'derived'; readonly from: Source };

export interface Setting {
  readonly value: string;
  readonly origin: Origin;
}

/**
 * Every setting that reaches a service, under our own name for it. The service's own table takes precedence, then the
 * network, then the base file, then what is derived.
 */
export function settingsOf(instance: Instance, entry: ServiceEntry): Map<string, Setting> {
  const lookup = (other: ServiceEntry, name: string): Explicit | undefined => {
    const setting = explicitSettings(instance, other).get(name);
    return setting && { ...placeOf(instance, name, setting.origin), value: setting.value };
  };
  const settings = explicitSettings(instance, entry);
  for (const { name, value, from } of derivedSettings(instance, entry, lookup)) {
    if (!settings.has(name)) settings.set(name, { value, origin: { kind: 'derived', from } });
  }
  return settings;
}

/** Those that a file sets. */
function explicitSettings(instance: Instance, entry: ServiceEntry): Map<string, Setting> {
  const { base, network } = instance;
  return new Map<string, Setting>([
    ...Object.entries(base).map(([name, value]) => [name, { value, origin: { kind: 'base' } }] as const),
    ...[...networkSettings(network), ...layerSettings(instance, entry)].map(
      ({ name, key, value }) => [name, { value, origin: { kind: 'network', key } }] as const,
    ),
    ...Object.entries(entry.env).map(
      ([key, value]) => [ownName(key), { value, origin: { kind: 'service', label: entry.label, key } }] as const,
    ),
  ]);
}

/** The environment that the files give a service. A foreign program's variables keep their spelling too. */
export function environmentOf(instance: Instance, entry: ServiceEntry): Record<string, string> {
  const settings = [...settingsOf(instance, entry)].map(([name, { value }]) => [name, value]);
  return { ...entry.env, ...Object.fromEntries(settings) };
}

/** The value of one setting for one service; `undefined` where nothing sets it. */
export function settingOf(instance: Instance, entry: ServiceEntry, name: string): string | undefined {
  return settingsOf(instance, entry).get(name)?.value;
}

/** How people find the place: file and key. */
export function placeOf({ paths, network }: Instance, name: string, origin: Origin): Source {
  const block = `networks.${network.name}`;
  switch (origin.kind) {
    case 'service':
      return { file: paths.networks, key: `${block}.services.${origin.label}.env.${origin.key}` };
    case 'network':
      return { file: paths.networks, key: `${block}.${origin.key}` };
    case 'base':
      return { file: paths.base, key: name.toLowerCase() };
    case 'derived':
      return origin.from;
  }
}
