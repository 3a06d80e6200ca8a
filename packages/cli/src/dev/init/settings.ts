import { existsSync } from 'node:fs';
import { usage } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import type { ProgramName } from '@switchyard/stack/network';
import { findProgram } from '../config/entry.ts';
import { checkName, getNativeDenom } from '../config/values.ts';
import { isTable, lowerKeys, readToml, valueAt } from '../files/toml.ts';
import type { InstancePaths } from '../instance/home.ts';
import { findRpcOffset, MAX_OFFSET } from '../instance/ports.ts';
import { LAYERS, type Layer, type Naming, type RollupKind, rollupsOfTemplate, TEMPLATES } from './templates.ts';

/** Everything that the files of an instance are made from. */
export interface InstanceSettings extends Naming {
  readonly chainId: string;
  readonly nativeDenom: string;
  readonly offset: number;
  /** The data-availability layer; with one, a relayer that posts to it. */
  readonly layer: Layer;
  /** Blocks of the sequencer that a rollup leaves out which is added now. */
  readonly skips?: number;
}

/** Choices of the user; the others are taken from the existing files, else from the defaults. */
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

/** @throws {Failure} on a value that cannot be used. */
export function settingsFor(paths: InstancePaths, options: InitOptions): InstanceSettings {
  checkOptions(options);
  const settings = complete(settingsOfNetworks(paths), options);
  checkNames(settings);
  return settings;
}

/** @throws {Failure} when two rollups would have one name. */
export function checkNames({ rollups: [first, second], rollupName: name }: Naming): void {
  if (second === undefined || name !== second) return;
  throw usage(
    first === 'evm'
      ? `--template messenger: the EVM rollup is called ${name}, as the messenger would be: give it another name with \`switchyard dev setconfig rollupname NAME --service evm\``
      : `--rollup-name ${name}: the EVM rollup has this name: give the messenger another one`,
  );
}

export function complete(present: KnownSettings, options: InitOptions = {}): InstanceSettings {
  const rollups = present.rollups ?? rollupsOfTemplate(options.template) ?? ['messenger'];
  return {
    rollups,
    chainId: present.chainId ?? options.chainId ?? 'sequencer-test-chain-0',
    rollupName: present.rollupName ?? options.rollupName ?? rollups[0] ?? 'rollup',
    nativeDenom: present.nativeDenom ?? options.nativeDenom?.toLowerCase() ?? 'ntia',
    offset: present.offset ?? options.portOffset ?? 0,
    layer: present.layer ?? getLayer(options.dataAvailability) ?? 'local',
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
  const services = Object.entries(isTable(local.services) ? local.services : {});
  const programs = services.flatMap(([label, service]) => programIn(label, service) ?? []);
  const isRollup = (program: ProgramName): program is RollupKind => program === 'messenger' || program === 'evm';
  return {
    chainId: text('sequencer_chain_id'),
    rollupName: text('rollup_name'),
    nativeDenom: text('native_denom'),
    offset: findRpcOffset(text('sequencer_rpc') ?? ''),
    rollups: [...new Set(programs.filter(isRollup))],
    layer: services.some(([label]) => label === 'celestia-light')
      ? 'celestia'
      : programs.includes('da')
        ? 'local'
        : 'none',
  };
}

function programIn(label: string, service: unknown): ProgramName | undefined {
  const text = (key: string) => String(valueAt(service, [key]) ?? '');
  return findProgram({ label, localPath: text('local_path'), downloadUrl: text('download_url') });
}

const getLayer = (name: string | undefined) => LAYERS.find((layer) => layer === name);

/** One line for each flag that changes nothing, because an existing file has another value. */
export function ignoredFlags(options: InitOptions, settings: InstanceSettings): string[] {
  const pairs = [
    ['--local-network-name', options.chainId, settings.chainId],
    ['--rollup-name', options.rollupName, settings.rollupName],
    ['--local-native-denom', options.nativeDenom?.toLowerCase(), settings.nativeDenom],
    ['--port-offset', options.portOffset, settings.offset],
    ['--data-availability', options.dataAvailability, settings.layer],
  ] as const;
  return pairs.flatMap(([flag, wanted, used]) =>
    wanted !== undefined && wanted !== used ? [`${flag} ${wanted}: the instance has ${used} and keeps it`] : [],
  );
}

function checkOptions({ chainId, rollupName, nativeDenom, portOffset, template, dataAvailability }: InitOptions): void {
  if (dataAvailability !== undefined && getLayer(dataAvailability) === undefined)
    throw usage(
      `--data-availability: expected local, celestia or none, got ${JSON.stringify(dataAvailability.slice(0, 80))}`,
    );
  if (template !== undefined && rollupsOfTemplate(template) === undefined) {
    const names = Object.keys(TEMPLATES);
    const known = Object.entries(TEMPLATES).map(([name, what]) => `${name} (${what})`);
    throw usage(
      `--template: expected ${known.join(' or ')}, got ${JSON.stringify(template.slice(0, 80))}${didYouMean(template, names)}`,
    );
  }
  if (chainId !== undefined) checkName('--local-network-name', chainId);
  if (rollupName !== undefined) checkName('--rollup-name', rollupName);
  if (nativeDenom !== undefined) getNativeDenom('--local-native-denom', nativeDenom);
  if (portOffset !== undefined && !(Number.isInteger(portOffset) && portOffset >= 0 && portOffset <= MAX_OFFSET)) {
    throw usage(`--port-offset: expected a whole number from 0 to ${MAX_OFFSET}, got ${portOffset}`);
  }
}
