import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { bool } from '@switchyard/service/settings';
import type { Program, ProgramName } from '@switchyard/stack/process';
import { nodeFlagsOf, PROGRAMS } from '@switchyard/stack/programs';
import { Failure, Problems } from '../../failure.ts';
import { celestiaService } from '../celestia/service.ts';
import { cometService } from '../comet/service.ts';
import { environmentOf, overriddenSettings } from '../config/settings.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { INSTANCE_VARIABLE } from '../instance/run-file.ts';
import type { PortUse, ServiceSpec } from '../supervisor/spec.ts';
import { BUILTINS, type Builtins } from './builtin.ts';
import { inStartOrder, roleOf } from './order.ts';
import type { PlannedService } from './planned.ts';
import { checkApart, listenersOf, portOfReadiness, readinessOf } from './ports.ts';
import { type Program as ProgramFile, programOf } from './program.ts';

/** Where the sequencer answers the CometBFT that runs it. */
const ABCI_SETTING = PROGRAMS.sequencer.fields.listenAddr.names[0];

/** Variables of the user that every service gets, so that scripts, interpreters and locales work. */
const PASSED = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NO_COLOR'] as const;

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
  const shared = { ...passedOn(userEnv), [INSTANCE_VARIABLE]: instance.paths.directory };
  const planned = instance.network.services.flatMap((entry) => {
    const service = problems.collect(() => plan(entry, shared, instance, builtins, userEnv));
    return service === undefined || isOff(service) ? [] : [{ entry, service, role: roleOf(entry, service.builtin) }];
  });
  problems.throwIfAny();
  checkApart(
    planned.map(({ service }) => service),
    instance,
    problems,
  );
  const ordered = problems.collect(() => inStartOrder(planned, instance));
  problems.throwIfAny();
  return ordered ?? [];
}

/** Some services are part of every instance and can be left out by a setting. */
function isOff({ builtin, env }: PlannedService): boolean {
  if (builtin === undefined) return false;
  const { enabled }: Program = PROGRAMS[builtin];
  return enabled !== undefined && bool.fromText(env[enabled.names[0]] ?? 'true') === false;
}

function passedOn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** One line for each base setting that the network overrides. */
export function overruled(instance: Instance): string[] {
  const { base, networks } = instance.paths;
  return overriddenSettings(instance).map(
    ({ name, value, ineffective }) =>
      `${name.toLowerCase()} = ${ineffective} in ${base} has no effect: ${networks} has ${value}`,
  );
}

function plan(
  entry: ServiceEntry,
  shared: Readonly<Record<string, string>>,
  instance: Instance,
  builtins: Builtins,
  userEnv: NodeJS.ProcessEnv,
): PlannedService {
  const { label, name, version, cwd } = entry;
  const watch = entry.watch.map((path) => resolve(cwd ?? instance.paths.directory, path));
  const where = `${instance.paths.networks}: networks.${instance.network.name}.services.${label}`;
  const program = programOf(entry, instance.paths, where, userEnv);
  if (cwd !== undefined && !isDirectory(cwd)) throw new Failure(`${where}.cwd: no directory ${cwd}`);
  const { NODE_OPTIONS: flags, ...env } = { ...shared, ...environmentOf(instance, entry) };
  const common = { label, name, version, watch, after: [], ...(cwd === undefined ? {} : { cwd }) };
  const ready = readinessOf(entry, where);
  if (program.kind === 'builtin') {
    const file = builtins[program.builtin];
    if (!existsSync(file)) throw new Failure(`${where}: ${file} is absent: build first, with \`npm run build\``);
    const ports = listenersOf(program.builtin, env, entry, instance);
    return {
      ...common,
      builtin: program.builtin,
      ownOptions: flags !== undefined || entry.args.length > 0,
      command: process.execPath,
      args: [
        ...(flags ?? nodeFlagsOf(PROGRAMS[program.builtin])).split(/\s+/).filter((flag) => flag !== ''),
        file,
        ...entry.args,
      ],
      env,
      own: true,
      ports,
      ...withReady(ready ?? usualReadiness(program.builtin, ports)),
    };
  }
  const options = Object.entries(entry.env).find(([key]) => key.toUpperCase() === 'NODE_OPTIONS')?.[1];
  const comet = cometService(entry, env, where);
  const celestia = celestiaService(entry, where);
  const asked = portOfReadiness(ready, entry, instance);
  return {
    ...common,
    ...commandOf(program),
    builtin: undefined,
    ownOptions: false,
    args: entry.args,
    // The base settings' flags are for our services; a program's own table may have others.
    env: { ...comet?.env, ...env, ...(options === undefined ? {} : { NODE_OPTIONS: options }) },
    own: false,
    ports: comet?.ports ?? celestia?.ports ?? asked,
    // It ends by itself, without an error, when its application is gone.
    ...(comet === undefined ? {} : { comet, endless: true }),
    ...(celestia === undefined ? {} : { celestia, endless: true }),
    ...withReady(ready ?? comet?.ready),
  };
}

function commandOf(program: Exclude<ProgramFile, { kind: 'builtin' }>) {
  if (program.kind === 'file') return { command: program.path };
  return { command: program.download.command, download: program.download };
}

function withReady(ready: ServiceSpec['ready']) {
  return ready === undefined ? {} : { ready };
}

/** A service of ours is asked where its settings say that it answers; under CometBFT the sequencer has no RPC of its own. */
function usualReadiness(name: ProgramName, ports: readonly PortUse[]): ServiceSpec['ready'] {
  const { ready, listeners }: Program = PROGRAMS[name];
  const application = ports.find(({ setting }) => setting === ABCI_SETTING);
  const asked = listeners[ready.listener]?.field.names[0];
  const { host, port } = application ?? ports.find(({ setting }) => setting === asked) ?? {};
  if (host === undefined || port === undefined || port === 0) return undefined;
  if (application !== undefined) return { kind: 'tcp', host, port };
  return { kind: 'http', url: `http://${host}:${port}${ready.path}`, port };
}

const isDirectory = (path: string) => existsSync(path) && statSync(path).isDirectory();
