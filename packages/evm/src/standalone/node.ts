import type { BlockInput } from '@switchyard/rollup';
import type { WallClock } from '@switchyard/service';
import { applyGenesis } from '../chain/origin.ts';
import { ChainStore, type NewBlock } from '../chain/store.ts';
import { buildBlock, type Parent } from '../embedded/build-block.ts';
import { forkAt } from '../forks.ts';
import type { EvmGenesis } from '../genesis.ts';
import { ZERO_ADDRESS } from '../hex.ts';
import type { Fork } from '../interpreter/fork.ts';
import { serverError } from '../rpc/errors.ts';
import { latestHeader } from '../rpc/resolve.ts';
import { nextBaseFee } from '../rules.ts';
import { StateOverlay } from '../state/overlay.ts';
import type { SealedState } from '../state/sealed.ts';
import { StateStore } from '../state/store.ts';
import type { Address, Header } from '../types.ts';
import { StandaloneChain } from './chain.ts';
import type { Dumped } from './dumped-state.ts';
import { ImpersonatedSenders } from './senders.ts';
import { type Edit, executable, type Situation, type Waiting } from './situation.ts';
import type { UndoDatabase } from './undo-database.ts';

export interface StandaloneDeps {
  readonly genesis: EvmGenesis;
  readonly database: UndoDatabase;
  readonly indexers: ConstructorParameters<typeof ChainStore>[2]['indexers'];
  readonly wall: WallClock;
}

interface Snapshot {
  readonly moment: number;
  readonly situation: Situation;
}

/** Blocks that one call makes at most. */
const MAX_BLOCKS = 100_000n;
const MAX_SNAPSHOTS = 10_000;

/** A chain that makes its own blocks, and can be changed at will. What changes it runs one after the other. */
export class StandaloneNode {
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

  /** @throws {InvalidConfig} where the database was begun with another genesis. */
  constructor(deps: StandaloneDeps) {
    const { genesis, database } = deps;
    this.#deps = deps;
    this.#stores = this.#open();
    applyGenesis(genesis, { database, ...this.#stores });
    this.#situation = {
      ...{ edits: new Map(), waiting: [], ahead: 0n, nextTimestamp: undefined, nextBaseFee: undefined },
      ...{ nextPrevRandao: undefined, interval: undefined, coinbase: ZERO_ADDRESS, gasLimit: genesis.gasLimit },
    };
    this.chain = new StandaloneChain(genesis.chainId, () => ({ ...this.#stores, situation: this.#situation }));
    this.#first = { moment: database.moment, situation: this.#situation };
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

  /** Whose rules the next block has. */
  get fork(): Fork {
    return forkAt(this.#deps.genesis.forks, this.latest.timestamp + 1n);
  }

  /** Of the next block. */
  get baseFee(): bigint {
    return this.#situation.nextBaseFee ?? nextBaseFee(this.latest);
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

  setNextTimestamp(seconds: bigint): void {
    const { timestamp } = this.latest;
    if (seconds <= timestamp)
      throw serverError(`timestamp ${seconds} is not after that of the latest block, which is ${timestamp}`);
    this.change({ nextTimestamp: seconds });
  }

  /** @param interval Seconds between them. */
  async mine(count = 1n, interval?: bigint): Promise<void> {
    if (count > MAX_BLOCKS) throw serverError(`${count} blocks, at most ${MAX_BLOCKS} are made at a time`);
    for (let made = 0n; made < count; made += 1n) {
      if (made > 0n && interval !== undefined && interval > 0n) this.setNextTimestamp(this.latest.timestamp + interval);
      await this.mineOne();
      if (made % 16n === 0n) await new Promise(setImmediate);
    }
  }

  /** A block with what can be executed. What it refuses for ever is dropped. */
  async mineOne(): Promise<NewBlock> {
    const { situation } = this;
    const parent = this.#parent();
    const { timestamp, isGiven } = this.#timeAfter(parent.header);
    const entries = this.executable.map(({ raw }) => ({ kind: 'sequencedData', data: raw }) as const);
    const input: BlockInput = {
      entries,
      timestamp: { seconds: timestamp, nanos: 0 },
      // EIP-4788's root: there is no other block that this one is made from.
      sequencerBlockHash: parent.hash.slice(2),
    };
    const block = await this.#build(parent, input);
    const { number } = block.block.header;
    const done = new Set(block.block.transactions.map(({ hash }) => hash));
    for (const { hash, code } of block.refused) if (!LATER.has(code)) done.add(hash);
    this.change({
      waiting: situation.waiting.filter(({ hash }) => !done.has(hash)),
      ...{ nextTimestamp: undefined, nextBaseFee: undefined, nextPrevRandao: undefined },
      ...(isGiven ? { ahead: timestamp - this.#wallSeconds } : {}),
    });
    this.chain.publish({ blocks: [block], heads: { latest: number, safe: number, finalized: number } });
    return block;
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
    this.#snapshots.set(this.#lastSnapshot, { moment: this.#deps.database.moment, situation: this.#situation });
    return this.#lastSnapshot;
  }

  /** @returns false where there is no such snapshot. It and all later ones are gone afterwards. */
  revert(id: bigint): boolean {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) return false;
    for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other);
    this.#restore(snapshot);
    return true;
  }

  /** Back to where the process began. */
  reset(): void {
    this.#snapshots.clear();
    this.senders.clear();
    this.#restore(this.#first);
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
    // What they remember is of blocks that are gone.
    this.#stores = this.#open();
    this.#situation = situation;
  }

  async #build(parent: Parent, input: BlockInput): Promise<NewBlock> {
    const { genesis, database } = this.#deps;
    const { state, chain } = this.#stores;
    const { edits, coinbase, gasLimit, nextBaseFee: baseFee, nextPrevRandao: prevRandao } = this.#situation;
    const overlay = state.overlay();
    for (const edit of edits.get(parent.header.number) ?? []) edit(overlay);
    const made: SealedState[] = [];
    const block = await buildBlock(parent, input, {
      ...{ genesis, senders: this.senders, state: overlay, direct: true },
      stateRoot: () => {
        const sealed = state.seal(overlay);
        made.push(sealed);
        return sealed.root;
      },
      replaced: {
        ...{ coinbase, gasLimit },
        ...(baseFee === undefined ? {} : { baseFee }),
        ...(prevRandao === undefined ? {} : { prevRandao }),
      },
      maySend: (contract) => this.senders.has(contract),
    });
    const { number } = block.block.header;
    database.write((writer) => {
      for (const sealed of made) state.write(writer, number, sealed);
      chain.write(writer, [block], { soft: number, firm: number, lowestCelestiaSearchHeight: 0n });
    });
    return block;
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
