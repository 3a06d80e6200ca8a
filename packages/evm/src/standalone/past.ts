import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { bytesToBigInt } from '@switchyard/protocol/ethereum';
import type { WallClock } from '@switchyard/service';
import type { StoredBlock } from '../chain/chain.ts';
import type { NewBlock } from '../chain/store.ts';
import { serverError } from '../json/errors.ts';
import { transactionFields } from '../json/format-transaction.ts';
import { latestHeader } from '../json/resolve.ts';
import type { StandaloneChain } from './chain.ts';
import { blocksAfter, publishReplaced } from './replaced.ts';
import type { Situation, Written } from './situation.ts';
import type { UndoDatabase } from './undo-database.ts';

/** Content of a block in place of the waiting transactions. */
export interface Chosen {
  readonly raws: readonly Uint8Array[];
  readonly prevRandao: Hash;
}

/** Parts of the node that going back needs. */
export interface PastDeps {
  readonly chain: StandaloneChain;
  readonly database: UndoDatabase;
  readonly wall: WallClock;
  readonly situation: () => Situation;
  change(changes: Partial<Situation>): void;
  /** Drops all that is remembered of blocks that are gone. */
  reopen(): void;
  getNonce(account: Address): bigint;
  mineOne(chosen: Chosen): Promise<NewBlock>;
  /** Makes empty blocks with these headers once more. */
  remake(headers: readonly Header[]): Promise<void>;
}

interface Snapshot {
  readonly moment: number;
  readonly situation: Situation;
  /** Its latest block. */
  readonly number: bigint;
  readonly hash: Hash;
}

const MAX_SNAPSHOTS = 10_000;
/** Writes that can be taken back without a snapshot. */
const MAX_WRITES = 1_024;

/** Takes a chain back: to snapshots, by blocks, or onto others. */
export class Past {
  readonly #deps: PastDeps;
  readonly #first: Snapshot;
  readonly #snapshots = new Map<bigint, Snapshot>();
  #lastSnapshot = 0n;
  /** Whether blocks that are stored are announced later, with the replaced ones. */
  isReplacing = false;

  constructor(deps: PastDeps) {
    this.#deps = deps;
    this.#first = this.#now();
  }

  snapshot(): bigint {
    if (this.#snapshots.size >= MAX_SNAPSHOTS) throw serverError(`${MAX_SNAPSHOTS} snapshots at most are kept`);
    this.#lastSnapshot += 1n;
    this.#snapshots.set(this.#lastSnapshot, this.#now());
    return this.#lastSnapshot;
  }

  /** @returns false if there is no such snapshot. It and all later ones are gone afterwards. */
  revert(id: bigint): boolean {
    const snapshot = this.#snapshots.get(id);
    if (snapshot === undefined) return false;
    for (const other of this.#snapshots.keys()) if (other >= id) this.#snapshots.delete(other);
    this.#goBack(snapshot);
    return true;
  }

  /** Back to the start of the process. */
  reset(): void {
    this.#snapshots.clear();
    this.#goBack(this.#first);
  }

  /**
   * Takes the newest blocks back. Their transactions wait again, as far as they still can.
   *
   * @throws {JsonRpcError} if there are fewer, or they cannot be taken back.
   */
  async rollback(depth: bigint): Promise<void> {
    const stays = this.#staysBelow(depth);
    await this.#replace(stays, async (gone) => {
      await this.#rewind(stays);
      this.#waitAgain(gone);
      // Even with the content and the time of a dropped block, the next block differs from it.
      const { nextPrevRandao = gone[0]?.hash } = this.#situation;
      this.#deps.change({ nextPrevRandao });
    });
  }

  /**
   * Replaces the newest blocks by as many others. Transactions that are in none of them wait again.
   *
   * @param contentOf Signed transactions of each new block, called once its predecessors are made.
   * @throws {JsonRpcError} if one of them cannot be in its block; then the chain stays unchanged.
   */
  async reorg(depth: bigint, getContent: (index: number) => Promise<readonly Uint8Array[]>): Promise<void> {
    const stays = this.#staysBelow(depth);
    await this.#replace(stays, async (gone) => {
      await this.#rewind(stays);
      for (const [index, { hash }] of gone.entries()) {
        // Its hash makes the new block another one, also with the content and the time of the old one.
        const { block, refused } = await this.#deps.mineOne({ raws: await getContent(index), prevRandao: hash });
        const [first] = refused;
        if (first !== undefined)
          throw serverError(`transaction ${first.hash} cannot be in block ${block.header.number}: ${first.reason}`);
      }
      this.#waitAgain(gone);
    });
  }

  /** The newest block that stays when this many are taken back. */
  #staysBelow(depth: bigint): bigint {
    const { latest } = this.#deps.chain.heads;
    if (depth > latest) throw serverError(`depth: expected at most ${latest}, the latest block, got ${depth}`);
    const [oldest] = this.#situation.writes;
    const stays = latest - depth;
    if (depth > 0n && (oldest === undefined || stays + 1n < oldest.firstBlock))
      throw serverError(
        `depth ${depth}: blocks before ${oldest?.firstBlock ?? latest + 1n} can no longer be taken back, only the last ${MAX_WRITES} of this process`,
      );
    return stays;
  }

  /** Runs the replacement of the blocks after `stays`, and announces all of it when it has succeeded. */
  async #replace(stays: bigint, work: (gone: readonly StoredBlock[]) => Promise<void>): Promise<void> {
    const before = blocksAfter(this.#deps.chain, stays);
    if (before.length === 0) return;
    const gone = before.flatMap(({ number }) => this.#deps.chain.block(number) ?? []);
    const snapshot = this.#now();
    this.isReplacing = true;
    try {
      await work(gone);
    } catch (error) {
      this.#restore(snapshot);
      throw error;
    } finally {
      this.isReplacing = false;
    }
    publishReplaced(this.#deps.chain, stays, before);
  }

  /** Notes a write, which can be taken back. */
  remember(written: Written): void {
    const writes = [...this.#situation.writes, written].slice(-MAX_WRITES);
    const [oldest] = writes;
    // Snapshots lead back to moments before them only.
    const { moment: kept } = [...this.#snapshots.values()].at(-1) ?? this.#first;
    if (oldest !== undefined && oldest.moment > kept && !this.isReplacing)
      this.#deps.database.forgetBetween(kept, oldest.moment);
    this.#deps.change({ writes });
  }

  /** Blocks after this one are gone, and all that they did. */
  async #rewind(stays: bigint): Promise<void> {
    const { writes, edits } = this.#situation;
    const { chain } = this.#deps;
    const hash = chain.findHash(stays);
    const index = writes.findLastIndex(({ firstBlock }) => firstBlock <= stays + 1n);
    const write = writes[index];
    if (write === undefined) return;
    // Blocks that stay are made again, if they were written together with others.
    const headers: Header[] = [];
    for (let number = write.firstBlock; number <= stays; number += 1n) {
      const found = chain.header(number);
      if (found !== undefined) headers.push(found.header);
    }
    this.#deps.database.rewind(write.moment);
    this.#deps.reopen();
    this.#deps.change({
      writes: writes.slice(0, index),
      edits: new Map([...edits].filter(([number]) => number <= stays)),
    });
    if (headers.length > 0) await this.#deps.remake(headers);
    if (chain.findHash(stays) !== hash) throw new Error(`block ${stays} is not what it was`);
  }

  /** Puts the transactions of blocks that are gone before the waiting ones, if they are in no other block. */
  #waitAgain(gone: readonly StoredBlock[]): void {
    const { waiting } = this.#situation;
    const receivedAt = this.#deps.wall.unixMs();
    const taken = new Set(waiting.map(({ from, nonce }) => `${from} ${nonce}`));
    const returned = gone
      .flatMap(({ transactions }) => transactions)
      .map((each) => ({ ...each, nonce: bytesToBigInt(transactionFields(each.raw).nonce), receivedAt }))
      .filter(({ from, nonce }) => !taken.has(`${from} ${nonce}`));
    this.#deps.change({
      waiting: [...returned, ...waiting].filter(({ from, nonce }) => nonce >= this.#deps.getNonce(from)),
    });
  }

  get #situation(): Situation {
    return this.#deps.situation();
  }

  #now(): Snapshot {
    const { hash, header } = latestHeader(this.#deps.chain);
    return { moment: this.#deps.database.mark(), situation: this.#situation, number: header.number, hash };
  }

  /** Restores a snapshot, and announces the blocks that are gone with it. */
  #goBack(snapshot: Snapshot): void {
    const { latest } = this.#deps.chain.heads;
    const { number, hash } = snapshot;
    // After a reorganization the two chains part before it: no further back than blocks can be taken back.
    const oldest = this.#situation.writes[0]?.firstBlock ?? latest + 1n;
    const stays = this.#deps.chain.findHash(number) === hash ? number : oldest - 1n;
    const before = blocksAfter(this.#deps.chain, stays);
    this.#restore(snapshot);
    publishReplaced(this.#deps.chain, stays, before);
  }

  #restore({ moment, situation }: Snapshot): void {
    this.#deps.database.rollback(moment);
    this.#deps.reopen();
    this.#deps.change(situation);
  }
}
