import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { createSigner } from '@switchyard/protocol';
import { type RollupNode, rollupProcess } from '@switchyard/rollup/node';
import { jsonRpcClient, Links } from '@switchyard/service';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import type { MemoryDisk } from '@switchyard/storage';
import { getConfig, getGenesis, type RollupFile, rollupFile, writeFiles } from '../files.ts';
import { validatorKeyFile } from '../genesis/genesis-files.ts';
import { Host } from '../host.ts';
import { findHandlerLimit, getMembers, type NetworkMember, toConductor, toWithdrawer } from '../members.ts';
import { NetworkPart } from '../network-part.ts';
import { type AnyProcess, processOf } from '../programs.ts';
import type { Rollup } from '../rollups.ts';
import { toEnvironments } from '../settings.ts';
import type { Chance } from './chance.ts';
import { type Addresses, PEER, Peer } from './peer.ts';
import type { NodeAccess } from './rollup-api.ts';
import type { SimulatedTime } from './time.ts';
import type { SimulatedWays } from './ways.ts';

/** Second node of the same rollup, with a conductor of its own: both have to make the same blocks. */
export const REPLICA = 'replica';

/** Asset of the sequencer. */
export const ASSET = 'nria';
const CHAIN = { chainId: 'simulated-chain', asset: ASSET } as const;
const FIRST_PORT = 1_000;

/** Parts of a simulated network and their code, loaded once for all seeds. */
export interface Composition {
  readonly rollup: Rollup;
  readonly members: readonly NetworkMember[];
  readonly processes: ReadonlyMap<string, AnyProcess>;
}

/** Loads everything, so that nothing is read from files while time is simulated. */
export async function compose(rollup: Rollup): Promise<Composition> {
  const replica = { name: REPLICA, program: rollup.program, process: rollup.process };
  const faucet = rollup.process === undefined && rollup.defined === undefined;
  const all = getMembers({ rollups: [rollup, replica], layer: true, faucet, withdrawals: faucet });
  const isSpare = (program: string) => program === 'faucet' || program === 'withdrawer';
  const members = all.filter(
    ({ program, label }) => !isSpare(program) || [makeFaucet(rollup), toWithdrawer(rollup.name)].includes(label),
  );
  const entries = members.map(
    async ({ label, program, process }) => [label, process ?? (await processOf(program))] as const,
  );
  await import('@switchyard/da');
  return { rollup, members, processes: new Map(await Promise.all(entries)) };
}

const makeFaucet = ({ program }: Rollup): string => `${program}-faucet`;

/** Submissions that the composer takes before it refuses more: so few that it does. */
export const QUEUE_CAPACITY = 16;

const { fields: composer } = PROGRAMS.composer;
const { fields: conductor } = PROGRAMS.conductor;
const { fields: da } = PROGRAMS.da;
const { fields: relayer } = PROGRAMS.relayer;
const { fields: faucet } = PROGRAMS.faucet;
const { fields: withdrawer } = PROGRAMS.withdrawer;

/**
 * Settings besides those of other networks: the replica has the genesis of its rollup, and its conductor prefers the peer; the layer
 * makes fewer blocks.
 */
function settingsFor(rollup: Rollup, genesisFile: string, sequencers: readonly Addresses[]) {
  return {
    [REPLICA]: { [PROGRAMS[rollup.program].fields.genesisFilepath.names[0]]: genesisFile },
    [toConductor(REPLICA)]: {
      [conductor.sequencerGrpcUrl.names[0]]: sequencers.map(({ grpcUrl }) => grpcUrl).join(','),
      [conductor.sequencerCometbftUrl.names[0]]: sequencers.map(({ rpcUrl }) => rpcUrl).join(','),
    },
    composer: { [composer.bundleQueueCapacity.names[0]]: String(QUEUE_CAPACITY) },
    [makeFaucet(rollup)]: { [faucet.minutes.names[0]]: '0' },
    // A block that is not firm may be undone if power is lost.
    [toWithdrawer(rollup.name)]: { [withdrawer.pollMs.names[0]]: '200', [withdrawer.commitment.names[0]]: 'firm' },
    relayer: { [relayer.batchMs.names[0]]: '500' },
    da: { [da.blockIntervalMs.names[0]]: '500' },
  };
}

export interface StackOptions {
  /** For keys and genesis files, which are the same for all seeds. Stores are in memory. */
  readonly directory: string;
  readonly time: SimulatedTime;
  readonly ways: SimulatedWays;
  /** Decides the lies of the peer. */
  readonly chance: Chance;
  readonly blockIntervalMs: number;
  /** Called when a part ends without a request. */
  onFailure(label: string, error: Error): void;
  /** Called with each node of a definition, when it starts. */
  onNode(label: string, node: RollupNode): void;
}

/** Makes the disk of all parts. @param onCommit To be called with the directory of a store, after each of its commits. */
type NewDisk = (onCommit: (directory: string) => void) => MemoryDisk;

/** A whole network whose time, ways and disks are simulated; everything else is production code. */
export class SimulatedStack {
  readonly chainId = CHAIN.chainId;
  readonly asset = CHAIN.asset;
  readonly labels: readonly string[];
  readonly disk: MemoryDisk;
  /** View of the users, who are no part of the network. */
  readonly outside: Links;
  readonly peer: Peer;
  readonly #composition: Composition;
  readonly #options: StackOptions;
  readonly #parts: ReadonlyMap<string, NetworkPart>;
  readonly #unmount: () => void;
  /** Ends of parts that a commit of theirs brings, after how many more. */
  readonly #armed = new Map<string, { left: number; fire(): void }>();
  #isClosed = false;

  private constructor(
    composition: Composition,
    readonly bridges: RollupFile['bridges'],
    options: StackOptions,
    newDisk: NewDisk,
  ) {
    const { members } = composition;
    this.#composition = composition;
    this.#options = options;
    this.labels = members.map(({ label }) => label);
    const disk = newDisk((directory) => this.#committed(directory));
    this.disk = disk;
    this.#unmount = disk.mount(join(options.directory, 'data'));
    const links = new Links({ isOpen: () => false, ways: options.ways });
    this.outside = links.of('outside');
    const host = new Host({ attributes: false, links });
    const [own, sequencer] = [PEER, 'sequencer'].map((label) => ({
      rpcUrl: this.makeUrl(label, 'rpc'),
      grpcUrl: this.makeUrl(label, 'grpc'),
    })) as [Addresses, Addresses];
    this.peer = new Peer({ links: links.of(PEER), own, sequencer, chance: options.chance });
    const environments = toEnvironments({
      ...{ members, ...CHAIN, directory: options.directory, blockIntervalMs: options.blockIntervalMs },
      port: (label, listener) => this.#port(label, listener),
      settings: settingsFor(composition.rollup, getGenesis(options.directory, composition.rollup.name), [
        own,
        sequencer,
      ]),
    });
    this.#parts = new Map(
      members.map((member) => {
        const { label, program } = member;
        const { ready }: Program = PROGRAMS[program];
        const part = new NetworkPart(host, {
          ...{ name: label, load: async () => this.#process(label), env: environments.get(label) ?? {} },
          ...{
            handlerLimitMs: findHandlerLimit(member),
            readyUrl: `${this.makeUrl(label, ready.listener)}${ready.path}`,
          },
          fetch: this.outside.fetch,
          onFailure: (error) => options.onFailure(label, error),
        });
        return [label, part] as const;
      }),
    );
  }

  /** Writes the files and makes the disks; nothing runs yet. */
  static async create(composition: Composition, options: StackOptions, newDisk: NewDisk): Promise<SimulatedStack> {
    const { directory } = options;
    const { rollup } = composition;
    rmSync(join(directory, 'data'), { recursive: true, force: true });
    mkdirSync(join(directory, 'config'), { recursive: true, mode: 0o700 });
    mkdirSync(join(directory, 'data', 'da'), { recursive: true, mode: 0o700 });
    // Known keys, so that each run makes the same blocks.
    const seed = new Uint8Array(32).fill(7);
    const key = validatorKeyFile({ seed, publicKey: createSigner(seed).publicKey });
    writeFileSync(getConfig(directory, 'priv_validator_key.json'), key, { mode: 0o600 });
    writeFileSync(join(directory, 'data', 'da', 'validator.key'), `${'08'.repeat(32)}\n`, { mode: 0o600 });
    const file = await rollupFile(rollup, CHAIN);
    writeFiles({ ...CHAIN, directory, rollups: [file] });
    const stack = new SimulatedStack(composition, file.bridges, options, newDisk);
    await stack.peer.serve();
    return stack;
  }

  get rollup(): string {
    return this.#composition.rollup.name;
  }

  /** Labels of the nodes of the rollup. */
  get nodes(): readonly string[] {
    return [this.rollup, REPLICA];
  }

  /** Parts that others call, and may call twice. */
  get called(): readonly string[] {
    return ['sequencer', 'composer', ...this.nodes, 'da'];
  }

  accessTo(node: string): NodeAccess {
    return { url: this.makeUrl(node, 'http'), links: this.outside };
  }

  makeUrl(label: string, listener: string): string {
    return `http://127.0.0.1:${this.#port(label, listener)}`;
  }

  isRunning(label: string): boolean {
    return this.#part(label).isRunning;
  }

  /** Newest log lines of a part, oldest first. */
  lines(label: string): readonly string[] {
    return this.#part(label).lines;
  }

  /** Begins a part that does not run. */
  start(label: string): void {
    if (!this.#isClosed) this.#part(label).launch();
  }

  /** Ends a part as `kill -9` would: between two steps of its code, with nothing finished. Its disk keeps its writes. */
  kill(label: string): void {
    this.#part(label).cutOff();
    this.disk.kill(this.#data(label));
  }

  /**
   * A loss of power ends a part, and unflushed data may be lost with it.
   *
   * @param keeps How many of this many unflushed commits survive.
   */
  losePower(label: string, keeps: (unflushed: number) => number): void {
    this.#part(label).cutOff();
    this.disk.losePower(this.#data(label), keeps);
  }

  /**
   * Parts whose stores an older copy may replace: they rebuild missing data, from the sequencer's blocks. The EVM node that users
   * send to holds acknowledged transactions besides, for which a nonce is missing.
   */
  get replaceable(): readonly string[] {
    const { rollup } = this.#composition;
    const nodes = this.nodes.filter((node) => rollup.program !== 'evm' || node === REPLICA);
    const paying = this.labels.filter((label) => label === toWithdrawer(rollup.name));
    return [...nodes, ...this.nodes.map(toConductor), 'relayer', ...paying];
  }

  /** Copies the stores of a part. @returns puts the copy in their place, once the part does not run. */
  getCopy(label: string): () => void {
    const directory = this.#data(label);
    const copy = this.disk.snapshot(directory);
    return () => this.disk.restore(copy, directory);
  }

  /** Calls `fire` within a commit of a part, when it is written and not flushed; at the latest after `ms`. */
  async atCommit(label: string, count: number, ms: number, fire: () => void): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#options.time.after(ms, () => armed.fire());
      const armed = {
        left: count,
        fire: () => {
          cancel();
          this.#armed.delete(label);
          fire();
          resolve();
        },
      };
      this.#armed.set(label, armed);
    });
  }

  #committed(directory: string): void {
    const [label = ''] = relative(join(this.#options.directory, 'data'), directory).split(sep);
    const armed = this.#armed.get(label);
    if (armed === undefined) return;
    armed.left -= 1;
    if (armed.left === 0) armed.fire();
  }

  /** Commits of a part fail until `code` is undefined. */
  failWrites(label: string, code: 'ENOSPC' | 'EIO' | undefined): void {
    this.disk.failWrites(this.#data(label), code);
  }

  /** Asks a part to end in order. Resolves when it has. */
  stop(label: string): Promise<void> {
    return this.#part(label).stop();
  }

  /** Whether a part states that it is ready. */
  async isReady(label: string): Promise<boolean> {
    // It answers there by JSON-RPC as well, for which there are links.
    if (label === 'sequencer') return this.#answers(this.makeUrl(label, 'rpc'));
    const response = await this.outside.fetch(this.#part(label).readyUrl).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok === true;
  }

  async #answers(url: string): Promise<boolean> {
    const wanted = jsonRpcClient(url, { links: this.outside }).call('health', {});
    return wanted.then(
      () => true,
      () => false,
    );
  }

  /** Ends everything; the object is of no use after that. */
  close(): void {
    this.#isClosed = true;
    for (const label of this.labels) if (this.isRunning(label)) this.kill(label);
    this.#unmount();
  }

  /** The process of a part, a new one for each start of a node of a definition. */
  #process(label: string): AnyProcess {
    const { rollup, processes } = this.#composition;
    const known = processes.get(label);
    if (known === undefined) throw new Error(`there is no part ${label}`);
    if (rollup.defined === undefined || !this.nodes.includes(label)) return known;
    const process = rollupProcess(rollup.defined.definition, {
      beside: () => ({ routes: (_, node) => this.#options.onNode(label, node) }),
    });
    // Its fields and its `main` belong together, which the type of any process cannot say.
    return process as unknown as AnyProcess;
  }

  readonly #data = (label: string): string => join(this.#options.directory, 'data', label);

  #part(label: string): NetworkPart {
    const part = this.#parts.get(label);
    if (part === undefined) throw new Error(`there is no part ${label}`);
    return part;
  }

  /** Nothing listens there: a port only names a server. */
  #port(label: string, listener: string): number {
    const { members } = this.#composition;
    if (label === PEER) return FIRST_PORT - 20 + ['rpc', 'grpc'].indexOf(listener);
    const index = members.findIndex((each) => each.label === label);
    const listeners = members[index]?.listeners ?? [];
    return FIRST_PORT + 20 * index + Math.max(0, listeners.indexOf(listener));
  }
}
