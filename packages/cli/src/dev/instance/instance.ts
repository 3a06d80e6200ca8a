import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { didYouMean } from '@switchyard/service/settings';
import { Failure, Problems } from '../../failure.ts';
import { VERSION } from '../../version.ts';
import { isCometLabel } from '../comet/layout.ts';
import { isTable, lowerKeys, placeIn, readToml, type TomlTable } from '../files/toml.ts';
import { expand } from './expand.ts';
import { type InstancePaths, instanceArguments, instanceNames } from './home.ts';
import { LAYER_KEY, type NetworkLayer, readLayer } from './network-layer.ts';

/** A service as the network file describes it, texts expanded. */
export interface ServiceEntry {
  readonly label: string;
  readonly name: string;
  readonly version: string;
  readonly downloadUrl: string;
  readonly localPath: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Expected hash of the file at `downloadUrl`. */
  readonly sha256: string;
  /** Labels of services that have to be ready first; `undefined`: the usual ones for a service of this kind. */
  readonly dependsOn: readonly string[] | undefined;
  /** `http://host:port/path`, `tcp://host:port` or `log:expression`; empty: ready once it runs. */
  readonly ready: string;
  /** Files and directories whose change restarts the service. */
  readonly watch: readonly string[];
}

const SERVICE_KEYS = [
  ...['name', 'version', 'download_url', 'sha256', 'local_path', 'args'],
  ...['env', 'cwd', 'depends_on', 'ready', 'watch'],
];

/** Whether the user's own programs start before or after the services that come with Switchyard. */
type StartPosition = 'before' | 'after';
const START_POSITION_KEY = 'generic_start_position';

export const START_PAGE_KEY = 'start_page';
const NETWORK_KEYS = [
  ...['sequencer_chain_id', 'sequencer_grpc', 'sequencer_rpc', 'rollup_name', 'native_denom'],
  ...[START_POSITION_KEY, START_PAGE_KEY, LAYER_KEY, 'services'],
];

export interface Network {
  readonly name: string;
  readonly sequencerChainId: string;
  readonly sequencerGrpc: string;
  readonly sequencerRpc: string;
  readonly rollupName: string;
  readonly nativeDenom: string;
  readonly startPosition: StartPosition;
  /** `start_page` of the network: `host:port`, or empty for none; absent if the file has none. */
  readonly startPage?: string;
  /** A data-availability layer that runs elsewhere; absent if the file names none. */
  readonly layer?: NetworkLayer;
  readonly services: readonly ServiceEntry[];
}

/** The files of an instance, read, checked and expanded. */
export interface Instance {
  readonly paths: InstancePaths;
  readonly network: Network;
  /** Names of all networks in the file. */
  readonly networks: readonly string[];
  /** `config/base-config.toml` as environment variables, under our own names. */
  readonly base: Readonly<Record<string, string>>;
}

/** @throws {Failure} when `dev init` has not made this instance. */
export function requireInstance(paths: InstancePaths): void {
  if (existsSync(paths.networks)) return;
  const hint = didYouMean(paths.name, instanceNames(paths.home));
  const make = `ake it with \`switchyard dev init${instanceArguments(paths)}\``;
  throw new Failure(`no instance ${paths.name} in ${paths.home}${hint === '' ? ': m' : `${hint} M`}${make}`);
}

/** @throws {Failure} with one line for each mistake in the files. */
export function readInstance(paths: InstancePaths, network: string, env: NodeJS.ProcessEnv): Instance {
  requireInstance(paths);
  const problems = new Problems();
  const variables = { ...env, SWITCHYARD_INSTANCE: paths.directory };
  const base = problems.collect(() => readBase(paths.base, variables, problems));
  const found = problems.collect(() => readNetwork(paths.networks, network, variables, problems));
  problems.throwIfAny();
  if (base === undefined || found === undefined) throw new Error('a problem was lost');
  return { paths, base, ...found };
}

/** Checks the layers of all networks in the file, if there is one. @throws {Failure} with one line for each mistake. */
export function requireLayers(paths: InstancePaths, env: NodeJS.ProcessEnv): void {
  if (!existsSync(paths.networks)) return;
  const problems = new Problems();
  const { networks } = lowerKeys(readToml(paths.networks), paths.networks, ['env']);
  const variables = { ...env, SWITCHYARD_INSTANCE: paths.directory };
  for (const [name, table] of Object.entries(isTable(networks) ? networks : {})) {
    if (isTable(table)) getLayer(table, `networks.${name}`, paths.networks, variables, problems);
  }
  problems.throwIfAny();
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads one flat table of texts, numbers and switches as environment variables. */
function readBase(path: string, variables: Variables, problems: Problems): Record<string, string> {
  const settings: Record<string, string> = {};
  const spelled = new Map<string, string>();
  for (const [key, value] of Object.entries(lowerKeys(readToml(path), path))) {
    const text = scalar(value);
    if (text === undefined) {
      problems.add(placeIn(path, key), `${key}: expected a text, a number or true or false`);
      continue;
    }
    // The reference's prefix names the same setting.
    const name = key.replace(/^astria_(?=sequencer_|composer_|conductor_)/, 'svc_').toUpperCase();
    const expanded = problems.collect(() => expand(text, variables, `${path}: ${key}`));
    const other = spelled.get(name);
    if (other !== undefined && settings[name] !== expanded) {
      problems.add(path, `${other} and ${key} are two names of one setting and have different values: keep one`);
    }
    spelled.set(name, key);
    if (expanded !== undefined) settings[name] = expanded;
  }
  return settings;
}

function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? `${value}` : undefined;
}

function readNetwork(path: string, name: string, variables: Variables, problems: Problems) {
  const file = lowerKeys(readToml(path), path, ['env']);
  refuseUnknown(file, ['networks'], 'the file', path, '', problems);
  const { networks } = file;
  const names = isTable(networks) ? Object.keys(networks) : [];
  const table = isTable(networks) ? networks[name.toLowerCase()] : undefined;
  if (!isTable(table)) {
    const hint = didYouMean(name, names);
    throw new Failure(`${path}: no network ${JSON.stringify(name)}, there is ${names.join(', ') || 'none'}${hint}`);
  }
  const at = `networks.${name}`;
  refuseUnknown(table, NETWORK_KEYS, 'a network', path, at, problems);
  const text = textReader(path, at, table, variables, problems);
  const services = isTable(table.services) ? table.services : {};
  if (Object.keys(services).length === 0) problems.add(path, `${at}: no [${at}.services.NAME], nothing would run`);
  const layer = getLayer(table, at, path, variables, problems);
  const network: Network = {
    name,
    sequencerChainId: text('sequencer_chain_id'),
    sequencerGrpc: text('sequencer_grpc'),
    sequencerRpc: text('sequencer_rpc'),
    rollupName: text('rollup_name'),
    nativeDenom: text('native_denom'),
    ...(table[START_PAGE_KEY] === undefined ? {} : { startPage: text(START_PAGE_KEY) }),
    ...(layer === undefined ? {} : { layer }),
    startPosition: startPosition(text(START_POSITION_KEY, 'after'), `${at}.${START_POSITION_KEY}`, path, problems),
    services: Object.entries(services).flatMap(([label, entry]) => {
      if (isTable(entry)) return [readService(path, `${at}.services.${label}`, label, entry, variables, problems)];
      problems.add(path, `${at}.services.${label}: expected a table`);
      return [];
    }),
  };
  const newer = problems.isEmpty ? undefined : newerVersion(network.services);
  if (newer !== undefined)
    problems.add(path, `written by Switchyard ${newer}, this is v${VERSION}: use that version, or a newer one`);
  return { network, networks: names };
}

/** The version that a service of ours is of, if that is newer than this one: the file may have keys that this one lacks. */
function newerVersion(services: readonly ServiceEntry[]): string | undefined {
  const own = services.filter(({ localPath }) => localPath === '' || localPath.startsWith('builtin:'));
  return own.map(({ version }) => version).find((version) => isNewer(version, VERSION));
}

function isNewer(version: string, than: string): boolean {
  const [a = [], b = []] = [version, than].map((text) => /^v?(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number));
  const differs = a.findIndex((part, index) => part !== b[index]);
  return differs >= 0 && (a[differs] ?? 0) > (b[differs] ?? 0);
}

function getLayer(table: TomlTable, at: string, path: string, variables: Variables, problems: Problems) {
  return readLayer(table[LAYER_KEY], `${at}.${LAYER_KEY}`, path, problems, (value, where) =>
    problems.collect(() => expand(value, variables, where)),
  );
}

function startPosition(text: string, at: string, path: string, problems: Problems): StartPosition {
  if (text === 'before' || text === 'after') return text;
  problems.add(path, `${at}: expected "before" or "after", got ${JSON.stringify(text)}`);
  return 'after';
}

/** Reads texts of one table; a required one, if missing or of another type, is a problem. */
function textReader(path: string, at: string, table: TomlTable, variables: Variables, problems: Problems) {
  return (key: string, fallback?: string): string => {
    const value = table[key] ?? fallback;
    if (typeof value === 'string') {
      return problems.collect(() => expand(value, variables, `${path}: ${at}.${key}`)) ?? '';
    }
    problems.add(
      placeIn(path, `${at}.${key}`),
      `${at}.${key}: expected a text, got ${value === undefined ? 'nothing' : JSON.stringify(value)}`,
    );
    return '';
  };
}

/** A mistyped key would have no effect, silently. */
function refuseUnknown(
  table: TomlTable,
  known: readonly string[],
  owner: string,
  path: string,
  at: string,
  problems: Problems,
): void {
  for (const key of Object.keys(table).filter((name) => !known.includes(name))) {
    const hint = didYouMean(key, known) || `; ${owner} has ${known.join(', ')}`;
    const name = at === '' ? key : `${at}.${key}`;
    problems.add(placeIn(path, name), `${name}: no such key${hint}`);
  }
}

const isEmpty = (list: unknown) => list === undefined || (Array.isArray(list) && list.length === 0);

/** The reference's tool gives these to its CometBFT, and its files do not state them. */
function argumentsOfReference({ SWITCHYARD_INSTANCE = '' }: Variables): string[] {
  const home = join(SWITCHYARD_INSTANCE, 'data', '.cometbft');
  return existsSync(home) ? ['node', '--home', home] : [];
}

function readService(
  path: string,
  at: string,
  label: string,
  table: TomlTable,
  variables: Variables,
  problems: Problems,
): ServiceEntry {
  refuseUnknown(table, SERVICE_KEYS, 'a service', path, at, problems);
  const text = textReader(path, at, table, variables, problems);
  const texts = (key: string): string[] => {
    const list: unknown = table[key] ?? [];
    if (!Array.isArray(list)) problems.add(path, `${at}.${key}: expected a list of texts`);
    return (Array.isArray(list) ? list : []).map((item: unknown, index) =>
      textReader(path, `${at}.${key}`, { [index]: scalar(item) }, variables, problems)(String(index)),
    );
  };
  const env = table.env ?? {};
  if (!isTable(env)) problems.add(path, `${at}.env: expected a table`);
  return {
    label,
    name: text('name', label),
    version: text('version', ''),
    downloadUrl: text('download_url', ''),
    sha256: text('sha256', '').toLowerCase(),
    localPath: text('local_path', ''),
    cwd: table.cwd === undefined ? undefined : text('cwd'),
    args: isCometLabel(label) && isEmpty(table.args) ? argumentsOfReference(variables) : texts('args'),
    dependsOn: table.depends_on === undefined ? undefined : texts('depends_on'),
    // In an expression, `$` is no variable.
    ready: typeof table.ready === 'string' && table.ready.startsWith('log:') ? table.ready : text('ready', ''),
    watch: texts('watch'),
    env: Object.fromEntries(
      Object.entries(isTable(env) ? env : {}).map(([key, value]) => [
        key,
        textReader(path, `${at}.env`, { [key]: scalar(value) }, variables, problems)(key),
      ]),
    ),
  };
}
