import type { Fork } from '@switchyard/evm-machine/fork';
import { StateOverlay } from '@switchyard/evm-machine/overlay';
import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { ZERO_ADDRESS, ZERO_HASH } from '@switchyard/protocol/ethereum';
import type { BlockInput } from '@switchyard/rollup/execution';
import { turn, type WallClock } from '@switchyard/service';
import { applyGenesis } from '../chain/origin.ts';
import type { BlockIndexer, NewBlock, States } from '../chain/store.ts';
import { checkCount, checkLater, checkTime, type Development } from '../development/methods.ts';
import { ImpersonatedSenders } from '../development/senders.ts';
import { buildBlock, type Parent } from '../embedded/build-block.ts';
import type { EvmGenesis } from '../genesis/genesis.ts';
import { serverError } from '../json/errors.ts';
import { latestHeader } from '../json/resolve.ts';
import { forkAt } from '../rules/forks.ts';
import { nextBaseFee, nextTimestamp } from '../rules/rules.ts';
import type { NextBlock } from '../simulate/environment.ts';
import type { SealedState } from '../state/sealed.ts';
import { StateStore } from '../state/store.ts';
import type { Activity } from './activity/activity.ts';
import { Followed } from './activity/followed.ts';
import { StandaloneChain } from './chain.ts';
import type { Dumped } from './dumped-state.ts';
import { type Chosen, Past } from './past.ts';
import { type Edit, executable, type Situation, type Waiting } from './situation.ts';
import type { UndoDatabase } from './undo-database.ts';

export interface StandaloneDeps {
  readonly genesis: EvmGenesis;
  readonly database: UndoDatabase;
  readonly indexers: readonly BlockIndexer[];
  readonly wall: WallClock;
  /** Is notified of transactions that were executed. */
  readonly activity?: Activity;
  /** See `MachineOptions`. */
  readonly maxCodeBytes?: number | undefined;
  /** Changes of the state that a new chain begins with. */
  readonly edits?: readonly Edit[];
  /** Seconds that a new chain begins ahead of the time of day. */
  readonly ahead?: bigint;
}

interface Made {
  readonly block: NewBlock;
  readonly state: SealedState;
  readonly followed: ReadonlyMap<Hash, Followed>;
}

interface BuildOptions {
  readonly edits?: readonly Edit[];
  readonly below?: SealedState | undefined;
  readonly replaced?: Parameters<typeof buildBlock>[2]['replaced'];
}

/** Empty blocks that are written together: each reads through those before it. */
const BATCH = 16n;
/** Seconds since 1970. Libraries read times as numbers of JavaScript, and later ones still fit 64 bits. */
const MAX_TIME = 2n ** 53n - 1n;

/** A chain that makes its own blocks, and can be changed at will. What changes it runs one after the other. */
export class StandaloneNode implements Development {
  readonly chain: StandaloneChain;
  readonly senders = new ImpersonatedSenders();
  /** Whether each transaction gets a block at once. */
  automine = true;
  readonly #deps: StandaloneDeps;
  #state: StateStore;
  #situation: Situation;
  readonly #past: Past;
  #last: Promise<unknown> = Promise.resolve();
  #isStopping = false;

  /** @throws {InvalidConfig} if the database was begun with another genesis. */
  constructor(deps: StandaloneDeps) {
    const { genesis, database } = deps;
    this.#deps = deps;
    const { chainId } = genesis;
    this.#state = new StateStore(database);
    const states: States = {
      at: (block) => this.#state.at(block),
      proof: (block, address, slots) => this.#state.proof(block, address, slots),
    };
    const options = { chainId, safe: 'soft', indexers: deps.indexers } as const;
    this.chain = new StandaloneChain((block) => this.#situation.edits.get(block), database, states, options);
    applyGenesis(genesis, { database, state: this.#state, chain: this.chain });
    const { latest } = this.chain.heads;
    const { edits = [], ahead = 0n } = latest === 0n ? deps : {};
    this.#situation = {
      edits: edits.length === 0 ? new Map() : new Map([[latest, edits]]),
      ...{ waiting: [], ahead, nextTimestamp: undefined, nextBaseFee: undefined },
      ...{ nextPrevRandao: undefined, interval: undefined, coinbase: ZERO_ADDRESS, gasLimit: genesis.gasLimit },
      writes: [],
    };
    this.#past = new Past({
      ...{ database, wall: deps.wall, chain: this.chain, situation: () => this.#situation },
      change: (changes) => this.change(changes),
      reopen: () => {
        this.#state = new StateStore(database);
        this.chain.reload();
      },
      getNonce: (account) => this.getNonce(account),
      mineOne: (chosen) => this.mineOne(chosen),
      remake: async (headers) => this.#write(await this.#sameAs(headers)),
    });
  }

  get situation(): Situation {
    return this.#situation;
  }

  get state(): StateStore {
    return this.#state;
  }

  get latest(): Header {
    return latestHeader(this.chain).header;
  }

  get maxCodeBytes(): number | undefined {
    return this.#deps.maxCodeBytes;
  }

  /** Fork of the next block. */
  get fork(): Fork {
    return forkAt(this.#deps.genesis.forks, this.latest.timestamp + 1n);
  }

  /** Base fee of the next block. */
  get baseFee(): bigint {
    return this.#situation.nextBaseFee ?? nextBaseFee(this.latest);
  }

  /** The next block as calls and estimates of the pending one see it. */
  get next(): NextBlock {
    const { coinbase, gasLimit, nextPrevRandao: prevRandao = ZERO_HASH } = this.#situation;
    const { latest } = this;
    const timestamp = nextTimestamp(this.#timeAfter(latest).timestamp, latest.timestamp);
    return { timestamp, coinbase, gasLimit, prevRandao, baseFeePerGas: this.baseFee };
  }

  /** Seconds that it is ahead of the time of day. */
  get ahead(): bigint {
    return this.#situation.ahead;
  }

  /** Seconds, as the chain has them. */
  get now(): bigint {
    return this.#wallSeconds + this.#situation.ahead;
  }

  get executable(): readonly Waiting[] {
    return executable(this.#situation.waiting, (account) => this.getNonce(account));
  }

  getNonce(account: Address): bigint {
    return this.chain.state(this.chain.heads.latest).account(account)?.nonce ?? 0n;
  }

  /** Runs when all that was to run before has ended. */
  exclusive<T>(work: () => T | Promise<T>): Promise<T> {
    const mine = this.#last.then(work, work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  /** Within `exclusive`, as all that follows. */
  change(changes: Partial<Situation>): void {
    this.#situation = { ...this.#situation, ...changes };
  }

  /** Changes the state after the latest block. */
  edit(edit: Edit): void {
    const { edits } = this.#situation;
    const { latest } = this.chain.heads;
    this.change({ edits: new Map(edits).set(latest, [...(edits.get(latest) ?? []), edit]) });
  }

  /** Moves the time of the chain against the time of day. */
  moveTime(seconds: bigint): void {
    checkTime(this.now + seconds, MAX_TIME, 'the time');
    this.change({ ahead: this.#situation.ahead + seconds });
  }

  setNextTimestamp(seconds: bigint): void {
    checkLater(seconds, this.chain);
    checkTime(seconds, MAX_TIME, 'the time of the next block');
    this.change({ nextTimestamp: seconds });
  }

  /**
   * Others have their turn in between. What waits is in the first blocks; the rest is empty.
   *
   * @param interval Seconds between them, in place of the usual; 0 turns them off.
   * @throws {JsonRpcError} also when the node stops before all are made.
   */
  async mine(count = 1n, interval = 0n): Promise<void> {
    checkCount(count);
    const { timestamp } = this.#timeAfter(this.latest);
    checkTime(timestamp + count * interval, MAX_TIME, `the time of the last of ${count} blocks`);
    let made = 0n;
    while (made < count) {
      if (made > 0n && this.#isStopping) throw serverError(`the node stops: ${made} of ${count} blocks are made`);
      if (made === 0n || this.executable.length > 0) {
        if (made > 0n && interval > 0n) this.setNextTimestamp(this.latest.timestamp + interval);
        await this.mineOne();
        made += 1n;
      } else made += await this.#mineEmpty(min(count - made, BATCH), interval);
      await turn();
    }
  }

  /** Ends calls that make many blocks after the blocks begun. */
  stop(): void {
    this.#isStopping = true;
  }

  /** A block with executable, or with chosen transactions. Transactions refused for ever are dropped. */
  async mineOne(chosen?: Chosen): Promise<NewBlock> {
    const { situation } = this;
    const parent = this.#parent();
    const { timestamp, isGiven } = this.#timeAfter(parent.header);
    const raws = chosen?.raws ?? this.executable.map(({ raw }) => raw);
    const entries = raws.map((data) => ({ kind: 'sequencedData', data }) as const);
    const { edits, nextBaseFee: baseFeePerGas } = situation;
    const prevRandao = chosen?.prevRandao ?? situation.nextPrevRandao;
    const made = await this.#build(parent, toInput(parent, timestamp, entries), {
      edits: edits.get(parent.header.number) ?? [],
      replaced: {
        ...(baseFeePerGas === undefined ? {} : { baseFeePerGas }),
        ...(prevRandao === undefined ? {} : { prevRandao }),
      },
    });
    const { block } = made;
    const done = new Set(block.block.transactions.map(({ hash }) => hash));
    for (const { hash, code } of block.refused) if (!LATER.has(code)) done.add(hash);
    this.change({
      waiting: situation.waiting.filter(({ hash }) => !done.has(hash)),
      ...{ nextTimestamp: undefined, nextBaseFee: undefined, nextPrevRandao: undefined },
      ...(isGiven ? { ahead: timestamp - this.#wallSeconds } : {}),
    });
    this.#write([made]);
    const methods = new Map(situation.waiting.map(({ hash, method }) => [hash, method]));
    this.#deps.activity?.block(block, made.followed, methods);
    return block;
  }

  /** Blocks after the latest, when nothing waits. One write holds them all. @returns how many. */
  async #mineEmpty(count: bigint, interval: bigint): Promise<bigint> {
    const made: Made[] = [];
    let parent = this.#parent();
    while (made.length < count) {
      const seconds = interval > 0n ? parent.header.timestamp + interval : this.#timeAfter(parent.header).timestamp;
      const next = await this.#build(parent, toInput(parent, seconds, []), { below: made.at(-1)?.state });
      made.push(next);
      parent = parentAfter(parent, next);
    }
    if (interval > 0n) this.change({ ahead: parent.header.timestamp - this.#wallSeconds });
    this.#write(made);
    return count;
  }

  /** All accounts after the latest block, with the edits. */
  accounts(): Dumped {
    const state = this.chain.state(this.chain.heads.latest);
    const edited = state instanceof StateOverlay ? state : undefined;
    const addresses = new Set([...[...this.state.accountsNow()].flat(), ...(edited?.accounts.keys() ?? [])]);
    const toSlots = (address: Address) =>
      new Set([...[...this.state.slotsEver(address)].flat(), ...(edited?.slots.get(address)?.keys() ?? [])]);
    return { state, addresses, getSlots: toSlots };
  }

  snapshot(): bigint {
    return this.#past.snapshot();
  }

  revert(id: bigint): boolean {
    return this.#past.revert(id);
  }

  /** Back to the start of the process. */
  reset(): void {
    this.senders.clear();
    this.#past.reset();
  }

  /** See `Past`. */
  rollback(depth: bigint): Promise<void> {
    return this.#past.rollback(depth);
  }

  /** See `Past`. */
  reorg(depth: bigint, getContent: Parameters<Past['reorg']>[1]): Promise<void> {
    return this.#past.reorg(depth, getContent);
  }

  /** Writes the edits on top of the latest block into one more. */
  async flush(): Promise<void> {
    if (this.#situation.edits.has(this.chain.heads.latest)) await this.mineOne();
  }

  /** Empty blocks once more. */
  async #sameAs(headers: readonly Header[]): Promise<readonly Made[]> {
    const made: Made[] = [];
    let parent = this.#parent();
    for (const { timestamp, coinbase, gasLimit, mixHash: prevRandao, baseFeePerGas = 0n } of headers) {
      const replaced = { coinbase, gasLimit, prevRandao, baseFeePerGas };
      const below = made.at(-1)?.state;
      const next = await this.#build(parent, toInput(parent, timestamp, []), { below, replaced });
      made.push(next);
      parent = parentAfter(parent, next);
    }
    return made;
  }

  /** @param options What differs from a plain block; `below` is of a block that is made and not written. */
  async #build(parent: Parent, input: BlockInput, { edits = [], below, replaced }: BuildOptions): Promise<Made> {
    const state = this.#state;
    const { coinbase, gasLimit } = this.#situation;
    const overlay = state.overlay(below);
    for (const edit of edits) edit(overlay);
    let sealed: SealedState | undefined;
    const followed = new Map<Hash, Followed>();
    const follow = (hash: Hash): Followed => {
      const each = new Followed();
      followed.set(hash, each);
      return each;
    };
    const block = await buildBlock(parent, input, {
      ...{ genesis: this.#deps.genesis, senders: this.senders, state: overlay, direct: true },
      stateRoot: () => {
        sealed = state.seal(overlay);
        return sealed.root;
      },
      replaced: { coinbase, gasLimit, maxCodeBytes: this.maxCodeBytes, ...replaced },
      // An address with code has no key: its transactions were imposed on it.
      maySend: () => true,
      follow: this.#deps.activity?.isEnabled === true ? follow : undefined,
    });
    if (sealed === undefined) throw new Error('a block was built without its state root');
    return { block, state: sealed, followed };
  }

  #write(made: readonly Made[]): void {
    const { chain } = this;
    const blocks = made.map(({ block }) => block);
    const number = blocks.at(-1)?.block.header.number ?? 0n;
    const moment = this.#deps.database.mark();
    this.#deps.database.write((writer) => {
      for (const each of made) this.#state.write(writer, each.block.block.header.number, each.state);
      chain.write(writer, blocks, { soft: number, firm: number, lowestCelestiaSearchHeight: 0n });
    });
    this.#past.remember({ firstBlock: number - BigInt(made.length) + 1n, moment });
    if (this.#past.isReplacing) return;
    chain.publish(blocks);
  }

  #parent(): Parent {
    const { hash, header } = latestHeader(this.chain);
    const getHash = (number: bigint) => this.chain.findHash(number);
    return { hash, header, nextWithdrawalIndex: 0n, getRemainder: () => 0n, findHash: getHash };
  }

  #timeAfter(parent: Header): { readonly timestamp: bigint; readonly isGiven: boolean } {
    const { nextTimestamp, interval } = this.#situation;
    const given = nextTimestamp ?? (interval === undefined ? undefined : parent.timestamp + interval);
    return { timestamp: given ?? this.now, isGiven: nextTimestamp !== undefined };
  }

  get #wallSeconds(): bigint {
    return BigInt(Math.floor(this.#deps.wall.unixMs() / 1_000));
  }
}

/** A later block may hold it. */
const LATER: ReadonlySet<string> = new Set(['block-gas', 'nonce-too-high']);

function toInput(parent: Parent, seconds: bigint, entries: BlockInput['entries']): BlockInput {
  // EIP-4788's root: there is no other block that this one is made from.
  return { entries, timestamp: { seconds, nanos: 0 }, sequencerBlockHash: parent.hash.slice(2) };
}

function parentAfter(parent: Parent, { block: { block } }: Made): Parent {
  const { hash, header } = block;
  return { ...parent, hash, header, findHash: (number) => (number === header.number ? hash : parent.findHash(number)) };
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
