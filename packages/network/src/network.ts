import { sequencerClient } from '@switchyard/client';
import { forManyListeners, Links } from '@switchyard/service';
import type { Program } from '@switchyard/stack/process';
import { PROGRAMS } from '@switchyard/stack/programs';
import { alice, bob, type DevAccount } from './accounts/accounts.ts';
import type { Bridge } from './accounts/bridges.ts';
import { type EvmTestAccount, evmAccounts } from './accounts/evm-accounts.ts';
import { BadOptions } from './bad-options.ts';
import { type Deposit, makeDeposit } from './deposit.ts';
import { evmProcess } from './evm-process.ts';
import { Host } from './host.ts';
import { FaultyWays, type Link } from './link.ts';
import type { Addresses, Opened } from './listen.ts';
import { handedOver, type ManualBlocks } from './manual-blocks.ts';
import { findHandlerLimit, getWaves, type NetworkMember } from './members.ts';
import type { MemoryStores, NetworkSnapshot } from './memory-stores.ts';
import { emptyBlockMs, mineBlocks } from './mine.ts';
import { NetworkPart } from './network-part.ts';
import { type AnyProcess, processOf } from './programs.ts';
import type { RollupAccess } from './rollup-access.ts';
import type { Rollup } from './rollups.ts';
import type { ShiftedTime } from './shifted-time.ts';

/** Names of the rollups, and the client of one of them. */
type NameOf<Rollups extends readonly Rollup[]> = Rollups[number]['name'];
type ClientOf<Rollups extends readonly Rollup[], Name> =
  Extract<Rollups[number], { readonly name: Name }> extends Rollup<string, infer Client> ? Client : never;

export interface Composed<Rollups extends readonly Rollup[]> {
  readonly members: readonly NetworkMember[];
  readonly rollups: Rollups;
  readonly addresses: Addresses;
  readonly opened: readonly Opened[];
  readonly environments: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly directory: string;
  readonly bridges: Readonly<Record<string, readonly Bridge[]>>;
  readonly chainId: string;
  readonly asset: string;
  readonly stores: MemoryStores;
  readonly time: ShiftedTime;
  readonly note: ((line: string) => void) | undefined;
  /** Undefined if blocks are automatic. */
  readonly blocks: ManualBlocks | undefined;
  /** Ends the rest of the network besides its parts. */
  close(): Promise<void>;
}

/** A network that runs in this process. It ends at `close`, or at the end of an `await using`. See the example of {@link localNetwork}. */
export class LocalNetwork<Rollups extends readonly Rollup[] = readonly Rollup[]> {
  /** Chain id of the sequencer, and its asset. */
  readonly chainId: string;
  readonly asset: string;
  /** Directory of all files. */
  readonly directory: string;
  /** URL of each listener that opens a port by the option `listen`, by part: `urls.messenger.http`. */
  readonly urls: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Accounts with funds: alice and bob on the sequencer and on a messenger, the others on an EVM rollup. Their keys are published. */
  readonly accounts: { readonly alice: DevAccount; readonly bob: DevAccount; readonly evm: readonly EvmTestAccount[] } =
    {
      ...{ alice, bob, evm: evmAccounts.map(({ address, key }) => ({ address, key: `0x${key}` })) },
    };
  /** Bridge accounts of each rollup with their assets, in the order of the withdrawals of its genesis. */
  readonly bridges: Readonly<Record<string, readonly Bridge[]>>;
  readonly #composed: Composed<Rollups>;
  readonly #parts: ReadonlyMap<string, NetworkPart>;
  readonly #clients = new Map<string, unknown>();
  readonly #ways = new FaultyWays();
  /** View of the test, which is no part of the network. */
  readonly #links: Links;
  #failed = failure();
  #closing: Promise<void> | undefined;

  /** @internal Made by `localNetwork`. */
  constructor(composed: Composed<Rollups>) {
    const { members, addresses, opened, environments, blocks } = composed;
    this.#composed = composed;
    this.chainId = composed.chainId;
    this.asset = composed.asset;
    this.directory = composed.directory;
    this.bridges = composed.bridges;
    const urls: Record<string, Record<string, string>> = {};
    for (const { label, listener } of opened) {
      urls[label] = { ...urls[label], [listener]: addresses.url(label, listener) };
    }
    this.urls = urls;
    // Errors that are handled nowhere are reported by the test runner.
    const links = new Links({ ways: this.#ways, isOpen: addresses.isOpen });
    this.#links = links.of('test');
    const host = new Host({ attributes: false, links });
    const onFailure = (error: Error) => this.#failed.abort(error);
    this.#parts = new Map(
      members.map(({ label, program, process }) => {
        const { ready }: Program = PROGRAMS[program];
        const readyUrl = `${addresses.url(label, ready.listener)}${ready.path}`;
        const env = environments.get(label) ?? {};
        let evm: Promise<AnyProcess> | undefined;
        const load = async () => {
          if (program === 'sequencer' && blocks !== undefined) return blocks.process();
          if (program === 'evm') {
            evm ??= evmProcess(label, this, composed);
            return evm;
          }
          return process ?? (await processOf(program));
        };
        const { fetch } = this.#links;
        const handlerLimitMs = findHandlerLimit({ process });
        const note = process === undefined ? undefined : composed.note;
        const options = { name: label, load, env, handlerLimitMs, readyUrl, fetch, onFailure, note };
        return [label, new NetworkPart(host, options)] as const;
      }),
    );
  }

  /** @internal Starts every part. If one cannot be started, the started ones are stopped. */
  async launch(): Promise<void> {
    try {
      for (const wave of getWaves(this.#composed.members)) {
        const parts = wave.map(({ label }) => this.#part(label));
        for (const part of parts) part.launch();
        await Promise.all(parts.map((part) => part.answers()));
      }
      await Promise.all([...this.#parts.values()].map((part) => part.ready()));
    } catch (error) {
      await this.#stopAll();
      throw error;
    }
  }

  /** Aborts with its last line when a part ends on its own. A new one after each `start`. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** Names of the parts, in the order in which they start: `sequencer`, `composer`, the rollups, `<rollup>-conductor`, and so on. */
  get parts(): readonly string[] {
    return [...this.#parts.keys()];
  }

  /** A client of a rollup, of the type that its kind has. Always the same object for a rollup. */
  client<Name extends NameOf<Rollups>>(name: Name): ClientOf<Rollups, Name> {
    const rollup = this.#composed.rollups.find((each) => each.name === name);
    if (rollup === undefined) throw new Error(`there is no rollup ${name}`);
    const client = this.#clients.get(name) ?? rollup.client(this.#access(name));
    this.#clients.set(name, client);
    // The rollup of this name makes clients of this type.
    return client as ClientOf<Rollups, Name>;
  }

  /**
   * Like the global `fetch`, for the `http` listener of a part, also if that opens no port.
   *
   * @param path Begins with a slash.
   */
  async fetch(part: string, path: string, init?: RequestInit): Promise<Response> {
    const { addresses, members } = this.#composed;
    const member = members.find(({ label }) => label === this.#part(part).name);
    if (member?.listeners.includes('http') !== true) throw new BadOptions(`fetch: ${part} has no HTTP API`);
    return this.#links.fetch(`${addresses.url(part, 'http')}${path}`, init);
  }

  /**
   * Locks an amount on the sequencer for an account of a rollup. Resolves when it is in a block of the sequencer. With manual blocks the
   * caller mines in the meantime until then; the first deposit of an asset takes two blocks that have something in them.
   *
   * @throws {BadOptions} if no bridge account of the rollup has the asset.
   */
  deposit(deposit: Deposit<NameOf<Rollups>>): ReturnType<typeof makeDeposit> {
    const bridges = this.bridges[deposit.rollup];
    const { chainId, asset: feeAsset } = this;
    return makeDeposit(deposit, { chainId, feeAsset, bridges, rpcUrl: this.#rpcUrl, links: this.#links });
  }

  /** Log lines of a part, oldest first. */
  logs(part: string): readonly string[] {
    return this.#part(part).lines;
  }

  isRunning(part: string): boolean {
    return this.#part(part).isRunning;
  }

  /** Ends a part in order. Does nothing if it does not run. */
  stop(part: string): Promise<void> {
    return this.#part(part).stop();
  }

  /**
   * Ends a part as `kill -9` would, if its stores are in memory: connections to it break, uncommitted data is lost, and
   * code of it that still runs has no effect. It can be started again at once.
   *
   * Stores are in files in a directory of the network's own, and those of an explorer always. Such a part ends as by a second Ctrl+C:
   * all that it has begun is closed all the same, and this waits for that.
   */
  async kill(part: string): Promise<void> {
    if (this.#composed.stores.isInFiles(part)) await this.#part(part).kill();
    else this.#cutOff(this.#part(part));
  }

  /** Starts a part that does not run. Resolves when it is ready. */
  start(part: string): Promise<void> {
    this.#requireOpen();
    if (this.failed.aborted) this.#failed = failure();
    this.#part(part).launch();
    return this.#part(part).ready();
  }

  /** Ends a part in order, and starts it again. Resolves when it is ready. */
  async restart(part: string): Promise<void> {
    await this.stop(part);
    await this.start(part);
  }

  /**
   * The link between two parts, for faults in both directions. It carries the calls that parts make to each other without a socket:
   * gRPC, JSON-RPC and HTTP. Nothing that comes over a socket is concerned, such as the calls of a client.
   *
   * @throws {BadOptions} if one of them is no part of the network.
   */
  link(one: string, other: string): Link {
    for (const part of [one, other]) {
      if (!this.#parts.has(part)) throw new BadOptions(`link: ${this.#unknown(part)}`);
    }
    if (one === other) throw new BadOptions(`link: expected two parts, got ${one} twice`);
    return this.#ways.between(one, other);
  }

  /**
   * The state of all stores at this moment, to be reverted to any number of times. Nothing is copied. Files that a rollup of the
   * user's own writes besides its stores are not part of it.
   *
   * @throws {BadOptions} if a part has its stores in files: an EVM rollup over a stock geth, or any in a directory of the network's own.
   */
  snapshot(): NetworkSnapshot {
    return this.#composed.stores.snapshot();
  }

  /**
   * Ends all parts abruptly, undoes all writes since the snapshot, and starts all parts. Resolves when they are ready. Submissions
   * acknowledged before the snapshot exist, and later ones are gone. An explorer has its index again soon after, and keeps its
   * verified contracts. Neither faults of links nor the time are undone.
   *
   * @throws {BadOptions} if the snapshot is of another network.
   */
  async revert(snapshot: NetworkSnapshot): Promise<void> {
    this.#requireOpen();
    const restore = this.#composed.stores.restorer(snapshot);
    await Promise.all([...this.#parts.values()].map((part) => this.kill(part.name)));
    restore();
    if (this.failed.aborted) this.#failed = failure();
    await this.launch();
  }

  /**
   * Sets the clocks of all networks of this thread forward, as for a machine that was suspended: the time of day, and all timers. Each
   * timer that is due by then fires once, and deadlines of calls under way may be over. Resolves when their consequences have begun; the
   * next block has the new time. The clocks run on from there, until the last network of this thread is closed.
   *
   * @throws {BadOptions} if it is no whole number of milliseconds, or negative.
   */
  async advanceTime(ms: number): Promise<void> {
    if (!(Number.isSafeInteger(ms) && ms >= 0)) {
      throw new BadOptions(`advanceTime: expected a whole number of milliseconds, got ${ms}`);
    }
    this.#requireOpen();
    await this.#composed.time.advance(ms);
  }

  /**
   * Resolves when the sequencer has this many more blocks, empty ones if nothing waits: sets the clocks forward, as `advanceTime`, by
   * the time after which an empty block is due.
   *
   * With manual blocks it makes exactly this many, and sets no clock. All that a rollup has acknowledged is in the first of them, unless the
   * composer cannot reach the sequencer, or has to repeat ones that it lost by a restart or dropped after four minutes without
   * a block. The rollups execute them afterwards.
   *
   * @throws {BadOptions} if the sequencer does not run, or the count is no whole number above 0.
   * @throws {Error} if the sequencer ends in the meantime.
   */
  async mine(count: number): Promise<void> {
    if (!(Number.isSafeInteger(count) && count > 0))
      throw new BadOptions(`mine: expected a number of blocks, got ${count}`);
    if (!this.isRunning('sequencer')) throw new BadOptions('mine: the sequencer does not run');
    const { environments, time, blocks } = this.#composed;
    if (blocks !== undefined) {
      if (this.isRunning('composer'))
        await handedOver(this.#composed.addresses.url('composer', 'health'), this.#links, this.failed);
      return blocks.make(count, time);
    }
    await mineBlocks(BigInt(count), {
      rpcUrl: this.#rpcUrl,
      links: this.#links,
      emptyMs: emptyBlockMs(environments.get('sequencer') ?? {}),
      advance: (ms) => time.advance(ms),
      failed: this.failed,
    });
  }

  /** Height and hash of the newest block of the sequencer. The hash covers the state behind the block below. */
  async newestBlock(): Promise<{ readonly height: bigint; readonly hash: string }> {
    const { status } = sequencerClient({ rpcUrl: this.#rpcUrl, links: this.#links });
    const { latestHeight: height, latestHash: hash } = await status(this.failed);
    return { height, hash };
  }

  /** Ends all parts, and removes temporary files. May be called again. */
  close(): Promise<void> {
    this.#closing ??= this.#stopAll().then(() => this.#composed.close());
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #rpcUrl(): string {
    return this.#composed.addresses.url('sequencer', 'rpc');
  }

  #access(rollup: string): RollupAccess {
    const url = this.#composed.addresses.url(rollup, 'http');
    return { url, fetch: this.#links.fetch, links: this.#links, failed: () => this.failed };
  }

  #part(name: string): NetworkPart {
    const part = this.#parts.get(name);
    if (part === undefined) throw new Error(this.#unknown(name));
    return part;
  }

  #unknown(name: string): string {
    return `there is no part ${name}: expected ${this.parts.join(', ')}`;
  }

  #cutOff(part: NetworkPart): void {
    part.cutOff();
    this.#composed.stores.kill(part.name);
  }

  #requireOpen(): void {
    if (this.#closing !== undefined) throw new Error('the network is closed');
  }

  async #stopAll(): Promise<void> {
    await Promise.all([...this.#parts.values()].map((part) => part.stop()));
  }
}

function failure(): AbortController {
  const controller = new AbortController();
  forManyListeners(controller.signal);
  return controller;
}
