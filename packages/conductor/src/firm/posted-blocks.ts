/** Blocks of the sequencer that were found on the data-availability layer and are not executed firm yet. Nothing here does I/O. */
import {
  blockFromPosted,
  encodeSignedHeader,
  equalBytes,
  type PostedMetadata,
  type PostedRollupData,
  type RollupId,
  type SignedHeader,
  sha256,
  toHex,
  type Validator,
  validatorSetHash,
  verifyCommit,
  verifyFilteredBlock,
} from '@switchyard/protocol';
import { turn } from '@switchyard/service';
import {
  bytesOfData,
  type Candidate,
  countBytes,
  getSets,
  isConsistent,
  ownData,
  ownMetadata,
  passes,
  type Sets,
} from './candidate.ts';
import type { Opened } from './open-blobs.ts';
import { UnprovenRoom } from './unproven-room.ts';

/** Number of heights kept above the next one: anybody may post for any height. */
const WINDOW = 20_000n;
/** Blocks kept of one height above the next one, while the validators that signed are unknown. */
const MAX_UNPROVEN = 16;
/** Entries that did not verify, and are not looked at again. */
const MAX_REJECTED = 20_000;
/** Approximate size of later blocks that the announced validators have signed: all of one hash are one block. */
const MAX_PROVEN_BYTES = 64 * 1_048_576;
/** Entries after which others have a turn. */
const TURN = 64;

export interface PostedBlocksOptions {
  readonly chainId: string;
  readonly rollup: RollupId;
  /** Height of the block that is needed next. */
  readonly next: bigint;
}

export class PostedBlocks {
  readonly #options: PostedBlocksOptions;
  readonly #byHeight = new Map<bigint, Set<Candidate>>();
  /** Candidates by the hex of the block's hash, of which anybody may post others with signatures of their own. */
  readonly #byHash = new Map<string, Set<Candidate>>();
  /** Identities of all candidates. */
  readonly #identities = new Set<string>();
  /** Data whose block is not known yet, which a later height of the layer may bring, by the hex of the block's hash. */
  readonly #orphans = new Map<string, Set<Opened<PostedRollupData>>>();
  readonly #unproven = new UnprovenRoom();
  readonly #ofOrphans = new UnprovenRoom();
  #provenBytes = 0;
  /** Hex of the hash of the set that may sign the next block; undefined while there is no block before it. */
  #announced: string | undefined;
  /** That set, if the block before has shown it. */
  #announcedSet: readonly Validator[] | undefined;
  readonly #rejected = new Set<string>();
  /** Validators last fetched from the sequencer. */
  #asked: readonly Validator[] = [];
  #next: bigint;
  /** Something was left out that may be needed: the layer has to be read again from the old position. */
  #hasForgotten = false;
  /** Blocks of other validators than the announced ones were left out: they may be needed once the announced ones change. */
  #hasLeftOutSets = false;
  #isChanged = false;

  constructor(options: PostedBlocksOptions) {
    this.#options = options;
    this.#next = options.next;
  }

  get next(): bigint {
    return this.#next;
  }

  /** Approximate size of everything that is kept. */
  get bytes(): number {
    return this.#provenBytes + this.#unproven.bytes + this.#ofOrphans.bytes;
  }

  /** Accounts of the layer that have used up their room for unproven parts, or all of it together. */
  get crowdedBy(): readonly string[] {
    return this.#unproven.crowdedBy;
  }

  /** Something that may be needed was not even looked at. */
  leaveOut(): void {
    this.#hasForgotten = true;
  }

  /** Whether a block of this height is kept. */
  isWanted(height: bigint): boolean {
    return height >= this.#next - 1n && height <= this.#next + WINDOW;
  }

  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** Whether something was left out since the last call. */
  takeForgotten(): boolean {
    const has = this.#hasForgotten;
    this.#hasForgotten = false;
    return has;
  }

  /** Whether blocks that were left out may be proven now, by validators that were announced since. */
  takeChanged(): boolean {
    const is = this.#isChanged;
    this.#isChanged = false;
    return is;
  }

  /** @returns how many of the entries are of no use: of other chains, forged, or known already. */
  async add(
    layerHeight: bigint,
    metadata: readonly Opened<PostedMetadata>[],
    data: readonly Opened<PostedRollupData>[],
  ): Promise<number> {
    let useless = 0;
    const sets = getSets(metadata);
    const each = async <T>(entries: readonly T[], add: (entry: T) => boolean) => {
      for (const [index, entry] of entries.entries()) {
        if (index % TURN === TURN - 1) await turn();
        if (!add(entry)) useless += 1;
      }
    };
    await each(metadata, (entry) => this.#addMetadata(layerHeight, entry, sets));
    await each(data, (entry) => this.#addData(layerHeight, entry));
    return useless;
  }

  /** Blocks that may be the next one, in the order in which they came. */
  candidates(): readonly Candidate[] {
    const all = [...(this.#byHeight.get(this.#next) ?? [])];
    return this.#announced === undefined ? all : all.filter(({ set }) => set === this.#announced);
  }

  /** Whether the block is there but for the rollup's data. */
  isIncomplete({ metadata, data }: Candidate): boolean {
    return data === undefined && metadata.rollupIds.includes(this.#options.rollup);
  }

  /** Its content contradicts its claims. */
  reject(candidate: Candidate): void {
    this.#drop(candidate);
    if (this.#rejected.size >= MAX_REJECTED) this.#rejected.clear();
    this.#rejected.add(candidate.identity);
    this.#hasForgotten = true;
  }

  /** The block of the next height was found. */
  advance({ metadata }: Candidate): void {
    const { nextValidatorsHash } = metadata.signed.header;
    const announced = toHex(nextValidatorsHash);
    this.#announcedSet = this.findValidators(nextValidatorsHash);
    if (announced !== this.#announced && this.#hasLeftOutSets) {
      this.#hasLeftOutSets = false;
      this.#isChanged = true;
    }
    this.#announced = announced;
    for (const height of [this.#next - 1n, this.#next]) {
      for (const candidate of this.#byHeight.get(height) ?? []) this.#drop(candidate);
    }
    this.#next += 1n;
  }

  /** Header of a block that a person or the rollup vouches for. */
  signedHeader(height: bigint, hash: Uint8Array): SignedHeader | undefined {
    const [found] = this.#byHash.get(toHex(hash)) ?? [];
    return found?.metadata.header.height === height ? found.metadata.signed : undefined;
  }

  /** The set with this hash, if it was posted for the next block, asked for, or is that of the block before. */
  findValidators(hash: Uint8Array): readonly Validator[] | undefined {
    const key = toHex(hash);
    const posted = this.candidates().find(({ set, validators }) => set === key && validators !== undefined);
    const others = [this.#announcedSet, this.#asked];
    return posted?.validators ?? others.find((set) => set !== undefined && equalBytes(validatorSetHash(set), hash));
  }

  /** A set fetched from the sequencer. */
  know(validators: readonly Validator[]): void {
    this.#asked = validators;
  }

  #addMetadata(layerHeight: bigint, { entry: metadata, author }: Opened<PostedMetadata>, sets: Sets): boolean {
    const { header, hash, signed } = metadata;
    // Before the first block is found, that of the block below the next one names the validators of the next.
    const lowest = this.#announced === undefined ? this.#next - 1n : this.#next;
    if (header.chainId !== this.#options.chainId || header.height < lowest || signed === undefined) return false;
    const isLater = header.height > this.#next;
    const set = toHex(signed.header.validatorsHash);
    const isAnnounced = set === this.#announced;
    if (!isLater && this.#announced !== undefined && !isAnnounced) return false;
    const validators = sets.get(set) ?? (isAnnounced ? this.#announcedSet : undefined);
    const isProven = isAnnounced && validators !== undefined;
    const before = this.#byHeight.get(header.height)?.size ?? 0;
    const hasPlace = before < (isLater ? MAX_UNPROVEN : MAX_REJECTED) && !(isLater && this.#unproven.isFullFor(author));
    // Checked first: it costs less than the omitted checks.
    if (!isProven && !hasPlace) return this.#leftOut(isAnnounced || !isLater);
    const identity = toHex(sha256(encodeSignedHeader(signed)));
    if (this.#rejected.has(identity) || this.#identities.has(identity) || !isConsistent(metadata, signed)) return false;
    const twins = [...(this.#byHash.get(toHex(hash)) ?? [])];
    // Parts of the signatures are enough, so that there may be many of one block.
    if (isProven && twins.some((each) => each.isProven)) return false;
    if (isProven && !passes(() => verifyCommit(this.#options.chainId, validators, signed))) return false;
    const isFull = isLater && isProven && this.#provenBytes >= MAX_PROVEN_BYTES;
    if (header.height > this.#next + WINDOW || isFull) return this.#leftOut(isAnnounced);
    const candidate: Candidate = {
      ...{ metadata: ownMetadata(metadata, signed), identity, validators, set, isProven },
      ...{ takesRoomOf: isLater && !isProven ? author : undefined, data: undefined, layerHeight },
    };
    const orphans = this.#orphans.get(toHex(hash)) ?? [];
    this.#keep(candidate);
    for (const { data } of twins) if (data !== undefined) this.#attach(candidate, data, layerHeight);
    // Parts that do not fit are forged: anybody may name its hash.
    for (const { entry } of orphans) this.#attach(candidate, entry, layerHeight);
    for (const orphan of [...orphans]) this.#dropOrphan(orphan);
    return true;
  }

  #addData(layerHeight: bigint, { entry: data, author }: Opened<PostedRollupData>): boolean {
    // Another rollup may share the namespace.
    if (data.rollup !== this.#options.rollup) return false;
    const candidates = [...(this.#byHash.get(toHex(data.blockHash)) ?? [])];
    if (candidates.length > 0) return candidates.filter((each) => this.#attach(each, data, layerHeight)).length > 0;
    this.#dropOldestOf(author);
    if (this.#ofOrphans.isFullFor(author)) return this.#leftOut(true);
    const own = { entry: ownData(data), author };
    addTo(this.#orphans, toHex(data.blockHash), own);
    this.#ofOrphans.take(author, bytesOfData(own.entry));
    return true;
  }

  /** @param isNeeded It may be needed next, or with the validators that are announced now. */
  #leftOut(isNeeded: boolean): true {
    if (isNeeded) this.#hasForgotten = true;
    else this.#hasLeftOutSets = true;
    return true;
  }

  #attach(candidate: Candidate, data: PostedRollupData, layerHeight: bigint): boolean {
    if (candidate.data !== undefined) return false;
    if (!passes(() => verifyFilteredBlock(blockFromPosted(candidate.metadata, data), [data.rollup]))) return false;
    const { takesRoomOf: author } = candidate;
    if (author !== undefined && this.#unproven.isFullFor(author)) return this.#leftOut(true);
    candidate.data = ownData(data);
    candidate.layerHeight = layerHeight;
    this.#weigh(author, bytesOfData(candidate.data));
    return true;
  }

  /** @param account Undefined for parts that take no account's room. @param bytes Negative for parts that are dropped. */
  #weigh(account: string | undefined, bytes: number): void {
    if (account === undefined) this.#provenBytes += bytes;
    else this.#unproven.take(account, bytes);
  }

  #keep(candidate: Candidate): void {
    const { header, hash } = candidate.metadata;
    addTo(this.#byHeight, header.height, candidate);
    addTo(this.#byHash, toHex(hash), candidate);
    this.#identities.add(candidate.identity);
    this.#weigh(candidate.takesRoomOf, countBytes(candidate));
  }

  #drop(candidate: Candidate): void {
    const { header, hash } = candidate.metadata;
    deleteFrom(this.#byHeight, header.height, candidate);
    deleteFrom(this.#byHash, toHex(hash), candidate);
    this.#identities.delete(candidate.identity);
    this.#weigh(candidate.takesRoomOf, -countBytes(candidate));
  }

  /** Data of blocks that were found long ago is posted by a second relayer, and never asked for. */
  #dropOldestOf(author: string): void {
    for (const orphans of this.#orphans.values()) {
      for (const orphan of orphans) {
        if (!this.#ofOrphans.isFullFor(author)) return;
        if (orphan.author !== author) continue;
        this.#dropOrphan(orphan);
        this.#hasForgotten = true;
      }
    }
  }

  #dropOrphan(orphan: Opened<PostedRollupData>): void {
    deleteFrom(this.#orphans, toHex(orphan.entry.blockHash), orphan);
    this.#ofOrphans.take(orphan.author, -bytesOfData(orphan.entry));
  }
}

function addTo<K, T>(sets: Map<K, Set<T>>, key: K, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function deleteFrom<K, T>(sets: Map<K, Set<T>>, key: K, value: T): void {
  const set = sets.get(key);
  set?.delete(value);
  if (set?.size === 0) sets.delete(key);
}
