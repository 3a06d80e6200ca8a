import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PORTS as LOCAL_PORTS, ReservedPorts } from '@switchyard/cli/dev';
import type { Kind, ProgramName } from '@switchyard/stack/network';
import { nodePorts, usualPort } from '@switchyard/stack/ports';
import { PROGRAMS } from '@switchyard/stack/programs';
import { recordUnhandled } from './unhandled.ts';

/** The repository: this file runs from e2e/support and, built, from e2e/dist/support. */
export const root = import.meta.dirname.replace(/\/e2e(\/dist)?\/support$/, '');
const switchyardBin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const rollupCliBin = join(root, 'packages', 'cli', 'bin', 'rollup-cli.mjs');

const usual = (program: ProgramName, listener: string, kind?: Kind) => usualPort(PROGRAMS[program], listener, { kind });

/** Local ports of the services at offset 0; `node scripts/reference.mjs ports` prints them. */
export const PORTS = {
  grpc: usual('sequencer', 'grpc'),
  rpc: usual('sequencer', 'rpc'),
  collector: usual('composer', 'collector'),
  execution: usual('messenger', 'execution'),
  composer: usual('composer', 'health'),
  conductor: usual('conductor', 'health'),
  rollup: usual('messenger', 'http'),
  evm: usual('evm', 'http'),
  evmWs: usual('evm', 'ws'),
  evmExecution: usual('evm', 'execution'),
  evmConductor: usual('conductor', 'health', 'second'),
  faucet: usual('faucet', 'http'),
  sequencerFaucet: usual('faucet', 'http', 'sequencer'),
  startPage: 3000,
  explorer: usual('explorer', 'http'),
  messengerFaucet: usual('faucet', 'http', 'messenger'),
};

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. */
export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd = process.cwd(),
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Uint8Array) => (stdout += String(chunk)));
    child.stderr.on('data', (chunk: Uint8Array) => (stderr += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ status: code ?? 1, stdout, stderr }));
  });
}

/** Waits until `probe` gives a value; its last observation is in the error. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined> | T | undefined,
  ms = 60_000,
  everyMs = 20,
): Promise<T> {
  const deadline = performance.now() + ms;
  let seen = 'nothing';
  while (performance.now() < deadline) {
    try {
      const value = await probe();
      if (value !== undefined) return value;
    } catch (error) {
      seen = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error(`${what}: not within ${ms} ms, last saw ${seen}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Most nodes of a network under CometBFT; no scenario has more, and the ports of the first are those of `local`. */
const MAX_NODES = 4;
const NODE_PORTS = Array.from({ length: MAX_NODES }, (_, node) => Object.values(nodePorts(node, 0))).flat();

/** Ports from 2,000 on that `fetch` and browsers refuse to connect to (the Fetch standard's list of bad ports). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  ...[2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
]);

/** Ports of networks that may not have been started yet, or are between two starts. */
const given = new Set<number>();
/** A file per port that test files alongside this one have taken, with its owner's directory: scripts/temporary/. */
const claims = (): string | undefined => process.env.SWITCHYARD_TEST_PORTS;
const reserved = new ReservedPorts();

/** False when it is taken. */
function claim(port: number): boolean {
  if (given.has(port)) return false;
  const directory = claims();
  try {
    if (directory !== undefined) writeFileSync(join(directory, String(port)), tmpdir(), { flag: 'wx' });
  } catch {
    return false;
  }
  given.add(port);
  return true;
}

/** All of them or none: ports kept by a failed attempt would be missing to all others. */
function claimAll(ports: readonly number[]): boolean {
  const claimed = ports.filter(claim);
  if (claimed.length === ports.length) return true;
  for (const port of claimed) release(port);
  return false;
}

function release(port: number): void {
  given.delete(port);
  const directory = claims();
  if (directory !== undefined) rmSync(join(directory, String(port)));
}

/**
 * From 32,768 on, Linux gives ports to outgoing connections: above this, one of another network may have that of a node under
 * CometBFT, whose ports begin at 26,656 and are not reserved here.
 */
const OFFSETS = 5_000;

const ALL_PORTS = [...new Set([...LOCAL_PORTS, ...NODE_PORTS])];

/** An offset at which all local ports are free now, and stay so until the network of this file takes them. */
export async function freeOffset(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const offset = 1_000 + Math.floor(Math.random() * OFFSETS);
    const ports = ALL_PORTS.map((port) => port + offset);
    if (ports.some((port) => BAD_PORTS.has(port)) || !claimAll(ports)) continue;
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) {
      await reserved.add(ports);
      return offset;
    }
    for (const port of ports) release(port);
  }
  throw new Error('no range of free ports found in 100 tries');
}

/**
 * The first of `count` ports in a row that are free now, and stay so until `releasePorts`: no other test file gets them.
 *
 * @param from lowest candidate; the next ones follow in steps of ten.
 * @throws when none of a hundred ranges is free.
 */
export async function freeRange(from: number, count: number): Promise<number> {
  for (let first = from; first < from + 1_000; first += 10) {
    const ports = toRange(first, count);
    if (!claimAll(ports)) continue;
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
    releasePorts(first, count);
  }
  throw new Error(`no ${count} free ports in a row from ${from} to ${from + 1_000}`);
}

/** Returns the claims of `freeRange`. */
export function releasePorts(first: number, count: number): void {
  for (const port of toRange(first, count)) release(port);
}

const toRange = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);

export interface Network {
  readonly home: string;
  readonly offset: number;
  readonly instance: string;
  /** Environment that points the command lines at this network. */
  readonly env: NodeJS.ProcessEnv;
  url(service: keyof typeof PORTS): string;
  switchyard(...args: string[]): Promise<Ran>;
  rollupCli(...args: string[]): Promise<Ran>;
  /** Starts `dev run` and waits for its last line; the machine-readable part of it. */
  start(network?: string, more?: readonly string[], withinMs?: number): Promise<Record<string, unknown>>;
  /** Ends `dev run` as Ctrl+C does. */
  stop(): Promise<void>;
  /** Everything `dev run` printed so far. */
  output(): string;
  /** How the last `dev run` ended; undefined while it runs. */
  exit(): string | undefined;
  /** Process id of `dev run`, which a paused one cannot report; undefined if it does not run. */
  toolPid(): number | undefined;
  /** Process id of a service; rejects while it has none. */
  pid(service: string): Promise<number>;
  dispose(): Promise<void>;
}

/** Sets how often the sequencer of a network that is not started yet makes a block without a transaction. */
export function makeEmptyBlocks(network: Network, everyMs: number): void {
  const file = join(network.home, network.instance, 'config', 'base-config.toml');
  const text = readFileSync(file, 'utf8');
  const changed = text.replace(/^(svc_sequencer_(?:empty|quiet)_block_interval_ms) = .*$/gm, `$1 = "${everyMs}"`);
  if (changed === text) throw new Error(`no interval of empty blocks in ${file}`);
  writeFileSync(file, changed);
}

/** Services on which no other one depends. */
const BESIDE =
  /^\[networks\.local\.services\.(explorer|withdrawer|evm-withdrawer|faucet|messenger-faucet|sequencer-faucet)(\.env)?\]/;

/**
 * A network of its own: its own home, its own ports; nothing is started yet.
 *
 * @param options `isBare`: without explorer, withdrawers and faucets, for half of the starts. `hasProcesses`: each service is a process
 *   of its own; scenarios about anything but processes run the services in one, as users do.
 */
export async function createNetwork({
  instance = 'e2e',
  init = [] as readonly string[],
  isBare = false,
  hasProcesses = true,
} = {}): Promise<Network> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-'));
  const offset = await freeOffset();
  const url = (service: keyof typeof PORTS) => `http://127.0.0.1:${PORTS[service] + offset}`;
  const env = {
    SWITCHYARD_HOME: home,
    SWITCHYARD_PORT_OFFSET: String(offset),
    ROLLUP_URL: url('rollup'),
    SEQUENCER_URL: url('rpc'),
    ETH_RPC_URL: url('evm'),
  };
  const mode = hasProcesses ? ['--processes'] : [];
  let child: ChildProcess | undefined;
  let printed = '';

  const network: Network = {
    home,
    offset,
    instance,
    env,
    url,
    switchyard: (...args) => run(process.execPath, [switchyardBin, ...args], env),
    rollupCli: (...args) => run(process.execPath, [rollupCliBin, ...args], env),
    output: () => printed,
    exit: () => (child?.exitCode ?? child?.signalCode)?.toString(),
    toolPid: () => (network.exit() === undefined ? child?.pid : undefined),

    async start(name = 'local', more = [], withinMs = 120_000) {
      printed = '';
      const started = spawn(
        process.execPath,
        [switchyardBin, ...['dev', 'run', '--instance', instance, '--network', name, '--headless'], ...mode, ...more],
        {
          env: { ...process.env, NO_COLOR: '1', ...env },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.on('data', (chunk: Uint8Array) => (printed += String(chunk)));
        void recordUnhandled(stream);
      }
      let ended = false;
      started.once('close', () => (ended = true));
      const isReady = () => /^ready (\{.*\})$/m.exec(printed)?.[1] ?? (ended ? '' : undefined);
      const line = await until('dev run is ready', isReady, withinMs).catch((error: unknown) => {
        // Else a second one would find the instance running.
        started.kill('SIGKILL');
        throw new Error(`${String(error)}\n${printed}`);
      });
      if (line === '') throw new Error(`dev run ended with ${started.exitCode}\n${printed}`);
      // Our own tool wrote it; its shape is asserted on use.
      return JSON.parse(line) as Record<string, unknown>;
    },

    async stop() {
      const running = child;
      if (running === undefined || network.exit() !== undefined) return;
      const closed = new Promise((resolve) => running.once('close', resolve));
      running.kill('SIGINT');
      await closed;
    },

    async pid(service) {
      const text = readFileSync(join(home, instance, 'run.json'), 'utf8');
      // The tool wrote it; it lists the services.
      const { services } = JSON.parse(text) as { services: { name: string; pid: number }[] };
      const found = services.find(({ name }) => name === service);
      if (found === undefined) throw new Error(`no process of ${service} in ${text}`);
      return found.pid;
    },

    async dispose() {
      await network.stop();
      rmSync(home, { recursive: true, force: true });
      // A benchmark makes more networks one after another than there are ports.
      for (const port of ALL_PORTS) if (given.has(port + offset)) release(port + offset);
    },
  };

  const made = await network.switchyard(
    'dev',
    'init',
    '--instance',
    instance,
    '--port-offset',
    String(offset),
    // Most scenarios are about other things, and two processes fewer start sooner.
    ...['--data-availability', 'none', ...init],
  );
  if (made.status !== 0) throw new Error(`dev init failed: ${made.stderr}`);
  if (isBare) {
    const path = join(home, instance, 'networks-config.toml');
    const tables = readFileSync(path, 'utf8').split(/^(?=\[)/m);
    writeFileSync(path, tables.filter((table) => !BESIDE.test(table)).join(''));
  }
  return network;
}
