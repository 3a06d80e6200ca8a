import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, Problems } from '@switchyard/service/failure';
import { didYouMean } from '@switchyard/service/settings';
import { isCometLabel } from '../comet/layout.ts';
import { lowerKeys, readToml } from '../files/toml.ts';
import { type InstancePaths, instanceArguments, instanceNames } from './home.ts';
import { LAYER_KEY, type NetworkLayer, readLayer } from './network-layer.ts';
import { ownName } from './own-name.ts';
import { type OpenFile, TableReader } from './table-reader.ts';

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
  const open = (path: string): OpenFile => ({ path, problems, variables });
  const base = problems.collect(() => readBase(open(paths.base)));
  const found = problems.collect(() => readNetwork(open(paths.networks), network));
  problems.throwIfAny();
  if (base === undefined || found === undefined) throw new Error('a problem was lost');
  return { paths, base, ...found };
}

/** Reads one flat table of texts, numbers and switches as environment variables. */
function readBase(file: OpenFile): Record<string, string> {
  const { path, problems } = file;
  const table = new TableReader(file, lowerKeys(readToml(path), path), '');
  const settings: Record<string, string> = {};
  const spelled = new Map<string, string>();
  for (const key of Object.keys(table.table)) {
    const name = ownName(key);
    const value = table.scalar(key);
    const other = spelled.get(name);
    if (other !== undefined && settings[name] !== value) {
      problems.add(path, `${other} and ${key} are two names of one setting and have different values: keep one`);
    }
    spelled.set(name, key);
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

function readNetwork(file: OpenFile, name: string) {
  const { path, problems } = file;
  const root = new TableReader(file, lowerKeys(readToml(path), path, ['env']), '');
  root.only(['networks']);
  const networks = root.has('networks') ? root.inner('networks') : undefined;
  const names = Object.keys(networks?.table ?? {});
  const table = names.includes(name.toLowerCase()) ? networks?.inner(name.toLowerCase()) : undefined;
  if (table === undefined) {
    const hint = didYouMean(name, names);
    throw new Failure(`${path}: no network ${JSON.stringify(name)}, there is ${names.join(', ') || 'none'}${hint}`);
  }
  table.only(NETWORK_KEYS);
  const services = table.has('services') ? table.inner('services') : undefined;
  const labels = Object.keys(services?.table ?? {});
  if (labels.length === 0)
    problems.add(path, `networks.${name}: no [networks.${name}.services.NAME], nothing would run`);
  const layer = table.has(LAYER_KEY) ? readLayer(table) : undefined;
  const position = table.text(START_POSITION_KEY, 'after');
  if (position !== 'before' && position !== 'after')
    table.wrong(START_POSITION_KEY, `expected "before" or "after", got ${JSON.stringify(position)}`);
  const network: Network = {
    name,
    sequencerChainId: table.text('sequencer_chain_id'),
    sequencerGrpc: table.text('sequencer_grpc'),
    sequencerRpc: table.text('sequencer_rpc'),
    rollupName: table.text('rollup_name'),
    nativeDenom: table.text('native_denom'),
    ...(table.has(START_PAGE_KEY) ? { startPage: table.text(START_PAGE_KEY) } : {}),
    ...(layer === undefined ? {} : { layer }),
    startPosition: position === 'before' ? 'before' : 'after',
    services: labels.flatMap((label) => {
      const entry = services?.inner(label);
      return entry === undefined ? [] : [readService(label, entry, file)];
    }),
  };
  return { network, networks: names };
}

function readService(label: string, table: TableReader, { variables }: OpenFile): ServiceEntry {
  table.only(SERVICE_KEYS);
  const texts = (key: string) => table.scalars(key, 'a list').map(([, text]) => text);
  const { ready } = table.table;
  const args = texts('args');
  return {
    label,
    name: table.text('name', label),
    version: table.text('version', ''),
    downloadUrl: table.text('download_url', ''),
    sha256: table.text('sha256', '').toLowerCase(),
    localPath: table.text('local_path', ''),
    cwd: table.has('cwd') ? table.text('cwd') : undefined,
    args: isCometLabel(label) && args.length === 0 ? argumentsOfReference(variables) : args,
    dependsOn: table.has('depends_on') ? texts('depends_on') : undefined,
    // In an expression, `$` is no variable.
    ready: typeof ready === 'string' && ready.startsWith('log:') ? ready : table.text('ready', ''),
    watch: texts('watch'),
    env: Object.fromEntries(table.scalars('env', 'a table')),
  };
}

/** The reference's tool gives these to its CometBFT, and its files do not state them. */
function argumentsOfReference({ SWITCHYARD_INSTANCE = '' }: OpenFile['variables']): string[] {
  const home = join(SWITCHYARD_INSTANCE, 'data', '.cometbft');
  return existsSync(home) ? ['node', '--home', home] : [];
}
