import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PortUse, ServiceSpec } from '@switchyard/network/supervisor/spec';
import { Failure, Problems } from '@switchyard/service/failure';
import { bool, didYouMean } from '@switchyard/service/settings';
import { PROGRAM_NAMES, type ProgramName, programNamed } from '@switchyard/stack/network';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS, toNodeFlags } from '@switchyard/stack/programs';
import { celestiaService, completeEntry } from '../celestia/service.ts';
import { cometService } from '../comet/service.ts';
import { toEnvironment } from '../config/settings.ts';
import type { Instance, ServiceEntry } from '../instance/instance.ts';
import { INSTANCE_VARIABLE } from '../instance/run-file.ts';
import { BUILTINS, type Builtins } from './builtin.ts';
import type { PlannedService } from './planned.ts';
import { checkApart, findReadiness, getListeners, portOfReadiness } from './ports.ts';
import { getProgram, type Program as ProgramFile } from './program.ts';

/** Address of the sequencer for its CometBFT. */
const ABCI_SETTING = PROGRAMS.sequencer.fields.listenAddr.names[0];

/** Variables of the user that every service gets, so that scripts, interpreters and locales work. */
const PASSED = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NO_COLOR'] as const;

/**
 * Turns the files of an instance into processes to start, in start order.
 *
 * @throws {Failure} with one line for each service that cannot be started as described.
 */
export function planServices(
  stated: Instance,
  userEnv: NodeJS.ProcessEnv,
  builtins: Builtins = BUILTINS,
): PlannedService[] {
  const problems = new Problems();
  const shared = { ...passedOn(userEnv), [INSTANCE_VARIABLE]: stated.paths.directory };
  const services = stated.network.services.map(
    (entry) => problems.collect(() => completeEntry(stated, entry)) ?? entry,
  );
  const instance = { ...stated, network: { ...stated.network, services } };
  const planned = services.flatMap((entry) => {
    const service = problems.collect(() => plan(entry, shared, instance, builtins, userEnv));
    return service === undefined || isOff(service) ? [] : [service];
  });
  problems.throwIfAny();
  checkApart(planned, instance, problems);
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
  const program = getProgram(entry, instance.paths, where, userEnv);
  if (cwd !== undefined && !isDirectory(cwd)) throw new Failure(`${where}.cwd: no directory ${cwd}`);
  const { NODE_OPTIONS: flags, ...env } = { ...shared, ...toEnvironment(instance, entry) };
  const common = { label, name, version, watch, after: [], ...(cwd === undefined ? {} : { cwd }) };
  const ready = findReadiness(entry, where);
  if (program.kind === 'builtin') {
    const file = builtins[program.builtin];
    if (!existsSync(file)) throw new Failure(`${where}: ${file} is absent: build first, with \`npm run build\``);
    const ports = getListeners(program.builtin, env, entry, instance);
    return {
      ...common,
      ...{ builtin: program.builtin, role: program.builtin },
      ownOptions: flags !== undefined || entry.args.length > 0,
      command: process.execPath,
      args: [
        ...(flags ?? toNodeFlags(PROGRAMS[program.builtin])).split(/\s+/).filter((flag) => flag !== ''),
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
  const celestia = celestiaService(instance, entry);
  const wanted = portOfReadiness(ready, entry, instance);
  return {
    ...common,
    ...toCommand(program),
    ...{ builtin: undefined, role: programNamed(label) },
    ownOptions: false,
    args: entry.args,
    // The base settings' flags are for our services; a program's own table may have others.
    env: { ...comet?.env, ...env, ...(options === undefined ? {} : { NODE_OPTIONS: options }) },
    own: false,
    ports: comet?.ports ?? celestia?.ports ?? wanted,
    // It ends on its own, without an error, when its application is gone.
    ...(comet === undefined ? {} : { comet, endless: true }),
    ...(celestia === undefined ? {} : { celestia, endless: true }),
    ...withReady(ready ?? comet?.ready),
  };
}

function toCommand(program: Exclude<ProgramFile, { kind: 'builtin' }>) {
  if (program.kind === 'file') return { command: program.path };
  return { command: program.download.command, download: program.download };
}

function withReady(ready: ServiceSpec['ready']) {
  return ready === undefined ? {} : { ready };
}

/** A service of ours is probed at the address in its settings; under CometBFT the sequencer has no RPC of its own. */
function usualReadiness(name: ProgramName, ports: readonly PortUse[]): ServiceSpec['ready'] {
  const { ready, listeners }: Program = PROGRAMS[name];
  const application = ports.find(({ setting }) => setting === ABCI_SETTING);
  const wanted = listeners[ready.listener]?.field.names[0];
  const { host, port } = application ?? ports.find(({ setting }) => setting === wanted) ?? {};
  if (host === undefined || port === undefined || port === 0) return undefined;
  if (application !== undefined) return { kind: 'tcp', host, port };
  return { kind: 'http', url: `http://${host}:${port}${ready.path}`, port };
}

const isDirectory = (path: string) => existsSync(path) && statSync(path).isDirectory();

/** The services with their dependencies, in an order that starts needed ones first. @throws {Failure} */
function inStartOrder(planned: readonly PlannedService[], instance: Instance): PlannedService[] {
  const genericFirst = instance.network.startPosition === 'before';
  const stated = new Map(instance.network.services.map(({ label, dependsOn }) => [label, dependsOn]));
  const services = planned
    .toSorted((a, b) => toRank(a, genericFirst) - toRank(b, genericFirst))
    .map((one): PlannedService => {
      const labels = stated.get(one.label);
      const usual = genericFirst && one.role === undefined ? [] : usualAfter(one, planned);
      const after = labels === undefined ? usual : named(one, labels, planned, instance);
      return { ...one, after, needs: getNeeds(one, planned) };
    });
  return sorted(services, instance);
}

const ORDER: readonly string[] = PROGRAM_NAMES;

/** Ours in their order, then the user's programs; programs that stand for none of ours last, or before all others. */
function toRank({ builtin, role }: PlannedService, genericFirst: boolean): number {
  if (role === undefined) return genericFirst ? -1 : 2 * ORDER.length;
  return ORDER.indexOf(role) + (builtin === undefined ? ORDER.length : 0);
}

/**
 * A program of the user's may connect once, when it starts, and give up: it comes after sequencer and composer, unless
 * it is one of them. Ours wait for each other on their own, which is faster.
 */
function usualAfter({ builtin, role }: PlannedService, planned: readonly PlannedService[]): string[] {
  if (builtin !== undefined) return [];
  const first: readonly ProgramName[] =
    role === 'sequencer' ? [] : role === 'composer' ? ['sequencer'] : ['sequencer', 'composer'];
  return first.flatMap((each) => planned.filter((other) => other.role === each).map(({ name }) => name));
}

/** Needed services, by name: of the rollups, a conductor needs its own, a faucet that of its funds. */
function getNeeds({ builtin, env }: PlannedService, planned: readonly PlannedService[]): string[] {
  if (builtin === undefined) return [];
  const kind = env[PROGRAMS.faucet.fields.kind.names[0]] ?? 'evm';
  const needs: readonly ProgramName[] = PROGRAMS[builtin].needs;
  const roles = needs.filter((role) => builtin !== 'faucet' || role === kind);
  const found = planned.filter(({ role }) => role !== undefined && roles.includes(role));
  const called = builtin === 'conductor' ? portIn(env[PROGRAMS.conductor.fields.executionRpcUrl.names[0]]) : undefined;
  const isFed = ({ ports }: PlannedService) => ports.some(({ port }) => port !== 0 && port === called);
  const isRollup = ({ role }: PlannedService) => role === 'messenger' || role === 'evm';
  const anyFed = found.some((one) => isRollup(one) && isFed(one));
  return found.filter((one) => !anyFed || !isRollup(one) || isFed(one)).map(({ name }) => name);
}

function portIn(url: string | undefined): number | undefined {
  return url !== undefined && URL.canParse(url) ? Number(new URL(url).port) : undefined;
}

function named(
  { label: by }: PlannedService,
  labels: readonly string[],
  planned: readonly PlannedService[],
  { paths, network }: Instance,
): string[] {
  return labels.map((label) => {
    const found = planned.find((other) => other.label === label) ?? planned.find(({ name }) => name === label);
    if (found !== undefined) return found.name;
    const known = planned.map((other) => other.label);
    throw new Failure(
      `${paths.networks}: networks.${network.name}.services.${by}.depends_on: no service ${label}, there is ${known.join(', ')}${didYouMean(label, known)}`,
    );
  });
}

function sorted(services: readonly PlannedService[], { paths, network }: Instance): PlannedService[] {
  const done: PlannedService[] = [];
  const left = [...services];
  while (left.length > 0) {
    const names = new Set(done.map(({ name }) => name));
    const next = left.findIndex(({ after }) => after.every((name) => names.has(name)));
    const [service] = left.splice(next, next === -1 ? 0 : 1);
    if (service === undefined) {
      throw new Failure(
        `${paths.networks}: networks.${network.name}.services: these wait for each other by depends_on, so none could start: ${left.map(({ label }) => label).join(', ')}`,
      );
    }
    done.push(service);
  }
  return done;
}
