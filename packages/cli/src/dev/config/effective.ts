import { Failure } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { findProgram } from './entry.ts';
import { hidden, withoutPassword } from './hidden.ts';
import { KNOWN_SETTINGS, type KnownSettings, statusOfSetting } from './known-settings.ts';
import { baseSettings, getSettings, type Setting } from './settings.ts';

/** One setting in effect, and its source. */
export interface EffectiveSetting {
  /** Label of the service that reads it; absent for settings of the network and of the tool. */
  readonly service?: string;
  readonly key: string;
  /** Shown to people: secrets are not. */
  readonly value: string;
  readonly from:
    | 'flag'
    | 'environment'
    | 'networks-config.toml'
    | 'base-config.toml'
    | 'tui-config.toml'
    | 'derived'
    | 'default';
  /** The exact source: a key of a file, a flag, a variable; for a derived one, its source. */
  readonly place?: string;
}

/**
 * Every setting of a network's services, or of one of them, with its origin. `service` is a label or a name.
 *
 * @throws {Failure} when there is no such service.
 */
export function effectiveSettings(instance: Instance, service?: string): EffectiveSetting[] {
  const { network } = instance;
  const entries = service === undefined ? network.services : [getEntry(instance, service)];
  const shown = entries.flatMap((entry) => ofService(instance, entry, service !== undefined));
  if (service !== undefined) return shown;
  return [...ofNetwork(instance), ...shown, ...ofNoService(instance)];
}

function getEntry({ network, paths }: Instance, name: string): ServiceEntry {
  const wanted = name.toLowerCase();
  const found =
    network.services.find(({ label }) => label === wanted) ?? network.services.find((each) => each.name === name);
  if (found !== undefined) return found;
  const labels = network.services.map(({ label }) => label);
  throw new Failure(
    `${paths.networks}: no service ${JSON.stringify(name)} in network ${network.name}, there is ${labels.join(', ')}${didYouMean(name, labels)}`,
  );
}

function ofNetwork({ network }: Instance): EffectiveSetting[] {
  const values = {
    sequencer_chain_id: network.sequencerChainId,
    sequencer_grpc: network.sequencerGrpc,
    sequencer_rpc: network.sequencerRpc,
    rollup_name: network.rollupName,
    native_denom: network.nativeDenom,
  };
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: withoutPassword(value),
    from: 'networks-config.toml',
    place: `networks.${network.name}.${key}`,
  }));
}

const NONE: KnownSettings = new Map();

/** @param all Also variables that reach the service without being known to it. */
function ofService(instance: Instance, entry: ServiceEntry, all: boolean): EffectiveSetting[] {
  const settings = getSettings(instance, entry);
  const builtin = findProgram(entry);
  const known = builtin === undefined ? NONE : KNOWN_SETTINGS[builtin];
  const reaches = [...settings].filter(
    ([name, { kind }]) => kind === 'service' || known.has(name) || (all && statusOfSetting(name) === 'free'),
  );
  const unset = [...known].filter(([name]) => !settings.has(name));
  return [
    ...reaches.map(([name, setting]) => effective(entry.label, name, setting)),
    ...unset.map(
      ([name, { fallback }]): EffectiveSetting => ({
        service: entry.label,
        key: name.toLowerCase(),
        value: fallback ?? 'not set',
        from: 'default',
      }),
    ),
  ];
}

const FROM: Readonly<Record<Setting['kind'], EffectiveSetting['from']>> = {
  service: 'networks-config.toml',
  network: 'networks-config.toml',
  base: 'base-config.toml',
  derived: 'derived',
};

function effective(service: string, name: string, { value, from, kind }: Setting): EffectiveSetting {
  const key = kind === 'service' ? from.key.slice(from.key.lastIndexOf('.env.') + '.env.'.length) : name.toLowerCase();
  return { service, key, value: hidden(name, value), from: FROM[kind], place: from.key };
}

/** Keys of the base file that none of our services reads: they reach every service all the same. */
function ofNoService(instance: Instance): EffectiveSetting[] {
  const read = new Set(
    instance.network.services.flatMap((entry) => {
      const builtin = findProgram(entry);
      return builtin === undefined ? [] : [...KNOWN_SETTINGS[builtin].keys()];
    }),
  );
  return baseSettings(instance)
    .filter(([name]) => !read.has(name))
    .map(([name, setting]) => effective('every service', name, setting));
}
