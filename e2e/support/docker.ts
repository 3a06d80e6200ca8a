import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import type { Answer } from './front.ts';
import { root, run, until } from './network.ts';

/** A Docker engine of this test file's own, in namespaces of its own. Nothing of it is left after `stop`. */
export interface Docker {
  /** @throws with its report when it fails. */
  docker(...args: string[]): Promise<string>;
  /** `docker compose`, or its older program. */
  compose(...args: string[]): Promise<string>;
  /** Calls ports published on 127.0.0.1, as a client of the machine that the engine runs on. */
  ask(port: number, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

const SCRIPT = join(root, 'e2e', 'docker', 'engine.sh');
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const CGROUPS = '/sys/fs/cgroup';
const START_MS = 60_000;
const PROGRAMS = ['dockerd', 'docker', 'containerd', 'runc', 'iptables', 'ip', 'unshare', 'setpriv', 'nsenter', 'curl'];

/** With the files unpacked by scripts/docker.mjs. */
function environment(): NodeJS.ProcessEnv {
  const unpacked = join(cache, 'docker-debian');
  const programs = [join(unpacked, 'usr', 'sbin'), join(unpacked, 'usr', 'bin')];
  const lib = join(unpacked, 'lib');
  const libraries = existsSync(lib) ? readdirSync(lib).map((name) => join(lib, name)) : [];
  return {
    PATH: [process.env.PATH ?? '', ...programs].join(delimiter),
    LD_LIBRARY_PATH: libraries.join(delimiter),
  };
}

const isThere = (program: string) =>
  (environment().PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)));

function composeCommand(): readonly [string, ...string[]] | undefined {
  const env = { ...process.env, ...environment() };
  if (spawnSync('docker', ['compose', 'version'], { env, stdio: 'ignore' }).status === 0) return ['docker', 'compose'];
  return isThere('docker-compose') ? ['docker-compose'] : undefined;
}

/** Why no engine can run here; undefined if it can. Prints it, so that a skipped scenario has its reason in the output. */
export function dockerProblem(): string | undefined {
  const problem = findProblem();
  if (problem !== undefined) console.log(`no Docker engine: ${problem}; its scenarios are left out`);
  return problem;
}

function findProblem(): string | undefined {
  if (process.platform !== 'linux') return `needs Linux, got ${process.platform}`;
  if (process.getuid?.() !== 0) return 'needs root for namespaces';
  const missing = PROGRAMS.filter((program) => !isThere(program));
  if (missing.length > 0) return `missing ${missing.join(', ')} (node scripts/docker.mjs unpacks the engine)`;
  if (composeCommand() === undefined) return 'missing docker compose';
  const probe = spawnSync('unshare', [
    '--net',
    '--mount',
    '--pid',
    '--fork',
    'ip',
    'link',
    'add',
    'probe',
    'type',
    'bridge',
  ]);
  return probe.status === 0 ? undefined : 'cannot make namespaces and bridges';
}

/** @throws when it does not serve in time, with its report. */
export async function startDocker(): Promise<Docker> {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-docker-'));
  const env = { ...environment(), DOCKER_HOST: `unix://${join(directory, 'docker.sock')}`, HOME: directory };
  const child = spawn('bash', [SCRIPT, directory], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let reported = '';
  child.stderr.on('data', (chunk: Uint8Array) => (reported += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const printed = async (command: string, args: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(command, args, env, directory);
    if (status !== 0) throw new Error(`${[command, ...args].join(' ')}: ${stderr.trim()}`);
    return stdout;
  };
  const [program, ...first] = composeCommand() ?? ['docker', 'compose'];
  const docker = (...args: string[]) => printed('docker', args);
  await until('the engine serves', async () => (await docker('info')) && true, START_MS, 200).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}: ${reported.trim().split('\n').slice(-5).join('\n')}`);
    },
  );
  // The first process of the namespaces.
  const inside = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  return {
    docker,
    compose: (...args) => printed(program, [...first, ...args]),
    async ask(port, path, body) {
      const posted =
        body === undefined ? [] : ['--header', 'content-type: application/json', '--data', JSON.stringify(body)];
      const text = await printed('nsenter', [
        ...['--net', `--target=${inside}`, 'curl', '--silent', '--max-time', '10', '--write-out', '\n%{http_code}'],
        ...[...posted, `http://localhost:${port}${path}`],
      ]);
      const end = text.lastIndexOf('\n');
      return { status: Number(text.slice(end + 1)), text: text.slice(0, end) };
    },
    async stop() {
      // Before the engine: their control groups are not of its namespaces.
      const ids = (await docker('ps', '--all', '--quiet')).split('\n').filter((id) => id !== '');
      if (ids.length > 0) await docker('rm', '--force', '--volumes', ...ids);
      child.kill('SIGKILL');
      await ended;
      const groups = readdirSync(CGROUPS).map((name) => join(CGROUPS, name, basename(directory)));
      for (const group of [...groups, join(CGROUPS, basename(directory))])
        if (existsSync(group)) spawnSync('find', [group, '-depth', '-type', 'd', '-delete']);
      rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
