import {
  decodeSignedHeader,
  encodeSignedHeader,
  equalBytes,
  headerHash,
  type SignedHeader,
  signedHeaderFromJson,
} from '@switchyard/protocol';
import { type JsonRpcClient, JsonRpcError, retry, sleep } from '@switchyard/service';
import { Input } from '@switchyard/service/input';
import { type StoreDamaged, StoreFile } from '@switchyard/storage';
import type { Commits, EngineLog } from '../engine.ts';

/** Asked for at the same time while many are missing. */
const AT_ONCE = 16;
/** Blocks decided in this process, to compare with later reports of CometBFT. */
const KNOWN_HASHES = 4_096;
/** Kept in memory for who follows the chain. */
const RECENT = 512;
/** Deleted with each block at most. */
const PRUNED_AT_ONCE = 128;
/** Key 0 is that of the format. */
const FIRST_HEIGHT = 1;

interface Deps {
  readonly rpc: JsonRpcClient;
  readonly rpcUrl: string;
  readonly log: EngineLog;
  readonly onDamage?: (error: StoreDamaged) => void;
}

/**
 * The signed headers of all blocks. The application never sees them, so each is fetched from the CometBFT next to it and kept.
 */
export class SignedHeaders implements Commits {
  readonly #deps: Deps;
  readonly #file: StoreFile<number>;
  readonly #recent = new Map<bigint, Uint8Array>();
  readonly #hashes = new Map<bigint, Uint8Array>();
  readonly #listeners = new Set<(height: bigint) => void>();
  #last: bigint;
  /** Nothing is kept below. */
  #first = 0n;
  /** The application's height, if known. */
  #target = 0n;
  #wake: () => void = () => undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(directory: string, deps: Deps) {
    this.#deps = deps;
    this.#file = new StoreFile<number>(directory, 'signed-headers', { keys: 'uint32', onDamage: deps.onDamage });
    const [last] = this.#file.main.keys({ reverse: true, limit: 1 });
    this.#last = BigInt(last ?? 0);
  }

  /** Height of the newest signed header that is stored. */
  get last(): bigint {
    return this.#last;
  }

  encodedAt(height: bigint): Uint8Array | undefined {
    const recent = this.#recent.get(height);
    if (recent !== undefined || this.#closed || height <= 0n || height > 0xffff_ffffn) return recent;
    return this.#file.main.get(Number(height));
  }

  at(height: bigint): SignedHeader | undefined {
    const encoded = this.encodedAt(height);
    return encoded && decodeSignedHeader(encoded);
  }

  onBlock(listener: (height: bigint) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A chain begins: kept headers may be of another one. */
  clear(): void {
    this.#file.clear();
    this.#recent.clear();
    this.#hashes.clear();
    this.#last = 0n;
    this.#first = 0n;
    this.#target = 0n;
  }

  /** Notes the decided block: a block that CometBFT reports later must be the same. */
  decided(height: bigint, hash: Uint8Array): void {
    this.#hashes.set(height, Uint8Array.from(hash));
    this.#hashes.delete(height - BigInt(KNOWN_HASHES));
  }

  committed(height: bigint): void {
    this.#target = height;
    this.#wake();
  }

  /** Deletes headers below a height, some at a time. */
  prune(below: bigint): void {
    if (below <= this.#first || this.#closed) return;
    const end = Number(below < this.#last ? below : this.#last);
    const old = [...this.#file.main.keys({ start: FIRST_HEIGHT, end, limit: PRUNED_AT_ONCE })];
    this.#writing = this.#file.batch(() => {
      for (const height of old) void this.#file.main.remove(height);
    });
    this.#first = old.length < PRUNED_AT_ONCE ? BigInt(end) : BigInt(old.at(-1) ?? 0) + 1n;
  }

  /** Fetches missing headers, in order, until the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    const woken = (): void => this.#wake();
    signal.addEventListener('abort', woken, { once: true });
    try {
      while (!signal.aborted) {
        if (this.#last >= this.#target) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
            if (signal.aborted || this.#last < this.#target) resolve();
          });
          continue;
        }
        await this.#fetch(signal);
      }
    } finally {
      signal.removeEventListener('abort', woken);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#writing;
    await this.#file.close();
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const first = this.#last + 1n;
    const missing = this.#target - this.#last;
    const count = missing > AT_ONCE ? AT_ONCE : Number(missing);
    const heights = Array.from({ length: count }, (_, index) => first + BigInt(index));
    let warned = false;
    const headers = await retry(async () => await Promise.all(heights.map((height) => this.#ask(height, signal))), {
      signal,
      initialMs: 10,
      maxMs: 1_000,
      // A node that was made from a snapshot, or forgot old blocks, begins later.
      retryIf: (error) => !(error instanceof JsonRpcError),
      onRetry: (error, attempt) => {
        if (warned || attempt < 10) return;
        warned = true;
        const why = error instanceof Error ? error.message : String(error);
        this.#deps.log.warn(
          { height: first, rpc: this.#deps.rpcUrl, why },
          'CometBFT has not returned the signatures of a block, asking again',
        );
      },
    }).catch(async (error: unknown) => {
      if (!(error instanceof JsonRpcError)) throw error;
      await this.#skip(first, error, signal);
      return [];
    });
    for (const signed of headers) this.#keep(signed);
  }

  async #ask(height: bigint, signal: AbortSignal): Promise<SignedHeader> {
    const answer = await this.#deps.rpc.call('commit', { height: String(height) }, signal);
    const signed = signedHeaderFromJson(new Input(answer, 'commit').at('signed_header'));
    const hash = headerHash(signed.header);
    const known = this.#hashes.get(height);
    if (signed.header.height !== height || !equalBytes(hash, signed.commit.blockId.hash)) {
      throw new Error(`its answer for height ${height} is of another block`);
    }
    if (known !== undefined && !equalBytes(known, hash)) {
      throw new Error(`its block at height ${height} is not the one decided here: it belongs to another node`);
    }
    return signed;
  }

  async #skip(first: bigint, refused: JsonRpcError, signal: AbortSignal): Promise<void> {
    const earliest = await this.#deps.rpc
      .call('status', {}, signal)
      .then((answer) => new Input(answer, 'status').at('sync_info').at('earliest_block_height').big())
      .catch(() => 0n);
    if (earliest > first) {
      this.#deps.log.info({ from: earliest }, 'CometBFT has no blocks before this height');
      this.#last = earliest - 1n;
      return;
    }
    this.#deps.log.debug({ height: first, why: refused.message }, 'CometBFT does not have the block yet');
    await sleep(100, signal);
  }

  #keep(signed: SignedHeader): void {
    const { height } = signed.header;
    const encoded = encodeSignedHeader(signed);
    this.#recent.set(height, encoded);
    this.#recent.delete(height - BigInt(RECENT));
    this.#writing = this.#file.main.put(Number(height), encoded);
    this.#hashes.delete(height);
    this.#last = height;
    for (const listener of this.#listeners) listener(height);
  }
}
