import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Failure, Problems } from '../failure.ts';
import { BUILTIN_OF_LABEL, BUILTINS, type Builtin, type Builtins, isBuiltin } from './builtin.ts';
import type { Instance, ServiceEntry } from './instance.ts';
import type { PortUse, ServiceSpec } from './supervisor/spec.ts';

/** Variables of the user that every service gets, so that scripts, interpreters and locales work. */
const PASSED = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NO_COLOR'] as const;

/** A service that can be started: its process, and which of ours it is. */
export interface PlannedService extends ServiceSpec {
  readonly label: string;
  readonly version: string;
  readonly builtin: Builtin | undefined;
}

/**
 * Turns the files of an instance into processes to start, in start order.
 *
 * @throws {Failure} with one line for each service that cannot be started as described.
 */
export function planServices(
  instance: Instance,
  userEnv: NodeJS.ProcessEnv,
  builtins: Builtins = BUILTINS,
): PlannedService[] {
  const problems = new Problems();
  const shared = { ...passedOn(userEnv), SWITCHYARD_INSTANCE: instance.paths.directory, ...effectiveBase(instance) };
  const planned = instance.network.services.flatMap((entry) => {
    const spec = problems.collect(() => plan(entry, shared, instance, builtins));
    return spec === undefined ? [] : [spec];
  });
  problems.throwIfAny();
  checkPortsDiffer(planned, problems);
  problems.throwIfAny();
  const order = (service: PlannedService) => (service.builtin ? Object.keys(BUILTINS).indexOf(service.builtin) : 10);
  const sorted = planned.sort((a, b) => order(a) - order(b));
  // A program of the user's may connect once, when it starts, and give up. Ours wait for each other.
  const first = sorted.filter(({ builtin }) => builtin === 'sequencer' || builtin === 'composer');
  return sorted.map((service) => (service.builtin ? service : { ...service, after: first.map(({ name }) => name) }));
}

function passedOn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** What the network says wins over the base settings, as in the reference. */
function effectiveBase({ base, network }: Instance): Record<string, string> {
  return { ...base, ...networkSettings(network) };
}

type NetworkSettings = Pick<Instance['network'], 'sequencerGrpc' | 'sequencerRpc' | 'sequencerChainId'>;

function networkSettings({ sequencerGrpc, sequencerRpc, sequencerChainId }: NetworkSettings) {
  return {
    SVC_COMPOSER_SEQUENCER_ABCI_ENDPOINT: sequencerRpc,
    SVC_COMPOSER_SEQUENCER_GRPC_ENDPOINT: sequencerGrpc,
    SVC_COMPOSER_SEQUENCER_CHAIN_ID: sequencerChainId,
    SVC_CONDUCTOR_SEQUENCER_COMETBFT_URL: sequencerRpc,
    SVC_CONDUCTOR_SEQUENCER_GRPC_URL: sequencerGrpc,
    SVC_CONDUCTOR_EXPECTED_SEQUENCER_CHAIN_ID: sequencerChainId,
  };
}

/** One line for each base setting that has no effect because the network says otherwise. */
export function overruled({ base, network, paths }: Instance): string[] {
  return Object.entries(networkSettings(network)).flatMap(([name, value]) =>
    base[name] === undefined || base[name] === value
      ? []
      : [`${name.toLowerCase()} = ${base[name]} in ${paths.base} has no effect: ${paths.networks} says ${value}`],
  );
}

function plan(
  entry: ServiceEntry,
  shared: Readonly<Record<string, string>>,
  instance: Instance,
  builtins: Builtins,
): PlannedService {
  const where = `${instance.paths.networks}: networks.${instance.network.name}.services.${entry.label}`;
  const builtin = builtinOf(entry, where);
  const env = { ...shared, ...upperKnown(entry.env) };
  if (entry.cwd !== undefined && !isDirectory(entry.cwd)) {
    throw new Failure(`${where}.cwd: no directory ${entry.cwd}`);
  }
  const common = {
    label: entry.label,
    name: entry.name,
    version: entry.version,
    builtin,
    env,
    after: [],
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
  };
  if (builtin === undefined) {
    checkProgram(entry.localPath, where);
    return { ...common, command: entry.localPath, args: entry.args, own: false, ports: [] };
  }
  const { entry: file, ready } = builtins[builtin];
  if (!existsSync(file)) throw new Failure(`${where}: ${file} is absent: build first, with \`npm run build\``);
  const ports = portsOf(builtin, env, entry, instance);
  const probed = ports.find(({ setting }) => setting === ready.setting);
  return {
    ...common,
    command: process.execPath,
    args: [file, ...entry.args],
    own: true,
    ports,
    ...(probed === undefined || probed.port === 0
      ? {}
      : { ready: { url: `http://${probed.host}:${probed.port}${ready.path}`, port: probed.port } }),
  };
}

function builtinOf({ label, localPath, downloadUrl }: ServiceEntry, where: string): Builtin | undefined {
  if (localPath.startsWith('builtin:')) {
    const name = localPath.slice('builtin:'.length);
    const builtin = isBuiltin(name) ? name : BUILTIN_OF_LABEL[name];
    if (builtin !== undefined) return builtin;
    throw new Failure(`${where}.local_path: no builtin ${name}, there is ${Object.keys(BUILTINS).join(', ')}`);
  }
  if (localPath !== '') return undefined;
  if (downloadUrl !== '') {
    throw new Failure(`${where}.download_url: this version downloads nothing: set local_path to the program`);
  }
  const builtin = BUILTIN_OF_LABEL[label];
  if (builtin !== undefined) return builtin;
  throw new Failure(`${where}.local_path: is empty: give the absolute path of the program`);
}

function checkProgram(path: string, where: string): void {
  if (!isAbsolute(path)) throw new Failure(`${where}.local_path: expected an absolute path, got ${path}`);
  if (!existsSync(path)) throw new Failure(`${where}.local_path: no file ${path}`);
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Failure(`${where}.local_path: ${path} is not executable: \`chmod +x ${path}\``);
  }
  if (isDirectory(path)) throw new Failure(`${where}.local_path: ${path} is a directory, not a program`);
}

const isDirectory = (path: string) => existsSync(path) && statSync(path).isDirectory();

/** Settings of our services are upper case whatever a file says; a stranger's variables keep their spelling too. */
function upperKnown(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...env, ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value])) };
}

function portsOf(
  builtin: Builtin,
  env: Readonly<Record<string, string>>,
  entry: ServiceEntry,
  { paths, network }: Instance,
): PortUse[] {
  const own = Object.keys(entry.env).map((name) => name.toUpperCase());
  return BUILTINS[builtin].listeners.flatMap(({ setting, fallback, use, metrics }) => {
    if (metrics && /^(1|true|on|yes)$/i.test(env[metrics.unless] ?? '')) return [];
    const where = own.includes(setting)
      ? `${setting} in [networks.${network.name}.services.${entry.label}.env] of ${paths.networks}`
      : `${setting.toLowerCase()} in ${paths.base}`;
    const value = env[setting] ?? fallback;
    const [, host, port] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(value) ?? [];
    if (host === undefined || Number(port) > 65_535) {
      throw new Failure(`${where}: expected host:port, got ${JSON.stringify(value)}`);
    }
    return [{ service: entry.name, setting, where, use, host, port: Number(port) }];
  });
}

function checkPortsDiffer(services: readonly ServiceSpec[], problems: Problems): void {
  const taken = new Map<number, PortUse>();
  const names = new Set<string>();
  for (const service of services) {
    if (names.has(service.name)) problems.add(`service ${service.name}`, 'two services have this name');
    names.add(service.name);
    for (const use of service.ports) {
      const other = use.port === 0 ? undefined : taken.get(use.port);
      if (other === undefined) taken.set(use.port, use);
      else
        problems.add(
          `port ${use.port}`,
          `given to ${other.service} (${other.where}) and to ${use.service} (${use.where})`,
        );
    }
  }
}
