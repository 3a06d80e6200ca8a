/** Blocks of the sequencer that were found on the data-availability layer and are not executed firm yet. Nothing here does I/O. */
import { checkClaims } from '@switchyard/client';
import {
  blockFromPosted,
  createValidator,
  decodePostedMetadata,
  decodePostedRollupData,
  encodePostedMetadata,
  encodePostedRollupData,
  encodeSignedHeader,
  equalBytes,
  headerHash,
  isOfBlock,
  type PostedMetadata,
  type PostedRollupData,
  Rejected,
  type RollupId,
  type SignedHeader,
  sha256,
  toHex,
  type Validator,
  validatorSetHash,
  verifyCommit,
  verifyFilteredBlock,
} from '@switchyard/protocol';

/** Heights above the next one that are kept: anybody may post for any of them. */
const WINDOW = 20_000n;
/** Blocks kept of one height above the next one, where the validators that signed are not known yet. */
const MAX_UNPROVEN = 16;
/** Entries that did not verify, and are not looked at again. */
const MAX_REJECTED = 20_000;
/** Data whose block is not known yet, which a later height of the layer may bring. */
const MAX_ORPHANS = 256;
/** Approximate size of everything that is kept and not needed next: anybody may post much. */
const MAX_BYTES = 64 * 1_048_576;

/** A block as it was posted. */
export interface Candidate {
  readonly metadata: PostedMetadata & { readonly signed: SignedHeader };
  /** Hex of the hash of its signed header: a block's hash covers all that was posted of it but the signatures. */
  readonly identity: string;
  /** Validators that its header names, where they were posted with it or before it. Anybody may have posted them. */
  readonly validators: readonly Validator[] | undefined;
  /** Undefined while a rollup with data in the block lacks it. */
  data: PostedRollupData | undefined;
  /** Height of the layer at which the last part of it was found. */
  layerHeight: bigint;
}

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
  #bytes = 0;
  /** Hex of the hash of the set that may sign the next block; undefined while there is no block before it. */
  #announced: string | undefined;
  /** That set, where the block before has shown it. */
  #announcedSet: readonly Validator[] | undefined;
  readonly #rejected = new Set<string>();
  /** Validators that the sequencer was asked for last. */
  #asked: readonly Validator[] = [];
  #orphans: PostedRollupData[] = [];
  #next: bigint;
  /** Something was left out that may be needed: the layer has to be read again from where it was. */
  #hasForgotten = false;

  constructor(options: PostedBlocksOptions) {
    this.#options = options;
    this.#next = options.next;
  }

  get next(): bigint {
    return this.#next;
  }

  /** Approximate size of everything that is kept. */
  get bytes(): number {
    return this.#bytes;
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

  /** Whether something was left out since this was asked last. */
  takeForgotten(): boolean {
    const has = this.#hasForgotten;
    this.#hasForgotten = false;
    return has;
  }

  /** @returns how many of the entries are of no use: of other chains, forged, or known already. */
  add(layerHeight: bigint, metadata: readonly PostedMetadata[], data: readonly PostedRollupData[]): number {
    let useless = 0;
    const sets = setsOf(metadata);
    for (const each of metadata) if (!this.#addMetadata(layerHeight, each, sets)) useless += 1;
    for (const each of data) if (!this.#addData(layerHeight, each)) useless += 1;
    return useless;
  }

  /** Blocks that may be the next one, in the order in which they came. */
  candidates(): readonly Candidate[] {
    const all = [...(this.#byHeight.get(this.#next) ?? [])];
    return this.#announced === undefined
      ? all
      : all.filter(({ metadata }) => setOf(metadata.signed) === this.#announced);
  }

  /** Whether the block is there but for the rollup's data. */
  isIncomplete({ metadata, data }: Candidate): boolean {
    return data === undefined && metadata.rollupIds.includes(this.#options.rollup);
  }

  /** It is not what it claims. */
  reject(candidate: Candidate): void {
    this.#drop(candidate);
    if (this.#rejected.size >= MAX_REJECTED) this.#rejected.clear();
    this.#rejected.add(candidate.identity);
    this.#hasForgotten = true;
  }

  /** The block of the next height was found. */
  advance({ metadata }: Candidate): void {
    const { nextValidatorsHash } = metadata.signed.header;
    this.#announcedSet = this.validatorsOf(nextValidatorsHash);
    this.#announced = toHex(nextValidatorsHash);
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
  validatorsOf(hash: Uint8Array): readonly Validator[] | undefined {
    const posted = this.candidates().map(({ validators }) => validators);
    return [...posted, this.#announcedSet, this.#asked].find(
      (set) => set !== undefined && equalBytes(validatorSetHash(set), hash),
    );
  }

  /** A set that was asked of the sequencer. */
  know(validators: readonly Validator[]): void {
    this.#asked = validators;
  }

  #addMetadata(layerHeight: bigint, metadata: PostedMetadata, sets: Sets): boolean {
    const { header, hash, signed } = metadata;
    // That of the block before the next one names the validators of the next.
    if (header.chainId !== this.#options.chainId || header.height < this.#next - 1n || signed === undefined)
      return false;
    const identity = toHex(sha256(encodeSignedHeader(signed)));
    if (this.#rejected.has(identity) || this.#identities.has(identity) || !isConsistent(metadata, signed)) return false;
    if (header.height > this.#next + WINDOW) {
      this.#hasForgotten = true;
      return true;
    }
    // The set that may sign has done so, or it is forged: only of other sets, which may come later, there can be too many.
    const isAnnounced = setOf(signed) === this.#announced;
    const set = sets.get(setOf(signed)) ?? (isAnnounced ? this.#announcedSet : undefined);
    const isProven = isAnnounced && set !== undefined;
    if (isProven && !passes(() => verifyCommit(this.#options.chainId, set, signed))) return false;
    const isLater = header.height > this.#next;
    const isFull = this.#bytes >= MAX_BYTES && isLater;
    const before = this.#byHeight.get(header.height)?.size ?? 0;
    if ((!isProven && before >= (isLater ? MAX_UNPROVEN : MAX_REJECTED)) || isFull) {
      this.#hasForgotten = true;
      return true;
    }
    const candidate: Candidate = {
      ...{ metadata: ownMetadata(metadata, signed), identity, validators: set },
      ...{ data: undefined, layerHeight },
    };
    const [twin] = this.#byHash.get(toHex(hash)) ?? [];
    this.#keep(candidate);
    if (twin?.data !== undefined) this.#attach(candidate, twin.data, layerHeight);
    // Parts that do not fit are forged: anybody may name its hash.
    const orphans = this.#orphans.filter((each) => isOfBlock(each, metadata));
    for (const orphan of orphans) this.#attach(candidate, orphan, layerHeight);
    this.#forget(orphans);
    return true;
  }

  #addData(layerHeight: bigint, data: PostedRollupData): boolean {
    // Another rollup may share the namespace.
    if (data.rollup !== this.#options.rollup) return false;
    const candidates = [...(this.#byHash.get(toHex(data.blockHash)) ?? [])];
    if (candidates.length > 0) return candidates.filter((each) => this.#attach(each, data, layerHeight)).length > 0;
    const isFull = this.#bytes >= MAX_BYTES;
    if (isFull || this.#orphans.length >= MAX_ORPHANS) this.#hasForgotten = true;
    if (isFull) return true;
    if (this.#orphans.length >= MAX_ORPHANS) this.#forget(this.#orphans.slice(0, 1));
    const own = ownData(data);
    this.#orphans.push(own);
    this.#bytes += bytesOfData(own);
    return true;
  }

  #attach(candidate: Candidate, data: PostedRollupData, layerHeight: bigint): boolean {
    if (candidate.data !== undefined) return false;
    if (!passes(() => verifyFilteredBlock(blockFromPosted(candidate.metadata, data), [data.rollup]))) return false;
    this.#bytes -= bytesOf(candidate);
    candidate.data = ownData(data);
    candidate.layerHeight = layerHeight;
    this.#bytes += bytesOf(candidate);
    return true;
  }

  #keep(candidate: Candidate): void {
    const { header, hash } = candidate.metadata;
    addTo(this.#byHeight, header.height, candidate);
    addTo(this.#byHash, toHex(hash), candidate);
    this.#identities.add(candidate.identity);
    this.#bytes += bytesOf(candidate);
  }

  #drop(candidate: Candidate): void {
    const { header, hash } = candidate.metadata;
    deleteFrom(this.#byHeight, header.height, candidate);
    deleteFrom(this.#byHash, toHex(hash), candidate);
    this.#identities.delete(candidate.identity);
    this.#bytes -= bytesOf(candidate);
  }

  #forget(orphans: readonly PostedRollupData[]): void {
    this.#orphans = this.#orphans.filter((each) => !orphans.includes(each));
    for (const each of orphans) this.#bytes -= bytesOfData(each);
  }
}

/** Validator sets by the hex of their hash. */
type Sets = ReadonlyMap<string, readonly Validator[]>;

/** Relayers post a set where it changes and at the beginning of a blob: it is that of the blocks after it, too. */
function setsOf(metadata: readonly PostedMetadata[]): Sets {
  const sets = new Map<string, readonly Validator[]>();
  for (const { validators } of metadata) {
    if (validators === undefined) continue;
    const hash = toHex(validatorSetHash(validators));
    if (!sets.has(hash))
      sets.set(
        hash,
        validators.map(({ publicKey, power }) => createValidator(publicKey.slice(), power)),
      );
  }
  return sets;
}

/** Beside contents: objects, proofs, signatures. */
const ENTRY_BYTES = 2_048;
const ID_BYTES = 96;

const bytesOf = ({ metadata, validators = [], data }: Candidate): number =>
  ENTRY_BYTES +
  ID_BYTES * (metadata.rollupIds.length + validators.length) +
  (data === undefined ? 0 : bytesOfData(data));

const bytesOfData = ({ transactions }: PostedRollupData): number =>
  transactions.reduce((sum, { length }) => sum + length + 64, ENTRY_BYTES);

/** Entries are views of all that was in their blob, which may be much: what is kept gets bytes of its own. */
function ownMetadata(metadata: PostedMetadata, signed: SignedHeader): Candidate['metadata'] {
  const [own = metadata] = decodePostedMetadata(encodePostedMetadata({ ...metadata, validators: undefined }));
  return { ...own, signed: own.signed ?? signed };
}

function ownData(data: PostedRollupData): PostedRollupData {
  const [own = data] = decodePostedRollupData(encodePostedRollupData(data));
  return own;
}

const setOf = ({ header }: SignedHeader): string => toHex(header.validatorsHash);

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

/** Whether all that it claims is proven by its hash. */
function isConsistent(metadata: PostedMetadata, signed: SignedHeader): boolean {
  if (!equalBytes(metadata.hash, headerHash(signed.header))) return false;
  const block = blockFromPosted(metadata, undefined);
  return passes(() => {
    checkClaims(metadata.header.height, block, signed);
    verifyFilteredBlock(block, []);
  });
}

function passes(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Rejected) return false;
    throw error;
  }
}
