import { existsSync } from 'node:fs';
import { didYouMean } from '@switchyard/service/settings';
import { usualPort } from '@switchyard/stack/ports';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { usage } from '../../failure.ts';
import { checkName, nativeDenomOf } from '../config/values.ts';
import { isTable, lowerKeys, readToml, valueAt } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { MAX_OFFSET } from '../instance/ports.ts';
import {
  evmNameOf,
  hasEvm,
  hasMessenger,
  LAYERS,
  type Layer,
  messengerNameOf,
  SECOND_EVM_NAME,
  TEMPLATES,
  type Template,
  templateFor,
  templateOf,
} from './templates.ts';

/** Everything that the files of an instance are made from. */
export interface InstanceSettings {
  readonly chainId: string;
  readonly rollupName: string;
  readonly nativeDenom: string;
  readonly offset: number;
  readonly template: Template;
  /** The data-availability layer; with one, a relayer that posts to it. */
  readonly layer: Layer;
  /** See {@link Naming}. */
  readonly evmIsFirst?: boolean;
  /** Blocks of the sequencer that a rollup leaves out which is added now. */
  readonly skips?: number;
}

/** Choices of the user; the others are taken from the files that are there, else from the defaults. */
export interface InitOptions {
  readonly chainId?: string | undefined;
  readonly rollupName?: string | undefined;
  readonly nativeDenom?: string | undefined;
  readonly portOffset?: number | undefined;
  readonly template?: string | undefined;
  readonly dataAvailability?: string | undefined;
  /** See {@link InstanceSettings.skips}. */
  readonly skips?: number | undefined;
}

/** Settings as the files of an instance have them. */
export type KnownSettings = { readonly [K in keyof InstanceSettings]?: InstanceSettings[K] | undefined };

const DEFAULTS: Omit<InstanceSettings, 'rollupName'> = {
  chainId: 'sequencer-test-chain-0',
  nativeDenom: 'ntia',
  offset: 0,
  template: 'messenger',
  layer: 'local',
};

const DEFAULT_NAMES: Readonly<Record<Template, string>> = {
  messenger: 'messenger',
  evm: SECOND_EVM_NAME,
  'messenger,evm': 'messenger',
  empty: 'rollup',
};

/** @throws {Failure} on a value that cannot be used. */
export function settingsFor(paths: InstancePaths, options: InitOptions): InstanceSettings {
  checkOptions(options);
  const settings = complete(settingsOfNetworks(paths), options);
  checkNames(settings);
  return settings;
}

/** @throws {Failure} when two rollups would have one name. */
export function checkNames(settings: InstanceSettings): void {
  const name = messengerNameOf(settings);
  if (settings.template !== 'messenger,evm' || name !== evmNameOf(settings)) return;
  throw usage(
    settings.evmIsFirst
      ? `--template messenger: the EVM rollup is called ${name}, as the messenger would be: give it another name with \`switchyard dev setconfig rollupname NAME --service evm\``
      : `--rollup-name ${name}: the EVM rollup has this name: give the messenger another one`,
  );
}

/** The template with the rollups of another one besides its own. */
export function joined(present: Template, added: Template | undefined): Template {
  if (added === undefined) return present;
  return templateFor({
    messenger: hasMessenger(present) || hasMessenger(added),
    evm: hasEvm(present) || hasEvm(added),
  });
}

export function complete(present: KnownSettings, options: InitOptions = {}): InstanceSettings {
  const template = present.template ?? templateOf(options.template) ?? DEFAULTS.template;
  return {
    template,
    chainId: present.chainId ?? options.chainId ?? DEFAULTS.chainId,
    rollupName: present.rollupName ?? options.rollupName ?? DEFAULT_NAMES[template],
    nativeDenom: present.nativeDenom ?? options.nativeDenom?.toLowerCase() ?? DEFAULTS.nativeDenom,
    offset: present.offset ?? options.portOffset ?? DEFAULTS.offset,
    ...(present.evmIsFirst ? { evmIsFirst: true } : {}),
    layer: present.layer ?? layerOf(options.dataAvailability) ?? DEFAULTS.layer,
  };
}

/** Settings of an earlier `dev init`, read back so that a file written now agrees with the others. */
export function settingsOfNetworks(paths: InstancePaths): KnownSettings {
  if (!existsSync(paths.networks)) return {};
  const local = valueAt(lowerKeys(readToml(paths.networks), paths.networks, ['env']), ['networks', 'local']);
  if (!isTable(local)) return {};
  const text = (key: string) => {
    const value = local[key];
    return typeof value === 'string' ? value : undefined;
  };
  const places = [MESSENGER, EVM].map((names) => placeOf(local.services, names));
  const [messenger = -1, evm = -1] = places;
  const port = Number(/:(\d+)\/?$/.exec(text('sequencer_rpc') ?? '')?.[1]);
  return {
    chainId: text('sequencer_chain_id'),
    rollupName: text('rollup_name'),
    nativeDenom: text('native_denom'),
    offset: offsetOf(port, PROGRAMS.sequencer, 'rpc'),
    template: templateFor({ messenger: messenger >= 0, evm: evm >= 0 }),
    evmIsFirst: evm >= 0 && messenger > evm,
    layer: layerIn(local.services),
  };
}

function layerIn(services: unknown): Layer {
  if (valueAt(services, ['celestia-light']) !== undefined) return 'celestia';
  return placeOf(services, ['da']) >= 0 ? 'local' : 'none';
}

const layerOf = (name: string | undefined) => LAYERS.find((layer) => layer === name);

const MESSENGER = ['rollup', 'messenger'] as const;
const EVM = ['evm'] as const;

/** How far the port of a listener is from its usual place; `undefined` for one that no offset gives. */
export function offsetOf(port: number, program: Program, listener: string): number | undefined {
  const offset = port - usualPort(program, listener);
  return offset >= 0 && offset <= MAX_OFFSET ? offset : undefined;
}

/** Which of the services runs one of ours, by its label or by the name of the builtin; -1 where none does. */
function placeOf(services: unknown, names: readonly string[]): number {
  return Object.entries(isTable(services) ? services : {}).findIndex(([label, service]) => {
    const path = String(valueAt(service, ['local_path']) ?? '');
    return path === ''
      ? names.includes(label) && (valueAt(service, ['download_url']) ?? '') === ''
      : names.some((name) => path === `builtin:${name}`);
  });
}

/** One line for each flag that changes nothing, because an existing file has another value. */
export function ignoredFlags(options: InitOptions, settings: InstanceSettings): string[] {
  const pairs = [
    ['--template', joined(settings.template, templateOf(options.template)), settings.template],
    ['--local-network-name', options.chainId, settings.chainId],
    ['--rollup-name', options.rollupName, settings.rollupName],
    ['--local-native-denom', options.nativeDenom?.toLowerCase(), settings.nativeDenom],
    ['--port-offset', options.portOffset, settings.offset],
    ['--data-availability', options.dataAvailability, settings.layer],
  ] as const;
  return pairs.flatMap(([flag, asked, used]) =>
    asked !== undefined && asked !== used ? [`${flag} ${asked}: the instance has ${used} and keeps it`] : [],
  );
}

function checkOptions({ chainId, rollupName, nativeDenom, portOffset, template, dataAvailability }: InitOptions): void {
  if (dataAvailability !== undefined && layerOf(dataAvailability) === undefined)
    throw usage(
      `--data-availability: expected local, celestia or none, got ${JSON.stringify(dataAvailability.slice(0, 80))}`,
    );
  if (template !== undefined && templateOf(template) === undefined) {
    const names = Object.keys(TEMPLATES);
    const known = Object.entries(TEMPLATES).map(([name, what]) => `${name} (${what})`);
    throw usage(
      `--template: expected ${known.join(' or ')}, got ${JSON.stringify(template.slice(0, 80))}${didYouMean(template, names)}`,
    );
  }
  if (chainId !== undefined) checkName('--local-network-name', chainId);
  if (rollupName !== undefined) checkName('--rollup-name', rollupName);
  if (nativeDenom !== undefined) nativeDenomOf('--local-native-denom', nativeDenom);
  if (portOffset !== undefined && !(Number.isInteger(portOffset) && portOffset >= 0 && portOffset <= MAX_OFFSET)) {
    throw usage(`--port-offset: expected a whole number from 0 to ${MAX_OFFSET}, got ${portOffset}`);
  }
}
