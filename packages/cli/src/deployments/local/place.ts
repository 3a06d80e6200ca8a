import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holdPorts } from '@switchyard/network/ports';
import { Failure } from '@switchyard/service/failure';
import { getProgram, LAYER_PROCESSES, type LayerProcess, PROCESSES, type Process } from '@switchyard/stack/programs';
import { parseJson, readText, replaceFile } from '../../dev/files/files.ts';
import { homeDirectory, type InstancePaths, instanceNames, instancePaths } from '../../dev/instance/home.ts';
import { nodeUrl, type Urls } from '../target.ts';

/*
 * A deployment of this machine is an instance of the development tool in a directory of its own, so that supervisor, logs and
 * commands are the same. Its files are written from the manifest.
 */

/** The root of all local deployments. */
export function deploymentsHome(home: string | undefined, env: NodeJS.ProcessEnv): string {
  return join(homeDirectory(home, env), 'deployments');
}

export interface Ports {
  /** The first of the ports of its processes, in the order of `NAMES`. */
  readonly basePort: number;
  /** Port of the reverse proxy. */
  readonly proxyPort: number;
}

/** Values that were chosen when a rollup was deployed first, and stay. */
export interface Choices extends Ports {
  /** Genesis of the chain that is on disk. */
  readonly genesis: string;
  readonly urls: Urls;
}

type Listening = Process | LayerProcess | 'proxy';

const getListeners = (process: Process | LayerProcess) =>
  [...Object.keys(getProgram(process).listeners), 'metrics'].map((port) => `${process} ${port}`);
/** Every listener, in the order of ports from the first. */
const NAMES = [...[...PROCESSES, ...LAYER_PROCESSES].flatMap(getListeners), 'proxy metrics'];
const BLOCK = NAMES.length;
/** Below the ports that systems give to outgoing connections, and away from those of development networks. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_000;
const FIRST_PROXY_PORT = 8_090;
const LAST_PROXY_PORT = 8_190;

export function toPort({ basePort }: Pick<Ports, 'basePort'>, process: Listening, port: string): number {
  return basePort + NAMES.indexOf(`${process} ${port}`);
}

const getFile = ({ directory }: InstancePaths) => join(directory, 'deployment.json');

/** Undefined if nothing was deployed. @throws {Failure} if the file was altered. */
export function readChoices(paths: InstancePaths): Choices | undefined {
  const file = getFile(paths);
  if (!existsSync(file)) return undefined;
  // A file of ours, which may have been edited.
  const read = parseJson(readText(file), file) as Partial<Choices>;
  if (Number.isInteger(read.basePort) && Number.isInteger(read.proxyPort) && nodeUrl(read.urls ?? {}) !== undefined)
    return read as Choices;
  throw new Failure(
    `${file}: expected what \`rollup deployment create\` has written: delete the deployment, or restore the file`,
  );
}

export function writeChoices(paths: InstancePaths, choices: Choices): void {
  replaceFile(getFile(paths), `${JSON.stringify(choices)}\n`, 0o600);
}

/**
 * Ports that no other local deployment has, and nothing listens on now. This process listens on them until they are released,
 * so that no other one chooses them in the meantime.
 */
export async function choosePorts(root: string, wantedProxyPort: number | undefined) {
  // Read after the ports are held: another process that had them has written its own down by then.
  const others = () => instanceNames(root).flatMap((name) => readChoices(instancePaths(root, name)) ?? []);
  const block = await holdPorts(
    range(FIRST_PORT, LAST_PORT, BLOCK),
    BLOCK,
    (base) => !others().some(({ basePort }) => Math.abs(basePort - base) < BLOCK),
  );
  if (block === undefined)
    throw new Failure(`no ${BLOCK} free ports in a row from ${FIRST_PORT} to ${LAST_PORT}: delete a deployment`);
  const proxy = await holdPorts(
    wantedProxyPort === undefined ? range(FIRST_PROXY_PORT, LAST_PROXY_PORT, 1) : [wantedProxyPort],
    1,
    (port) => port === wantedProxyPort || !others().some(({ proxyPort }) => proxyPort === port),
  );
  if (proxy === undefined) {
    await block.release();
    throw new Failure(
      wantedProxyPort === undefined
        ? `no free port from ${FIRST_PROXY_PORT} to ${LAST_PROXY_PORT}: name one with --port`
        : `--port: something listens on ${wantedProxyPort} already: name another`,
    );
  }
  return {
    ...{ basePort: block.first, proxyPort: proxy.first },
    /** Once they are written down, and before the processes start. */
    release: async () => void (await Promise.all([block.release(), proxy.release()])),
  };
}

function* range(from: number, to: number, step: number): Generator<number> {
  for (let at = from; at < to; at += step) yield at;
}
