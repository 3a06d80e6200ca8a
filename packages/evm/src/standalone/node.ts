import { numberOf, ZERO_ADDRESS } from '@switchyard/protocol/ethereum';
import type { BlockInput } from '@switchyard/rollup/execution';
import type { WallClock } from '@switchyard/service';
import type { StoredBlock } from '../chain/chain.ts';
import { applyGenesis } from '../chain/origin.ts';
import { ChainStore, type NewBlock } from '../chain/store.ts';
import { checkCount, checkLater, checkTime, type Development } from '../development/methods.ts';
import { ImpersonatedSenders } from '../development/senders.ts';
import { buildBlock, type Parent } from '../embedded/build-block.ts';
import { forkAt } from '../forks.ts';
import type { EvmGenesis } from '../genesis.ts';
import type { Fork } from '../interpreter/fork.ts';
import { type Pause, pauseEvery, TURN_MS } from '../pause.ts';
import { serverError } from '../rpc/errors.ts';
import { transactionFields } from '../rpc/format-transaction.ts';
import { latestHeader } from '../rpc/resolve.ts';
import { nextBaseFee } from '../rules.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { SealedState } from '../state/sealed.ts';
import { StateStore } from '../state/store.ts';
import type { Address, Hash, Header } from '../types.ts';
import type { Activity } from './activity/activity.ts';
import { Followed } from './activity/followed.ts';
import { StandaloneChain } from './chain.ts';
import type { Dumped } from './dumped-state.ts';
import { blocksAfter, publishReplaced } from './replaced.ts';
import { type Edit, executable, type Situation, type Waiting, type Written } from './situation.ts';
import type { UndoDatabase } from './undo-database.ts';

export interface StandaloneDeps {
  readonly genesis: EvmGenesis;
  readonly database: UndoDatabase;
  readonly indexers: ConstructorParameters<typeof ChainStore>[2]['indexers'];
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

interface Snapshot {
  readonly moment: number;
  readonly situation: Situation;
  /** Its latest block. */
  readonly number: bigint;
  readonly hash: Hash;
}

/** Content of a block in place of what waits. */
interface Chosen {
  readonly raws: readonly Uint8Array[];
  readonly prevRandao: Hash;
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
const MAX_SNAPSHOTS = 10_000;
/** Writes that can be taken back without a snapshot. */
const MAX_WRITES = 1_024;

/** A chain that makes its own blocks, and can be changed at will. What changes it runs one after the other. */
export class StandaloneNode implements Development {
  readonly chain: StandaloneChain;
  readonly senders = new ImpersonatedSenders();
  /** Whether what is sent gets a block at once. */
  automine = true;
  readonly #deps: StandaloneDeps;
  #stores;
  #situation: Situation;
  readonly #first: Snapshot;
  readonly #snapshots = new Map<bigint, Snapshot>();
  #lastSnapshot = 0n;
  #last: Promise<unknown> = Promise.resolve();
  #isStopping = false;
  /** Whether blocks that are stored are announced later, with those that they replace. */
  #isReplacing = false;

  /** @throws {InvalidConfig} where the database was begun with another genesis. */
  constructor(deps: StandaloneDeps) {
    const { genesis, database } = deps;
    this.#deps = deps;
    this.#stores = this.#open();
    applyGenesis(genesis, { database, ...this.#stores });
    const { latest } = this.#stores.chain.heads;
    const { edits = [], ahead = 0n } = latest === 0n ? deps : {};
    this.#situation = {
      edits: edits.length === 0 ? new Map() : new Map([[latest, edits]]),
      ...{ waiting: [], ahead, nextTimestamp: undefined, nextBaseFee: undefined },
      ...{ nextPrevRandao: undefined, interval: undefined, coinbase: ZERO_ADDRESS, gasLimit: genesis.gasLimit },
      writes: [],
    };
    this.chain = new StandaloneChain(genesis.chainId, () => ({ ...this.#stores, situation: this.#situation }));
    this.#first = this.#snapshot();
  }

  get situation(): Situation {
    return this.#situation;
  }

  get state(): StateStore {
    return this.#stores.state;
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

  /** Seconds that it is ahead of the time of day. */
  get ahead(): bigint {
    return this.#situation.ahead;
  }

  /** Seconds, as the chain has them. */
  get now(): bigint {
    return this.#wallSeconds + this.#situation.ahead;
  }

  get executable(): readonly Waiting[] {
    return executable(this.#situation.waiting, (account) => this.nonceOf(account));
  }

  nonceOf(account: Address): bigint {
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
   * @param interval Seconds between them, in place of the usual; 0 is none.
   * @throws {JsonRpcError} also when the node stops before all are made.
   */
  async mine(count = 1n, interval = 0n): Promise<void> {
    checkCount(count);
    const { timestamp } = this.#timeAfter(this.latest);
    checkTime(timestamp + count * interval, MAX_TIME, `the time of the last of ${count} blocks`);
    const pause = pauseEvery(TURN_MS);
    let made = 0n;
    while (made < count) {
      if (made > 0n && this.#isStopping) throw serverError(`the node stops: ${made} of ${count} blocks are made`);
      if (made === 0n || this.executable.length > 0) {
        if (made > 0n && interval > 0n) this.setNextTimestamp(this.latest.timestamp + interval);
        await this.mineOne();
        made += 1n;
      } else made += await this.#mineEmpty(min(count - made, BATCH), interval, pause);
      await pause();
    }
  }

  /** Ends what makes many blocks after those that it has begun. */
  stop(): void {
    this.#isStopping = true;
  }

  /** A block with what can be executed, or with what is chosen. What it refuses for ever is dropped. */
  async mineOne(chosen?: Chosen): Promise<NewBlock> {
    const { situation } = this;
    const parent = this.#parent();
    const { timestamp, isGiven } = this.#timeAfter(parent.header);
    const raws = chosen?.raws ?? this.executable.map(({ raw }) => raw);
    const entries = raws.map((data) => ({ kind: 'sequencedData', data }) as const);
    const { edits, nextBaseFee: baseFee } = situation;
    const prevRandao = chosen?.prevRandao ?? situation.nextPrevRandao;
    const made = await this.#build(parent, inputOf(parent, timestamp, entries), {
      edits: edits.get(parent.header.number) ?? [],
      replaced: {
        ...(baseFee === undefined ? {} : { baseFee }),
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
  async #mineEmpty(count: bigint, interval: bigint, pause: Pause): Promise<bigint> {
    const made: Made[] = [];
    let parent = this.#parent();
    while (made.length < count) {
      const seconds = interval > 0n ? parent.header.timestamp + interval : this.#timeAfter(parent.header).timestamp;
      await pause();
      const next = await this.#build(parent, inputOf(parent, seconds, []), { below: made.at(-1)?.state });
      made.push(next);
      parent = parentAfter(parent, next);
    }
    if (interval > 0n) this.change({ ahead: parent.header.timestamp - this.#wallSeconds });
    this.#write(made);
    return count;
  }

  /** All accounts after the latest block, with what was edited. */
  accounts(): Dumped {
    const state = this.chain.state(this.chain.heads.latest);
    const edited = state instanceof StateOverlay ? state : undefined;
    const addresses = new Set([...[...this.state.accountsNow()].flat(), ...(edited?.accounts.keys() ?? [])]);
    const slotsOf = (address: Address) =>
      new Set([...[...this.state.slotsEver(address)].flat(), ...(edited?.slots.get(address)?.keys() ?? [])]);
    return { state, addresses, slotsOf };
  }

  snapshot(): bigint {
    if (this.#snapshots.size >= MAX_SNAPSHOTS) throw serverError(`${MAX_SNAPSHOTS} snapshots at most are kept`);
    this.#lastSnapshot += 1n;
    this.#snapshots.set(this.#lastSnapshot, this.#snapshot());
    return this.#lastSnapshot;
  }

  /** @returns false where there is no such snapshot. It and all later ones are gone afterwards. */
  revert(id: bigint): boolean {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) return false;
    for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other);
    this.#goBack(snapshot);
    return true;
  }

  /** Back to where the process began. */
  reset(): void {
    this.#snapshots.clear();
    this.senders.clear();
    this.#goBack(this.#first);
  }

  /**
   * Takes the newest blocks back. Their transactions wait again, as far as they still can.
   *
   * @throws {JsonRpcError} where there are fewer, or they cannot be taken back.
   */
  async rollback(depth: bigint): Promise<void> {
    const stays = this.#staysBelow(depth);
    await this.#replace(stays, async (gone) => {
      await this.#rewind(stays);
      this.#waitAgain(gone);
      // With the content and the time of one that is gone, the next block is still another one.
      const { nextPrevRandao = gone[0]?.hash } = this.#situation;
      this.change({ nextPrevRandao });
    });
  }

  /**
   * Replaces the newest blocks by as many others. Transactions that are in none of them wait again.
   *
   * @param contentOf Signed transactions of each new block, which is asked for when those before it are made.
   * @throws {JsonRpcError} where one of them cannot be in its block; then the chain is as it was.
   */
  async reorg(depth: bigint, contentOf: (index: number) => Promise<readonly Uint8Array[]>): Promise<void> {
    const stays = this.#staysBelow(depth);
    await this.#replace(stays, async (gone) => {
      await this.#rewind(stays);
      for (const [index, { hash }] of gone.entries()) {
        // Its hash makes the new block another one, also with the content and the time of the old one.
        const { block, refused } = await this.mineOne({ raws: await contentOf(index), prevRandao: hash });
        const [first] = refused;
        if (first !== undefined)
          throw serverError(`transaction ${first.hash} cannot be in block ${block.header.number}: ${first.reason}`);
      }
      this.#waitAgain(gone);
    });
  }

  /** The newest block that stays where so many are taken back. */
  #staysBelow(depth: bigint): bigint {
    const { latest } = this.chain.heads;
    if (depth > latest) throw serverError(`depth ${depth}: the chain has ${latest} blocks after its first`);
    const [oldest] = this.#situation.writes;
    const stays = latest - depth;
    if (depth > 0n && (oldest === undefined || stays + 1n < oldest.firstBlock))
      throw serverError(
        `depth ${depth}: blocks before ${oldest?.firstBlock ?? latest + 1n} can no longer be taken back, only the last ${MAX_WRITES} of this process`,
      );
    return stays;
  }

  /** Runs what replaces the blocks after `stays`, and announces all of it when it has succeeded. */
  async #replace(stays: bigint, work: (gone: readonly StoredBlock[]) => Promise<void>): Promise<void> {
    const before = blocksAfter(this.chain, stays);
    const gone = before.flatMap(({ number }) => this.chain.block(number) ?? []);
    const snapshot = this.#snapshot();
    this.#isReplacing = true;
    try {
      await work(gone);
    } catch (error) {
      this.#restore(snapshot);
      throw error;
    } finally {
      this.#isReplacing = false;
    }
    publishReplaced(this.chain, stays, before);
  }

  /** Blocks after this one are gone, and all that they did. */
  async #rewind(stays: bigint): Promise<void> {
    const { writes, edits } = this.#situation;
    const index = writes.findLastIndex(({ firstBlock }) => firstBlock <= stays + 1n);
    const write = writes[index];
    if (write === undefined) return;
    // Of blocks that were written together, those that stay are made again.
    const headers: Header[] = [];
    for (let number = write.firstBlock; number <= stays; number += 1n) {
      const found = this.chain.header(number);
      if (found !== undefined) headers.push(found.header);
    }
    this.#deps.database.rewind(write.moment);
    this.#stores = this.#open();
    this.change({
      writes: writes.slice(0, index),
      edits: new Map([...edits].filter(([number]) => number <= stays)),
    });
    if (headers.length > 0) this.#write(await this.#sameAs(headers));
  }

  /** Empty blocks once more. */
  async #sameAs(headers: readonly Header[]): Promise<readonly Made[]> {
    const made: Made[] = [];
    let parent = this.#parent();
    for (const { timestamp, coinbase, gasLimit, mixHash: prevRandao, baseFeePerGas: baseFee = 0n } of headers) {
      const replaced = { coinbase, gasLimit, prevRandao, baseFee };
      const below = made.at(-1)?.state;
      const next = await this.#build(parent, inputOf(parent, timestamp, []), { below, replaced });
      made.push(next);
      parent = parentAfter(parent, next);
    }
    return made;
  }

  /** Puts the transactions of blocks that are gone before those that wait, where they are in no other block. */
  #waitAgain(gone: readonly StoredBlock[]): void {
    const { waiting } = this.#situation;
    const receivedAt = this.#deps.wall.unixMs();
    const taken = new Set(waiting.map(({ from, nonce }) => `${from} ${nonce}`));
    const returned = gone
      .flatMap(({ transactions }) => transactions)
      .map((each) => ({ ...each, nonce: numberOf(transactionFields(each.raw).nonce), receivedAt }))
      .filter(({ from, nonce }) => !taken.has(`${from} ${nonce}`));
    this.change({ waiting: [...returned, ...waiting].filter(({ from, nonce }) => nonce >= this.nonceOf(from)) });
  }

  #snapshot(): Snapshot {
    const { hash, header } = latestHeader(this.chain);
    return { moment: this.#deps.database.mark(), situation: this.#situation, number: header.number, hash };
  }

  /** Restores a snapshot, and announces the blocks that are gone with it. */
  #goBack(snapshot: Snapshot): void {
    const { latest } = this.chain.heads;
    const { number, hash } = snapshot;
    // After a reorganization the two chains part before it: no further back than blocks can be taken back.
    const oldest = this.#situation.writes[0]?.firstBlock ?? latest + 1n;
    const stays = this.chain.hashOf(number) === hash ? number : oldest - 1n;
    const before = blocksAfter(this.chain, stays);
    this.#restore(snapshot);
    publishReplaced(this.chain, stays, before);
  }

  /** Writes what was edited on top of the latest block into one more. */
  async flush(): Promise<void> {
    if (this.#situation.edits.has(this.chain.heads.latest)) await this.mineOne();
  }

  #open() {
    const { genesis, database, indexers } = this.#deps;
    const state = new StateStore(database);
    const chain = new ChainStore(database, state, { chainId: genesis.chainId, safe: 'soft', indexers });
    return { state, chain };
  }

  #restore({ moment, situation }: Snapshot): void {
    this.#deps.database.rollback(moment);
    // The old stores remember blocks that are gone.
    this.#stores = this.#open();
    this.#situation = situation;
  }

  /** @param options What differs from a plain block; `below` is of a block that is made and not written. */
  async #build(parent: Parent, input: BlockInput, { edits = [], below, replaced }: BuildOptions): Promise<Made> {
    const { state } = this.#stores;
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
      // An address with code has no key: what it sends, it was made to send.
      maySend: () => true,
      follow: this.#deps.activity === undefined ? undefined : follow,
    });
    if (sealed === undefined) throw new Error('a block was built without its state root');
    return { block, state: sealed, followed };
  }

  #write(made: readonly Made[]): void {
    const { state, chain } = this.#stores;
    const blocks = made.map(({ block }) => block);
    const number = blocks.at(-1)?.block.header.number ?? 0n;
    const moment = this.#deps.database.mark();
    this.#deps.database.write((writer) => {
      for (const each of made) state.write(writer, each.block.block.header.number, each.state);
      chain.write(writer, blocks, { soft: number, firm: number, lowestCelestiaSearchHeight: 0n });
    });
    this.#remember({ firstBlock: number - BigInt(made.length) + 1n, moment });
    if (this.#isReplacing) return;
    this.chain.publish({ blocks, heads: { latest: number, safe: number, finalized: number } });
  }

  #remember(written: Written): void {
    const writes = [...this.#situation.writes, written].slice(-MAX_WRITES);
    const [oldest] = writes;
    // Snapshots may still lead back to any moment.
    if (oldest !== undefined && this.#snapshots.size === 0 && !this.#isReplacing)
      this.#deps.database.forgetBetween(this.#first.moment, oldest.moment);
    this.change({ writes });
  }

  #parent(): Parent {
    const { chain } = this.#stores;
    const found = chain.header(chain.heads.latest);
    if (found === undefined) throw new Error('the chain has no latest block');
    const { hash, header } = found;
    const hashOf = (number: bigint) => chain.hashOf(number);
    return { hash, header, nextWithdrawalIndex: 0n, remainderOf: () => 0n, hashOf };
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

function inputOf(parent: Parent, seconds: bigint, entries: BlockInput['entries']): BlockInput {
  // EIP-4788's root: there is no other block that this one is made from.
  return { entries, timestamp: { seconds, nanos: 0 }, sequencerBlockHash: parent.hash.slice(2) };
}

function parentAfter(parent: Parent, { block: { block } }: Made): Parent {
  const { hash, header } = block;
  return { ...parent, hash, header, hashOf: (number) => (number === header.number ? hash : parent.hashOf(number)) };
}

function min(left: bigint, right: bigint): bigint {
  return left < right ? left : right;
}
