import { systemClock } from '@switchyard/service';
/**
 * Snapshots of the application's state, in files: a new node takes one over instead of all blocks.
 *
 * A snapshot is the keys and values of the state tree in the order of the keys, cut into chunks. It is trusted because
 * the root over it is the one in a header; the hashes of the chunks only tell early which one is damaged.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { INDEX_PREFIX, MAX_KEY_LENGTH, type Overlay, type Store } from '@switchyard/machine';
import { equalBytes, sha256 } from '@switchyard/protocol';
import { abci } from '@switchyard/protocol/gen';
import type { EngineLog } from '../engine.ts';
import type { StateSync } from './state-sync.ts';

const FORMAT = 1;
/** CometBFT carries chunks of up to 16 MiB. */
const CHUNK_BYTES = 4 * 1_048_576;
/** Limit of one snapshot: its hashes must fit in one message, and all of it in memory while it is taken over. */
const MAX_CHUNKS = 256;
const HASH_BYTES = 32;
const READ_AT_ONCE = 1_000;
const ENTRY_OVERHEAD_BYTES = 8;
const HASHES = 'hashes';

export interface SnapshotsConfig {
  readonly directory: string;
  /** Blocks between two snapshots; 0 takes none. */
  readonly interval: bigint;
  /** Newest that are kept. */
  readonly keep: number;
  /** For tests. */
  readonly chunkBytes?: number;
}

export interface SnapshotsDeps {
  readonly store: Store;
  readonly log: EngineLog;
  /** Called when the store holds another state than before. */
  restored(): void;
}

interface Restoring {
  readonly snapshot: abci.Snapshot;
  readonly appHash: Uint8Array;
  readonly overlay: Overlay;
  next: number;
}

export class Snapshots implements StateSync {
  readonly #config: SnapshotsConfig;
  readonly #deps: SnapshotsDeps;
  #restoring: Restoring | undefined;

  constructor(config: SnapshotsConfig, deps: SnapshotsDeps) {
    this.#config = config;
    this.#deps = deps;
    mkdirSync(config.directory, { recursive: true });
  }

  committed(height: bigint): void {
    const { interval } = this.#config;
    if (interval > 0n && height % interval === 0n) this.take();
  }

  /** Writes one of the committed state, unless there is one. Reads all of the state in one go, so blocks wait for it. */
  take(): void {
    const { directory, keep } = this.#config;
    const { store, log } = this.#deps;
    const { height } = store.snapshot();
    if (height === undefined || existsSync(join(directory, String(height)))) return;
    const unfinished = join(directory, `${height}.new`);
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished);
    const started = systemClock.now();
    const hashes = this.#write(unfinished);
    if (hashes === undefined) {
      rmSync(unfinished, { recursive: true, force: true });
      log.warn({ height, chunks: MAX_CHUNKS }, 'the state is too large for a snapshot');
      return;
    }
    writeFileSync(join(unfinished, HASHES), Buffer.concat(hashes));
    renameSync(unfinished, join(directory, String(height)));
    for (const old of this.#heights().slice(keep)) rmSync(this.#path(old), { recursive: true, force: true });
    const ms = systemClock.now() - started;
    log.info({ height, chunks: hashes.length, ms }, 'snapshot of the state taken');
  }

  list(): abci.Snapshot[] {
    return this.#heights().flatMap((height) => {
      const metadata = readIfThere(join(this.#path(height), HASHES));
      if (metadata === undefined) return [];
      const chunks = metadata.length / HASH_BYTES;
      return [create(abci.SnapshotSchema, { height, format: FORMAT, chunks, hash: sha256(metadata), metadata })];
    });
  }

  load({ height, format, chunk }: abci.RequestLoadSnapshotChunk): Uint8Array {
    if (format !== FORMAT) return new Uint8Array();
    return readIfThere(join(this.#path(height), String(chunk))) ?? new Uint8Array();
  }

  offer({ snapshot, appHash }: abci.RequestOfferSnapshot): abci.OfferResult {
    const { ACCEPT, ABORT, REJECT, REJECT_FORMAT } = abci.OfferResult;
    const { store, log } = this.#deps;
    this.#drop();
    if (store.snapshot().height !== undefined) return ABORT;
    if (snapshot === undefined) return REJECT;
    if (snapshot.format !== FORMAT) return REJECT_FORMAT;
    const { chunks, metadata, hash, height } = snapshot;
    const sound =
      chunks > 0 &&
      chunks <= MAX_CHUNKS &&
      metadata.length === chunks * HASH_BYTES &&
      equalBytes(sha256(metadata), hash) &&
      appHash.length === HASH_BYTES;
    if (!sound) return REJECT;
    log.info({ height, chunks }, 'taking over a snapshot of the state');
    this.#restoring = { snapshot, appHash: Uint8Array.from(appHash), overlay: store.begin(), next: 0 };
    return ACCEPT;
  }

  async apply({ index, chunk, sender }: abci.RequestApplySnapshotChunk): ReturnType<StateSync['apply']> {
    const { ACCEPT, ABORT, RETRY, REJECT_SNAPSHOT } = abci.ApplyResult;
    const restoring = this.#restoring;
    if (restoring === undefined) return { result: ABORT };
    const { snapshot, overlay } = restoring;
    if (index !== restoring.next) return { result: RETRY, refetchChunks: [restoring.next] };
    const expected = snapshot.metadata.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);
    if (!equalBytes(sha256(chunk), expected)) {
      return { result: RETRY, refetchChunks: [index], rejectSenders: sender === '' ? [] : [sender] };
    }
    if (!putEntries(overlay, chunk)) return this.#reject(REJECT_SNAPSHOT, 'a chunk holds something else than a state');
    restoring.next += 1;
    if (restoring.next < snapshot.chunks) return { result: ACCEPT };
    return await this.#finish(restoring);
  }

  async #finish({ snapshot, overlay, appHash }: Restoring): ReturnType<StateSync['apply']> {
    const { store, log, restored } = this.#deps;
    const layer = store.seal(overlay, snapshot.height);
    if (!equalBytes(layer.root, appHash)) {
      return this.#reject(abci.ApplyResult.REJECT_SNAPSHOT, 'its root is not the one in the header');
    }
    this.#restoring = undefined;
    await store.commit(layer);
    restored();
    log.info({ height: snapshot.height }, 'the state is that of the snapshot');
    return { result: abci.ApplyResult.ACCEPT };
  }

  #reject(result: abci.ApplyResult, problem: string): { readonly result: abci.ApplyResult } {
    this.#deps.log.warn({ height: this.#restoring?.snapshot.height, problem }, 'a snapshot was refused');
    this.#drop();
    return { result };
  }

  /** An unfinished one leaves nothing in the store. */
  #drop(): void {
    if (this.#restoring === undefined) return;
    this.#restoring = undefined;
    this.#deps.store.drop();
  }

  #write(directory: string): Uint8Array[] | undefined {
    const limit = this.#config.chunkBytes ?? CHUNK_BYTES;
    const hashes: Uint8Array[] = [];
    let parts: Uint8Array[] = [];
    let size = 0;
    const flush = (): void => {
      const chunk = Buffer.concat(parts);
      writeFileSync(join(directory, String(hashes.length)), chunk);
      hashes.push(sha256(chunk));
      [parts, size] = [[], 0];
    };
    for (const entry of this.#entries()) {
      if (size > 0 && size + entry.length > limit) {
        flush();
        if (hashes.length >= MAX_CHUNKS) return undefined;
      }
      parts.push(entry);
      size += entry.length;
    }
    flush();
    return hashes;
  }

  /** The whole tree: everything but the index, which no root covers. */
  *#entries(): Iterable<Uint8Array> {
    const snapshot = this.#deps.store.snapshot();
    for (const [from, to] of [
      ['', INDEX_PREFIX],
      [`${INDEX_PREFIX}\x7f`, undefined],
    ] as const) {
      let after: string = from;
      for (;;) {
        const bounds = { ...(after !== '' && { after }), ...(to !== undefined && { before: to }) };
        const found = [...snapshot.range({ prefix: '', limit: READ_AT_ONCE, ...bounds })];
        for (const [key, value] of found) yield getEntry(key, value);
        const last = found.at(-1);
        if (last === undefined || found.length < READ_AT_ONCE) break;
        [after] = last;
      }
    }
  }

  #path(height: bigint): string {
    return join(this.#config.directory, String(height));
  }

  /** Newest first. */
  #heights(): bigint[] {
    const names = readdirSync(this.#config.directory).filter((name) => /^\d+$/.test(name));
    return names.map(BigInt).sort((a, b) => (a < b ? 1 : -1));
  }
}

/** Lengths of key and value, key, value. */
function getEntry(key: string, value: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(ENTRY_OVERHEAD_BYTES + key.length + value.length);
  bytes.writeUInt32BE(key.length, 0);
  bytes.writeUInt32BE(value.length, 4);
  bytes.write(key, ENTRY_OVERHEAD_BYTES, 'latin1');
  bytes.set(value, ENTRY_OVERHEAD_BYTES + key.length);
  return bytes;
}

/** @returns whether all of it was entries of a state. */
function putEntries(overlay: Overlay, chunk: Uint8Array): boolean {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  for (let at = 0; at < chunk.length; ) {
    if (at + ENTRY_OVERHEAD_BYTES > chunk.length) return false;
    const [keyLength, valueLength] = [view.getUint32(at), view.getUint32(at + 4)];
    const start = at + ENTRY_OVERHEAD_BYTES;
    const end = start + keyLength + valueLength;
    if (keyLength === 0 || keyLength > MAX_KEY_LENGTH || end > chunk.length) return false;
    const key = Buffer.from(chunk.subarray(start, start + keyLength)).toString('latin1');
    // Keys that no root covers could have any value.
    if (key.startsWith(INDEX_PREFIX) || !/^[ -~]+$/.test(key)) return false;
    overlay.put(key, Uint8Array.from(chunk.subarray(start + keyLength, end)));
    at = end;
  }
  return true;
}

function readIfThere(file: string): Uint8Array | undefined {
  return existsSync(file) ? new Uint8Array(readFileSync(file)) : undefined;
}
