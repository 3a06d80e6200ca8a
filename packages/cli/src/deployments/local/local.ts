import { existsSync, readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { isFree } from '@switchyard/network/ports';
import { httpGet } from '@switchyard/network/supervisor/http-get';
import { plain } from '@switchyard/protocol/hidden-characters';
import { isLoopbackHost } from '@switchyard/service';
import { Failure } from '@switchyard/service/failure';
import { genesisDigest, type Manifest, manifestFields, problemsOnThisMachine } from '@switchyard/stack';
import type { Cli } from '../../cli.ts';
import type { Connections } from '../../connect.ts';
import { connectControl } from '../../dev/control/client.ts';
import { makeDirectory, readText, replaceFile } from '../../dev/files/files.ts';
import { type InstancePaths, instanceNames, instancePaths } from '../../dev/instance/home.ts';
import { currentRun } from '../../dev/instance/run-file.ts';
import { stopInstance } from '../../dev/instance/stop.ts';
import { showLogs } from '../../dev/logs/logs.ts';
import { startDetached } from '../../dev/run/detach.ts';
import { getStatus } from '../../dev/status/status.ts';
import { deploymentSignal } from '../../stop-signal.ts';
import { headAt, problemsAt } from '../cluster/functional.ts';
import { waitUntil } from '../cluster/wait.ts';
import { type Heights, heightsIn, newest } from '../heights.ts';
import { type Finding, refused, sorted } from '../preflight/finding.ts';
import { keyFindings } from '../preflight/keys.ts';
import { layerFindings } from '../preflight/layer.ts';
import { claimNetworkId, instanceFindings } from '../preflight/network-id.ts';
import { sequencerFindings } from '../preflight/sequencer.ts';
import {
  type CreateRequest,
  type Deployed,
  type Listed,
  type LogsOptions,
  type PartStatus,
  type Status,
  type Target,
  type Urls,
  urlsBy,
} from '../target.ts';
import { getFiles, getSite, NETWORK } from './files.ts';
import { type Choices, choosePorts, deploymentsHome, type Ports, readChoices, toPort, writeChoices } from './place.ts';

export interface LocalOptions {
  /** Root of all instances. */
  readonly home: string | undefined;
  /** Port of the reverse proxy. */
  readonly port: number | undefined;
}

const LOOPBACK = '127.0.0.1';

/** Supervised processes of this machine, which continue in the background, behind a reverse proxy on one port. */
export function localTarget(cli: Cli, connect: Connections, { home, port }: LocalOptions): Target {
  const root = deploymentsHome(home, cli.world.env);
  const signal = deploymentSignal(cli);

  async function create({ manifest, directory, keys, force, timeoutMs }: CreateRequest): Promise<Deployed> {
    const deadline = performance.now() + timeoutMs;
    const paths = instancePaths(root, manifest.name);
    const before = readChoices(paths);
    const program = manifest.program && resolve(directory, manifest.program);
    cli.nextStep = 'start it, or correct config.sequencer.rpc in the manifest';
    const isLocal = isLoopbackHost(new URL(manifest.sequencerRpc).hostname);
    const { hasDevKey, findings } = await keyFindings(manifest, keys, isLocal);
    const all: Finding[] = [
      ...problemsOnThisMachine(manifest).map(({ path, message }) => refused(`${path}: ${message}`)),
      ...findings,
      ...(await sequencerFindings(connect, manifest, keys, true)),
      ...(await instanceFindings(cli, connect, manifest)),
      ...(await layerFindings(manifest, keys, true)),
      ...chainFindings(manifest, before, paths),
      ...(await portFindings(before, port)),
      ...(program === undefined || existsSync(program)
        ? []
        : [refused(`${manifestFields.program.path}: no file ${program}: build it, or correct the manifest`)]),
    ];
    const { refusals, notes } = sorted(all, force);
    for (const note of notes) cli.note(note);
    if (refusals.length > 0) throw new Failure(refusals.join('\n'));
    await claimNetworkId(cli, connect, manifest, keys.sequencer);
    const chosen = before ?? (await choosePorts(root, port));
    const ports: Ports = { basePort: chosen.basePort, proxyPort: port ?? chosen.proxyPort };
    const urls = urlsBy(manifest, getSite(manifest, paths, ports).url);
    try {
      const choices = { ...ports, genesis: genesisDigest(manifest), urls };
      const files = getFiles(manifest, keys, { paths, ports, allowDevKey: hasDevKey, program });
      const isChanged = files.some(({ path, text }) => !existsSync(path) || readText(path) !== text);
      if (isChanged && currentRun(paths) !== undefined) {
        cli.note('the manifest has changed: stopping its processes, to start them with the new settings');
        await stopInstance(paths);
      }
      for (const directory of [paths.config, paths.data, paths.logs]) makeDirectory(directory);
      writeChoices(paths, choices);
      for (const { path, text, mode } of files) replaceFile(path, text, mode);
    } finally {
      if ('release' in chosen) await chosen.release();
    }
    await run(paths);
    await untilAnswering(urls, deadline, manifest.name);
    return { name: manifest.name, urls };
  }

  /** Starts everything, or the missing part. */
  async function run(paths: InstancePaths): Promise<void> {
    const control = await connectControl(paths);
    if (control === undefined) {
      await stopInstance(paths);
      await startDetached({ paths, args: ['--network', NETWORK, '--processes'], world: cli.world });
      return;
    }
    const { services } = await control.status();
    for (const { name, state } of services)
      if (['stopped', 'failed', 'finished'].includes(state)) await control.start(name);
  }

  const untilAnswering = (urls: Urls, deadline: number, name: string): Promise<true> =>
    waitUntil(
      async () => {
        const problems = await problemsAt(urls, LOOPBACK);
        return problems.length === 0
          ? { done: true }
          : { waiting: `waiting: ${problems.map(({ line }) => line).join('; ')}` };
      },
      { deadline, signal, note: cli.note },
      `see \`switchyard rollup deployment logs ${name} --target local\`, or run the same command again to continue`,
    );

  async function listed(paths: InstancePaths): Promise<Listed> {
    const { urls } = mustHave(paths);
    const state = currentRun(paths) === undefined ? 'stopped' : 'running';
    const head = state === 'running' ? await headAt(urls, LOOPBACK) : undefined;
    return {
      ...{ name: paths.name, where: paths.directory, state },
      ...(typeof head === 'number' ? { head } : {}),
    };
  }

  return {
    create,
    list: () => Promise.all(instanceNames(root).map((name) => listed(instancePaths(root, name)))),
    async status(name): Promise<Status> {
      const paths = instancePaths(root, name);
      const item = await listed(paths);
      const [parts, heights] = await Promise.all([getParts(paths, cli.world.env), getHeights(mustHave(paths))]);
      return { ...item, urls: mustHave(paths).urls, parts, heights };
    },
    async logs(name, { part, follow, lines }: LogsOptions) {
      const paths = instancePaths(root, name);
      mustHave(paths);
      const query = { services: part === undefined ? [] : [part], tail: lines, follow: follow ? signal : undefined };
      await showLogs(paths, cli.world.env, query, ({ service, text }) => {
        cli.world.stdout.write(`${part === undefined ? `${service} | ` : ''}${plain(text)}\n`);
      });
    },
    async delete(name, { volumes }) {
      const paths = instancePaths(root, name);
      mustHave(paths);
      await stopInstance(paths);
      if (volumes) rmSync(paths.directory, { recursive: true });
      else
        cli.note(
          `its processes are stopped; chain, claims and keys are kept in ${paths.directory}: remove them with --volumes`,
        );
    },
  };
}

/** @throws {Failure} if nothing of that name was deployed. */
function mustHave(paths: InstancePaths): Choices {
  const choices = readChoices(paths);
  if (choices !== undefined) return choices;
  const names = instanceNames(paths.home);
  throw new Failure(
    `no rollup ${paths.name} was deployed on this machine; there ${names.length === 0 ? 'is none' : `is ${names.join(', ')}`}`,
  );
}

/** A chain that has run keeps its genesis. */
function chainFindings(manifest: Manifest, before: Choices | undefined, paths: InstancePaths): Finding[] {
  const hasData = existsSync(paths.data) && readdirSync(paths.data).length > 0;
  if (before === undefined || !hasData || before.genesis === genesisDigest(manifest)) return [];
  return [
    refused(
      `rollup ${manifest.name} has a chain with another genesis in ${paths.data} (names, ids, first block, accounts or bridge differ): take these back in the manifest, or remove that chain with \`switchyard rollup deployment delete ${manifest.name} --target local --volumes\``,
    ),
  ];
}

async function portFindings(before: Choices | undefined, port: number | undefined): Promise<Finding[]> {
  if (port === undefined || port === before?.proxyPort || (await isFree(port))) return [];
  return [refused(`--port: something listens on ${port} already: name another`)];
}

/** Heights as conductor and relayer report them; a process that does not answer is left out. */
async function getHeights(ports: Ports): Promise<Heights> {
  const ask = async (process: 'conductor' | 'relayer') => {
    const answer = await httpGet(`http://${LOOPBACK}:${toPort(ports, process, 'health')}/status`).catch(
      () => undefined,
    );
    return answer === undefined ? {} : heightsIn(answer.body);
  };
  return newest(await Promise.all([ask('conductor'), ask('relayer')]));
}

async function getParts(paths: InstancePaths, env: NodeJS.ProcessEnv): Promise<PartStatus[]> {
  const { services } = await getStatus(paths, env);
  return services.map(({ name, state, reason, lastExit }) => ({
    name,
    isReady: state === 'ready',
    note: [state, reason, lastExit].filter((each) => each !== undefined).join(', '),
  }));
}
