import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRunning } from '@switchyard/network/supervisor/processes';
import { wallClock } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { readValue } from '@switchyard/service/lenient';
import { quoted } from '@switchyard/storage/damaged';
import { checkInstance } from '../config/check/check.ts';
import { type InstancePaths, instanceArguments } from '../instance/home.ts';
import { type Instance, readInstance } from '../instance/instance.ts';
import { currentRun, getOwner, type RunFile, readRunFile } from '../instance/run-file.ts';
import { takenPorts } from '../run/port-check.ts';
import { type Flags, readAsRun, withFlags } from '../services/flags.ts';
import type { PlannedService } from '../services/planned.ts';
import { planServices } from '../services/services.ts';
import { fetchJson, syncInfo } from '../status/pages.ts';
import { getStatus } from '../status/status.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import { firmFindings, layerFindings } from './layer.ts';
import { serviceFindings } from './programs.ts';

/** Findings about everything that prevents one instance from running, or looks odd. */
export async function instanceFindings(
  paths: InstancePaths,
  network: string,
  env: NodeJS.ProcessEnv,
  flags: Flags = {},
): Promise<Finding[]> {
  const init = `switchyard dev init${instanceArguments(paths)}`;
  if (!existsSync(paths.networks)) {
    return [warn('instance', `there is no ${paths.name} in ${paths.home}`, `make it with \`${init}\``)];
  }
  const run = currentRun(paths);
  const early = [...lockFindings(paths, run), ...keyFindings(paths)];
  let instance: Instance;
  try {
    instance =
      run === undefined ? withFlags(readInstance(paths, network, env), flags) : readAsRun(paths, run.network, env);
  } catch (error) {
    return [...early, ...failures('settings', error, 'correct the file; `switchyard dev config check` looks closer')];
  }
  const services = await serviceFindings(instance, env, run);
  let planned: PlannedService[] = [];
  const settings: Finding[] = [];
  try {
    planned = planServices(instance, env);
    settings.push(ok('settings', `network ${instance.network.name}: ${planned.length} services`));
  } catch (error) {
    // Problems of a service's program are reported there.
    if (services.every(({ level }) => level !== 'fail'))
      settings.push(...failures('settings', error, 'correct the file'));
  }
  const ports = run === undefined ? await portFindings(planned, paths) : await runFindings(paths, env);
  const agreement = planned.length === 0 ? [] : agreementFindings(instance, env);
  const layer = await layerFindings(instance, run !== undefined);
  const firm = run === undefined ? [] : await firmFindings(instance, layer);
  const time = await timeFindings(instance, run);
  return [...settings, ...agreement, ...services, ...ports, ...layer, ...firm, ...early, ...time];
}

/** Findings of `dev config check`, a line each. */
function agreementFindings(instance: Instance, env: NodeJS.ProcessEnv): Finding[] {
  const { paths } = instance;
  const found = checkInstance(paths, { env, instance });
  if (found.length === 0) return [ok('agreement', 'a start can read the files, and their settings agree')];
  return found.map(({ severity, problem, places, fix }) => {
    const where = places.map(({ file, key, value }) => `${basename(file)} has ${key} = ${value}`).join('; ');
    return (severity === 'error' ? fail : warn)('agreement', [problem, where].filter(Boolean).join(': '), fix);
  });
}

/** One finding for each line of a failure. */
function failures(check: string, error: unknown, advice: string): Finding[] {
  if (!(error instanceof Failure)) throw error;
  return error.message.split('\n').map((line) => fail(check, line, advice));
}

async function portFindings(planned: readonly PlannedService[], { home }: InstancePaths): Promise<Finding[]> {
  const uses = planned.flatMap(({ ports }) => ports).filter(({ port }) => port !== 0);
  const taken = (await takenPorts(uses, getOwner(home))).map(({ what, advice }) => fail('ports', what, advice));
  const numbers = uses.map(({ port }) => port).sort((a, b) => a - b);
  if (taken.length > 0 || numbers.length === 0) return taken;
  return [ok('ports', `${numbers.join(', ')} are free`)];
}

/** Findings about a running instance: its ports are its own, so only the answers of its services on them count. */
async function runFindings(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { services, halt } = await getStatus(paths, env);
  const found = services.map(({ name, state, pid, ports, reason }) => {
    const where = ports.length === 0 ? '' : `, port ${ports.join(', ')}`;
    if (state === 'ready') return ok('running', `${name} answers (process ${pid}${where})`);
    const advice = `look at \`switchyard dev logs ${name}${instanceArguments(paths)}\``;
    return warn('running', `${name} is ${state === 'stopped' ? 'stopped' : `not ready: ${reason}`}`, advice);
  });
  if (halt === undefined) return found;
  return [...found, fail('blocks', `the sequencer makes none: ${halt}`, 'start the nodes that do not answer')];
}

function lockFindings(paths: InstancePaths, run: RunFile | undefined): Finding[] {
  const findings: Finding[] = [];
  const stale = run === undefined ? readRunFile(paths) : undefined;
  if (run !== undefined)
    findings.push(ok('lock', `held by \`dev run\`, process ${run.tool.pid}, since ${run.startedAt}`));
  else if (stale === undefined)
    findings.push(ok('lock', existsSync(paths.run) ? 'not held; run.json is damaged' : 'not held'));
  else {
    const left = stale.services.filter(isRunning);
    const who = left.map(({ name, pid }) => `${name} (process ${pid})`).join(', ');
    const text = `${paths.run}: process ${stale.tool.pid}, which wrote it, is gone`;
    const end = `end them with \`switchyard dev stop${instanceArguments(paths)}\``;
    if (left.length > 0) findings.push(warn('lock', `${text} and left ${who}`, end));
    else findings.push(warn('lock', text, 'nothing to do: the next `switchyard dev run` replaces it'));
  }
  const unfinished = entries(paths.directory).filter((name) => /^\.restore-\d+$|^before-restore-\d+$/.test(name));
  for (const name of unfinished) {
    const [what, advice] = name.startsWith('before')
      ? ['the state before a restore', 'remove it when you do not need it']
      : [
          'a restore was cut short, or is under way',
          '`switchyard dev snapshot save NAME` puts the state before it back',
        ];
    findings.push(warn('restore', `${join(paths.directory, name)}: ${what}`, advice));
  }
  return findings;
}

function keyFindings(paths: InstancePaths): Finding[] {
  const remedy = `\`switchyard dev init${instanceArguments(paths)}\` writes missing files`;
  return [...new Set([paths.validatorKey, paths.composerKey, ...keyFilesBelow(paths.config)])].map((path) => {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined) return warn('keys', `${path} is absent`, remedy);
    const mode = (status.mode & 0o777).toString(8).padStart(3, '0');
    if ((status.mode & 0o077) !== 0) {
      return warn('keys', `${path} can be read by others (mode ${mode})`, `\`chmod 600 ${quoted(path)}\``);
    }
    const uid = process.getuid?.();
    if (uid !== undefined && uid !== 0 && status.uid !== uid) {
      return fail('keys', `${path} belongs to another user (${status.uid})`, 'run as that user, or `chown` it');
    }
    return ok('keys', `${path} (mode ${mode})`);
  });
}

/** Keys and secrets, also those of nodes under CometBFT. */
function keyFilesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /(_priv_key|_secret|_key\.json)$/.test(name)).map((name) => join(directory, name));
}

const entries = (directory: string) => (existsSync(directory) ? readdirSync(directory) : []);

/** Two clocks of one machine differ by less; a block is dated when it is begun. */
const TOLERATED_MS = 5_000;

/** Compares the clock with the last time written by the network: block times never go back, so neither may the clock. */
async function timeFindings({ paths, network }: Instance, run: RunFile | undefined): Promise<Finding[]> {
  if (run === undefined) return [checkStored(newestBelow(paths.data), wallClock.unixMs())];
  const last = await fetchJson(`${network.sequencerRpc}/status`);
  const at = readValue(last, (status) => Date.parse(syncInfo(status).at('latest_block_time').text()));
  if (at === undefined || Number.isNaN(at)) {
    return [warn('clock', `${network.sequencerRpc} does not say when its last block was`, 'see whether it runs')];
  }
  return [checkBlockTime(at, wallClock.unixMs())];
}

/** @param now Both in milliseconds since 1970. */
export function checkBlockTime(block: number, now: number): Finding {
  const seconds = Math.round(Math.abs(now - block) / 1_000);
  const last = "the sequencer's last block is";
  if (block - now > TOLERATED_MS)
    return fail('clock', `${last} dated ${seconds} s in the future`, 'set the clock by the network');
  const old = `${last} ${seconds} s old`;
  return now - block > 60_000
    ? warn('clock', old, 'it makes none, or the clocks differ: see its log')
    : ok('clock', old);
}

/** @param newest When the state was last written; `undefined`: there is none. */
export function checkStored(newest: number | undefined, now: number): Finding {
  if (newest === undefined) return ok('clock', 'nothing stored to compare it with');
  if (newest - now <= TOLERATED_MS) return ok('clock', 'after all that is stored');
  const seconds = Math.round((newest - now) / 1_000);
  return warn('clock', `state was stored ${seconds} s in the future`, 'the clock was set back: set it by the network');
}

function newestBelow(directory: string): number | undefined {
  if (!existsSync(directory)) return undefined;
  const times = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return times.length === 0 ? undefined : times.reduce((newest, time) => Math.max(newest, time), 0);
}
