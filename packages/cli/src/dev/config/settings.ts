import { type NetworkPages, pagesField } from '@switchyard/service/settings';
import type { Network, Stated } from '@switchyard/stack/network';
import { findPages, planMember, planNetwork } from '@switchyard/stack/plan';
import type { Entry, Followed } from '@switchyard/stack/values';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { ownName } from '../instance/own-name.ts';
import { getMember, type StatedSetting, toNetwork } from './instance-network.ts';
import type { SettingField } from './known-settings.ts';

/** A setting and the place that states it. */
export interface Setting extends Followed {
  /**
   * The table `env` of one service, the block of the network for all of its services, the base file, or nothing: then
   * the value follows from the place.
   */
  readonly kind: 'service' | 'network' | 'base' | 'derived';
}

/**
 * Every setting that reaches a service, under our own name for it. The service's own table takes precedence, then the
 * network, then the base file, then the values derived from the plan of the network.
 */
export function getSettings(instance: Instance, entry: ServiceEntry): Map<string, Setting> {
  const settings = new Map(baseSettings(instance));
  for (const [{ names }, { value, from, overrides }] of followedBy(instance, entry)) {
    const [name] = names;
    if (overrides || !settings.has(name)) settings.set(name, { value, from, kind: overrides ? 'network' : 'derived' });
  }
  for (const [name, setting] of ownSettings(instance, entry)) settings.set(name, setting);
  return settings;
}

type NamedSetting = [name: string, setting: Setting];

/** The settings of the base file, by name. */
export function baseSettings(instance: Instance): NamedSetting[] {
  return Object.entries(instance.base).map(([name, value]) => [name, baseSetting(instance, name, value)]);
}

const baseSetting = ({ paths }: Instance, name: string, value: string): Setting => ({
  ...{ value, from: { file: paths.base, key: name.toLowerCase() }, kind: 'base' },
});

/** The settings in the service's own table, by name. */
export function ownSettings({ paths, network }: Instance, { label, env }: ServiceEntry): NamedSetting[] {
  const table = `networks.${network.name}.services.${label}.env`;
  return Object.entries(env).map(([key, value]) => [
    ownName(key),
    { value, from: { file: paths.networks, key: `${table}.${key}` }, kind: 'service' },
  ]);
}

type FollowedEntry = readonly [field: SettingField, value: Followed];

/**
 * Settings of a service that another service or the network decides. A program that is not ours gets those of all services, its
 * own first: which of them it reads is unknown.
 */
export function followedBy(instance: Instance, entry: ServiceEntry): FollowedEntry[] {
  const own = plannedFor(instance, entry);
  if (getMember(entry).isBuiltin) return own;
  const [network, stated] = planned(instance);
  return [...[...planNetwork(network, stated).values()].flat().filter(isFollowed).toReversed(), ...own];
}

/** Settings that the plan has for a service, or for its original, and that are decided elsewhere. */
export function plannedFor(instance: Instance, entry: ServiceEntry): FollowedEntry[] {
  return planMember(...planned(instance), getMember(entry)).filter(isFollowed);
}

/** The pages of a network, for the menu of its start page. */
export function findNetworkPages(instance: Instance): NetworkPages | undefined {
  const pages = findPages(...planned(instance));
  return pages && pagesField.parser.fromText(pages.value);
}

function planned(instance: Instance): [Network, Stated] {
  const stated: StatedSetting = (entry, field) => statedSetting(instance, entry, field);
  const services = new Map(instance.network.services.map((entry) => [entry.label, entry]));
  return [
    toNetwork(instance, stated),
    ({ label }, field) => {
      const entry = services.get(label);
      return entry && stated(entry, field);
    },
  ];
}

const isFollowed = (entry: Entry): entry is FollowedEntry => typeof entry[1] === 'object';

/** A setting that the service's own table states, or the base file. */
export function statedSetting(instance: Instance, entry: ServiceEntry, { names }: SettingField): Setting | undefined {
  const [name] = names;
  const value = instance.base[name];
  const base = value === undefined ? undefined : baseSetting(instance, name, value);
  return ownSettings(instance, entry).findLast(([each]) => each === name)?.[1] ?? base;
}

/** The environment that the files give a service. A foreign program's variables keep their spelling too. */
export function toEnvironment(instance: Instance, entry: ServiceEntry): Record<string, string> {
  const settings = [...getSettings(instance, entry)].map(([name, { value }]) => [name, value]);
  return { ...entry.env, ...Object.fromEntries(settings) };
}

/** The value of one setting for one service; `undefined` if nothing sets it. */
export function findSetting(instance: Instance, entry: ServiceEntry, { names }: SettingField): string | undefined {
  return getSettings(instance, entry).get(names[0])?.value;
}
