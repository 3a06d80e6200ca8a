import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root, run, until } from './network.ts';

/** The program, from `SWITCHYARD_GETH`, the place where `scripts/geth.mjs` builds it, or the PATH. */
export const geth: string | undefined = findGeth();

function findGeth(): string | undefined {
  const set = process.env.SWITCHYARD_GETH;
  if (set !== undefined && set !== '') return set;
  const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('geth-')) : [];
  const places = [...built.map((name) => join(cache, name)), ...(process.env.PATH ?? '').split(delimiter)];
  return places.map((directory) => join(directory, 'geth')).find((file) => existsSync(file));
}

/** True if scenarios with geth can run; else prints that they are left out. */
export function gethIsThere(): boolean {
  if (geth === undefined)
    console.log('no geth found: its scenarios are left out (node scripts/geth.mjs builds it, with Go)');
  return geth !== undefined;
}

export interface GethOptions {
  /** Text of the genesis file. */
  readonly genesis: string;
  /** Gas limit of every block; geth takes it from its command line, not from the genesis. */
  readonly gasLimit: number | bigint;
  readonly chainId?: number;
  /** Flags instead of `--gcmode archive`, and `hash` or `path`. */
  readonly gcmode?: 'archive' | 'full';
  readonly scheme?: 'hash' | 'path';
  readonly args?: readonly string[];
}

/** A geth with a data directory of its own, which can be killed and started again. */
export interface GethProcess {
  /** Its unix socket. */
  readonly ipc: string;
  readonly home: string;
  readonly output: string;
  /** Undefined while it does not run. */
  readonly pid: number | undefined;
  /** Resolves when the socket answers. */
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Kills it and removes all that it had. */
  dispose(): Promise<void>;
}

/** Makes a data directory with this genesis. Nothing is started yet. */
export async function createGeth(options: GethOptions): Promise<GethProcess> {
  const { genesis, gasLimit, chainId = 1337, gcmode = 'archive', scheme = 'hash', args = [] } = options;
  const home = mkdtempSync(join(tmpdir(), 'switchyard-geth-'));
  const data = join(home, 'data');
  const ipc = join(home, 'geth.ipc');
  writeFileSync(join(home, 'genesis.json'), genesis);
  const made = await run(geth ?? '', ['init', '--datadir', data, '--state.scheme', scheme, join(home, 'genesis.json')]);
  if (made.status !== 0) throw new Error(`geth init: ${made.stderr.slice(-2_000)}`);
  const flags = [
    ...['--datadir', data, '--networkid', String(chainId), '--syncmode', 'full', '--gcmode', gcmode],
    ...['--nodiscover', '--maxpeers', '0', '--nat', 'none', '--port', '0', '--cache', '128'],
    ...['--miner.gaslimit', String(gasLimit), '--ipcpath', ipc, '--authrpc.port', '0', ...args],
  ];
  let child: ChildProcess | undefined;
  let output = '';
  const alive = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  const process: GethProcess = {
    ipc,
    home,
    get output() {
      return output;
    },
    get pid() {
      return alive() ? child?.pid : undefined;
    },
    async start() {
      if (alive()) return;
      const started = spawn(geth ?? '', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
      started.stderr.on('data', (chunk: Uint8Array) => {
        output = `${output}${String(chunk)}`.slice(-100_000);
      });
      child = started;
      const answer = await until<true | 'ended'>('geth answers', () => (alive() ? connects(ipc) : 'ended'), 60_000);
      if (answer === 'ended') throw new Error(`geth ended: ${output.slice(-2_000)}`);
    },
    async stop(signal = 'SIGTERM') {
      if (child === undefined || !alive()) return;
      const stopping = child;
      const ended = new Promise((resolve) => stopping.once('exit', resolve));
      stopping.kill(signal);
      await ended;
    },
    async dispose() {
      await process.stop('SIGKILL');
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return process;
}

/** Whether a process listens at a unix socket or on a port of this machine. */
export function connects(to: string | number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const probe = typeof to === 'string' ? connect(to) : connect(to, '127.0.0.1');
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(undefined));
  });
}
