import { type NetworkPages, pagesField } from '@switchyard/service/settings';
import type { Network, Stated } from '@switchyard/stack/network';
import { pagesOf, planMember, planNetwork } from '@switchyard/stack/plan';
import type { Entry, Followed, Source } from '@switchyard/stack/values';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { ownName, ownVariable } from './entry.ts';
import { memberOf, networkOf, type StatedSetting } from './instance-network.ts';
import type { SettingField } from './known-settings.ts';
import { isOfBase } from './roles.ts';

/** Where a value was written. */
export type Origin =
  /** In the table `env` of one service. */
  | { readonly kind: 'service'; readonly label: string; readonly key: string }
  /** In the block of the network, under a name of its own there, for all services. */
  | { readonly kind: 'network'; readonly from: Source }
  | { readonly kind: 'base' }
  /** Nowhere: it follows from what is written there. */
  | { readonly kind: 'derived'; readonly from: Source };

export interface Setting {
  readonly value: string;
  readonly origin: Origin;
}

/**
 * Every setting that reaches a service, under our own name for it. The service's own table takes precedence, then the
 * network, then the base file, then what follows from the plan of the network.
 */
export function settingsOf(instance: Instance, entry: ServiceEntry): Map<string, Setting> {
  const settings = new Map<string, Setting>(
    Object.entries(instance.base).map(([name, value]) => [name, { value, origin: { kind: 'base' } }]),
  );
  for (const [{ names }, followed] of followedBy(instance, entry)) {
    const { value, from, overrides } = followed;
    if (overrides) settings.set(names[0], { value, origin: { kind: 'network', from } });
    else if (!settings.has(names[0])) settings.set(names[0], { value, origin: { kind: 'derived', from } });
  }
  for (const [key, value] of Object.entries(entry.env))
    settings.set(ownName(key), { value, origin: { kind: 'service', label: entry.label, key } });
  return settings;
}

type FollowedEntry = readonly [field: SettingField, value: Followed];

/**
 * Settings of a service that another service or the network decides. A program that is not ours gets those of all services, its
 * own first: which of them it reads is unknown.
 */
function followedBy(instance: Instance, entry: ServiceEntry): FollowedEntry[] {
  const own = plannedFor(instance, entry);
  if (memberOf(entry).isBuiltin) return own;
  const [network, stated] = planned(instance);
  return [...[...planNetwork(network, stated).values()].flat().filter(isFollowed).toReversed(), ...own];
}

/** Settings that the plan has for a service, or for the one that it stands in for, and that are decided elsewhere. */
export function plannedFor(instance: Instance, entry: ServiceEntry): FollowedEntry[] {
  return planMember(...planned(instance), memberOf(entry)).filter(isFollowed);
}

/** The pages of a network, for the menu of its start page. */
export function networkPagesOf(instance: Instance): NetworkPages | undefined {
  const pages = pagesOf(...planned(instance));
  return pages && pagesField.parser.fromText(pages.value);
}

function planned(instance: Instance): [Network, Stated] {
  const stated: StatedSetting = (other, field) => statedSetting(instance, other, field);
  const of: Stated = ({ label }, field) => {
    const service = instance.network.services.find((each) => each.label === label);
    return service && stated(service, field);
  };
  return [networkOf(instance, stated), of];
}

const isFollowed = (entry: Entry): entry is FollowedEntry => typeof entry[1] === 'object';

/** A setting that the service's own table states, or the base file. */
export function statedSetting(instance: Instance, entry: ServiceEntry, field: SettingField): Followed | undefined {
  const [name] = field.names;
  const own = ownVariable(entry, field);
  const value = own?.value ?? instance.base[name];
  if (value === undefined) return undefined;
  const origin: Origin = own ? { kind: 'service', label: entry.label, key: own.key } : { kind: 'base' };
  return { value, from: placeOf(instance, name, origin) };
}

/** A base setting that the network overrides with another value. */
export interface Overridden {
  readonly name: string;
  /** Value in the base file. */
  readonly ineffective: string;
  readonly value: string;
  readonly from: Source;
}

/** Lists overridden settings of the network that the base file describes; another network is expected to differ. */
export function overriddenSettings(instance: Instance): Overridden[] {
  const { base, network } = instance;
  if (!isOfBase(network)) return [];
  const overridden = network.services.flatMap((entry) =>
    followedBy(instance, entry).flatMap(
      ([
        {
          names: [name],
        },
        { value, from, overrides },
      ]): Overridden[] => {
        const ineffective = base[name];
        return !overrides || ineffective === undefined || ineffective === value
          ? []
          : [{ name, ineffective, value, from }];
      },
    ),
  );
  return [...new Map(overridden.map((each) => [each.name, each])).values()];
}

/** The environment that the files give a service. A foreign program's variables keep their spelling too. */
export function environmentOf(instance: Instance, entry: ServiceEntry): Record<string, string> {
  const settings = [...settingsOf(instance, entry)].map(([name, { value }]) => [name, value]);
  return { ...entry.env, ...Object.fromEntries(settings) };
}

/** The value of one setting for one service; `undefined` where nothing sets it. */
export function settingOf(instance: Instance, entry: ServiceEntry, { names }: SettingField): string | undefined {
  return settingsOf(instance, entry).get(names[0])?.value;
}

/** How people find the place: file and key. */
export function placeOf({ paths, network }: Instance, name: string, origin: Origin): Source {
  switch (origin.kind) {
    case 'service':
      return { file: paths.networks, key: `networks.${network.name}.services.${origin.label}.env.${origin.key}` };
    case 'base':
      return { file: paths.base, key: name.toLowerCase() };
    case 'network':
    case 'derived':
      return origin.from;
  }
}
