import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freeRange, releasePorts, root, run, until } from './network.ts';
import { ask } from './submitting.ts';

/** The program, from `SWITCHYARD_COMETBFT`, the place where `scripts/cometbft.mjs` builds it, or the PATH. */
export const cometbft: string | undefined = findCometbft();

function findCometbft(): string | undefined {
  const set = process.env.SWITCHYARD_COMETBFT;
  if (set !== undefined && set !== '') return set;
  const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
  const built = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('cometbft-')) : [];
  const places = [...built.map((name) => join(cache, name)), ...(process.env.PATH ?? '').split(delimiter)];
  return places.map((directory) => join(directory, 'cometbft')).find((file) => existsSync(file));
}

/** True if scenarios with CometBFT can run; else prints that they are left out. */
export function cometIsThere(): boolean {
  if (cometbft === undefined) {
    console.log('no cometbft found: its scenarios are left out (node scripts/cometbft.mjs builds it, with Go)');
  }
  return cometbft !== undefined;
}

const CHAIN = 'comet-test-1';
const FIRST_PORT = 21_000;
const SEQUENCER = join(root, 'packages', 'sequencer', 'dist', 'main.js');

/** One process that can be killed and started again. */
class Process {
  readonly #name: string;
  readonly #make: () => ChildProcess;
  #child: ChildProcess | undefined;
  #output = '';
  #disposed = false;

  constructor(name: string, make: () => ChildProcess) {
    this.#name = name;
    this.#make = make;
  }

  get alive(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get output(): string {
    return this.#output;
  }

  start(): void {
    if (this.alive || this.#disposed) throw new Error(`${this.#name} runs already, or no more`);
    const child = this.#make();
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Uint8Array) => {
        this.#output = `${this.#output}${String(chunk)}`.slice(-200_000);
      });
    }
    this.#child = child;
  }

  /** Ends it with this signal and waits until it has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.alive) return;
    const closed = this.ended();
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await closed;
    clearTimeout(late);
  }

  ended(): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.alive) return Promise.resolve();
    return new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Ends it for good: a test that was given up cannot start it again. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.stop('SIGKILL');
  }
}

/** A CometBFT and the application next to it. */
export interface CometNode {
  readonly home: string;
  readonly rpc: string;
  readonly grpc: string;
  readonly comet: Process;
  readonly app: Process;
  /** First the application, then CometBFT, which would wait three seconds for a late one. */
  start(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Ends the application under a living CometBFT, and waits until that has given up too. */
  stopApp(signal?: NodeJS.Signals): Promise<void>;
  /** Height of the last block that this node has. */
  height(): Promise<bigint>;
  /** Root of the application after the block before. */
  appHash(height: bigint): Promise<string>;
  /** Forgets everything but its keys. */
  wipe(): void;
}

export interface CometNetwork {
  readonly chain: string;
  readonly nodes: readonly CometNode[];
  dispose(): Promise<void>;
}

export interface CometOptions {
  readonly validators?: number;
  /** Nodes that follow and do not vote. */
  readonly followers?: number;
  /** State of the application, as a genesis file has it. */
  readonly appState: unknown;
  readonly consensusParams?: object;
  readonly appEnv?: NodeJS.ProcessEnv;
  /** Another application than ours: the command that listens on this socket. */
  readonly program?: (socket: string) => readonly [command: string, ...args: string[]];
}

/** Validators on this machine, each with a home and an application of its own. Nothing is started yet. */
export async function createCometNetwork(options: CometOptions): Promise<CometNetwork> {
  const { validators = 1, followers = 0, appState, consensusParams, appEnv = {}, program } = options;
  const base = mkdtempSync(join(tmpdir(), 'switchyard-comet-'));
  const count = validators + followers;
  // Below the ports that Linux gives to outgoing connections, one of which could have that of a node between two starts.
  const firstPort = await freeRange(FIRST_PORT, 3 * count);
  const homes = Array.from({ length: count }, (_, index) => join(base, `node${index}`));
  for (const home of homes) await command('init', '--home', join(home, 'comet'));
  const first = JSON.parse(readFileSync(getGenesis(homes[0] ?? ''), 'utf8'));
  const genesis = JSON.stringify({
    ...first,
    chain_id: CHAIN,
    ...(consensusParams !== undefined && { consensus_params: { ...first.consensus_params, ...consensusParams } }),
    validators: homes.slice(0, validators).map((home) => makeValidator(home)),
    app_state: appState,
  });
  const ids = await Promise.all(homes.map((home) => command('show-node-id', '--home', join(home, 'comet'))));
  const peers = ids.map((id, index) => `${id}@127.0.0.1:${firstPort + 3 * index}`);
  const nodes = homes.map((home, index) => {
    writeFileSync(getGenesis(home), genesis);
    const p2p = firstPort + 3 * index;
    const [rpc, grpc] = [p2p + 1, p2p + 2];
    return createNode({ home, p2p, rpc, grpc, peers: peers.filter((_, other) => other !== index), appEnv, program });
  });
  return {
    chain: CHAIN,
    nodes,
    async dispose() {
      await Promise.all(nodes.flatMap(({ app, comet }) => [app.dispose(), comet.dispose()]));
      releasePorts(firstPort, 3 * count);
      rmSync(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface NodeOptions {
  readonly home: string;
  readonly p2p: number;
  readonly rpc: number;
  readonly grpc: number;
  readonly peers: readonly string[];
  readonly appEnv: NodeJS.ProcessEnv;
  readonly program: CometOptions['program'];
}

function createNode({ home, p2p, rpc, grpc, peers, appEnv, program }: NodeOptions): CometNode {
  const socket = `unix://${join(home, 'app.sock')}`;
  const cometHome = join(home, 'comet');
  const rpcUrl = `http://127.0.0.1:${rpc}`;
  configure(cometHome, {
    proxy_app: socket,
    log_level: 'error',
    'rpc.laddr': `tcp://127.0.0.1:${rpc}`,
    'rpc.pprof_laddr': '',
    'p2p.laddr': `tcp://127.0.0.1:${p2p}`,
    'p2p.persistent_peers': peers.join(','),
    'p2p.addr_book_strict': false,
    'p2p.allow_duplicate_ip': true,
    'p2p.pex': false,
    'consensus.timeout_propose': '1s',
    'consensus.timeout_commit': '100ms',
    'consensus.skip_timeout_commit': true,
    'consensus.create_empty_blocks_interval': '100ms',
  });
  const env = {
    ...process.env,
    SVC_SEQUENCER_ENGINE: 'cometbft',
    SVC_SEQUENCER_LISTEN_ADDR: socket,
    SVC_SEQUENCER_COMETBFT_RPC_URL: rpcUrl,
    SVC_SEQUENCER_DB_FILEPATH: join(home, 'app'),
    SVC_SEQUENCER_GRPC_ADDR: `127.0.0.1:${grpc}`,
    SVC_SEQUENCER_NO_METRICS: 'true',
    ...appEnv,
  };
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const [command, ...args] = program?.(socket) ?? [process.execPath, SEQUENCER];
  const app = new Process('the application', () => spawn(command, args, { env, stdio: [...stdio] }));
  const comet = new Process('CometBFT', () =>
    spawn(cometbft ?? '', ['start', '--home', cometHome], { stdio: [...stdio] }),
  );
  return {
    home,
    rpc: rpcUrl,
    grpc: `http://127.0.0.1:${grpc}`,
    comet,
    app,
    async start() {
      if (!app.alive) app.start();
      await until('the application waits for CometBFT', () => answers(join(home, 'app.sock')));
      if (!comet.alive) comet.start();
    },
    async stop(signal) {
      // Without its application CometBFT takes long to end.
      await comet.stop(signal);
      await app.stop(signal);
    },
    async stopApp(signal) {
      await app.stop(signal);
      // Without its application CometBFT ends itself, and sometimes hangs while it does.
      const late = setTimeout(() => void comet.stop('SIGKILL'), 2_000);
      await comet.ended();
      clearTimeout(late);
    },
    async height() {
      const { body } = await ask(`${rpcUrl}/status`);
      return BigInt(body.result.sync_info.latest_block_height);
    },
    async appHash(height) {
      const { body } = await ask(`${rpcUrl}/block?height=${height}`);
      return String(body.result.block.header.app_hash);
    },
    wipe() {
      rmSync(join(home, 'app'), { recursive: true, force: true });
      const data = join(cometHome, 'data');
      rmSync(data, { recursive: true, force: true });
      mkdirSync(data);
      // The state of a validator that has signed nothing yet.
      writeFileSync(join(data, 'priv_validator_state.json'), JSON.stringify({ height: '0', round: 0, step: 0 }));
    },
  };
}

/** Sets values in CometBFT's `config.toml`, which has each of them already; `section.key`, or a key of the top. */
export function configure(home: string, settings: Readonly<Record<string, string | boolean | number>>): void {
  const file = join(home, 'config', 'config.toml');
  const left = new Map(Object.entries(settings));
  let section = '';
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      section = /^\[(.+)\]$/.exec(line)?.[1] ?? section;
      const key = /^(\w+) = /.exec(line)?.[1];
      if (key === undefined) return line;
      const name = section === '' ? key : `${section}.${key}`;
      const value = left.get(name);
      if (value === undefined) return line;
      left.delete(name);
      return `${key} = ${JSON.stringify(value)}`;
    });
  if (left.size > 0) throw new Error(`config.toml has no ${[...left.keys()].join(', ')}`);
  writeFileSync(file, lines.join('\n'));
}

/** Waits until a node has this block. */
export function reach(node: CometNode, height: bigint, ms = 30_000): Promise<bigint> {
  return until(
    `a node reaches height ${height}`,
    async () => {
      const now = await node.height();
      return now >= height ? now : undefined;
    },
    ms,
  ).catch((error: unknown) => {
    throw new Error(`${String(error)}\n${lastOutput(node)}`);
  });
}

/** The end of the output of both processes of a node, for the error of a test. */
export function lastOutput({ app, comet }: CometNode): string {
  return [app, comet]
    .map((process) => `${process.alive ? 'runs' : 'has ended'}: ${process.output.slice(-3_000)}`)
    .join('\n');
}

function getGenesis(home: string): string {
  return join(home, 'comet', 'config', 'genesis.json');
}

function makeValidator(home: string) {
  const key = JSON.parse(readFileSync(join(home, 'comet', 'config', 'priv_validator_key.json'), 'utf8'));
  return { address: key.address, pub_key: key.pub_key, power: '10', name: '' };
}

function answers(socket: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(undefined));
  });
}

async function command(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await run(cometbft ?? '', args);
  if (status !== 0) throw new Error(`cometbft ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Version that the program prints. */
export function cometVersion(): string {
  return spawnSync(cometbft ?? '', ['version'], { encoding: 'utf8' }).stdout.trim();
}
