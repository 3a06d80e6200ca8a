/**
 * Blocks as versions before this store kept them: files of records, `blocks/HEIGHT.blocks` and `.segment`, with an index beside
 * them, which is not needed here. Only read.
 */
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { decodeBlock, sha256 } from '@switchyard/protocol';
import type { EngineLog } from '../../engine.ts';
import { type BlockRecord, decodeDifference, type Link, linkOf, restored } from './block-row.ts';
import type { BlockStore, NewBlock } from './block-store.ts';

/** "SWB1": four sections behind a head, each with its checksum. */
const WHOLE = 'SWB1';
const HEAD_BYTES = 84;
/** "SWC1": what a block does not share with an earlier whole record of the file, and with the record before. */
const SHORT = 'SWC1';
const SHORT_BYTES = 208;
const NAME = /^\d{16}\.(?:blocks|segment)$/;
/** Blocks of one transaction, and bytes above which it ends. */
const BATCH = 256;
const BATCH_BYTES = 8 * 1_048_576;

/** Up to so many bytes of a file from an offset on. */
type Read = (offset: number, length: number) => Buffer;

/** The last whole record of a file, and what the last one of any form gives to the next. */
interface Known {
  readonly base: { readonly offset: number; readonly record: BlockRecord };
  readonly previous: { readonly offset: number; readonly link: Link | undefined };
}

interface Found {
  readonly record: BlockRecord;
  readonly length: number;
  readonly form: 'whole' | 'short';
}

/**
 * Appends the blocks of an earlier version that the store lacks, and removes their files when all are on disk. Continues where
 * a killed process stopped.
 *
 * @param directory Directory of the engine. Nothing happens where it has no such files.
 * @throws {Error} for a record that is not what was written, with the files as they were.
 */
export async function importLog(
  directory: string,
  store: BlockStore,
  { log, signal }: { readonly log: EngineLog; readonly signal: AbortSignal },
): Promise<void> {
  const files = join(directory, 'blocks');
  if (existsSync(files)) {
    const names = readdirSync(files)
      .filter((name) => NAME.test(name))
      .sort();
    if (names.length > 0) log.info({ files: names.length }, 'taking over the blocks of an earlier version');
    for (const name of names) {
      let [batch, bytes]: [NewBlock[], number] = [[], 0];
      for (const block of recordsOf(join(files, name), { isLast: name === names.at(-1), log })) {
        if (block.record.height <= store.height) continue;
        batch.push(block);
        bytes += block.record.block.length + block.record.results.length;
        if (batch.length < BATCH && bytes < BATCH_BYTES) continue;
        await store.append(batch);
        [batch, bytes] = [[], 0];
        if (signal.aborted) return;
      }
      await store.append(batch);
      if (signal.aborted) return;
    }
  }
  rmSync(files, { recursive: true, force: true });
  rmSync(join(directory, 'index'), { recursive: true, force: true });
}

function* recordsOf(path: string, { isLast, log }: { isLast: boolean; log: EngineLog }): Iterable<NewBlock> {
  const file = openSync(path, 'r');
  const { size } = fstatSync(file);
  const read: Read = (offset, length) => {
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, offset));
  };
  let known: Known | undefined;
  try {
    for (let offset = 0; offset < size; ) {
      const found: Found | undefined = wholeAt(read, offset) ?? (known && shortAt(read, offset, known));
      if (found === undefined) {
        // A crash leaves one unfinished record at the end, whose block was never acknowledged.
        if (!isLast || hasRecordBehind(read, offset, size)) {
          throw new Error(
            `${path} is damaged: the record at byte ${offset} is not what was written; restore a snapshot, or repair it with the version that wrote it`,
          );
        }
        log.warn({ bytes: size - offset }, 'left out a block that was not completely written');
        return;
      }
      const { record, length, form } = found;
      const base = form === 'whole' || known === undefined ? { offset, record } : known.base;
      known = { base, previous: { offset, link: linkOf(record) } };
      yield { record, txHashes: decodeBlock(record.block).txs.map((tx) => sha256(tx)) };
      offset += length;
    }
  } finally {
    closeSync(file);
  }
}

function wholeAt(read: Read, offset: number): Found | undefined {
  const head = read(offset, HEAD_BYTES);
  if (!isSealed(head, WHOLE, HEAD_BYTES)) return undefined;
  let end = offset + HEAD_BYTES;
  let isWhole = true;
  const [signedHeader, state, results, block] = [0, 1, 2, 3].map((index) => {
    const length = head.readUInt32BE(48 + 4 * index);
    const section = read(end, length);
    end += length;
    isWhole &&= section.length === length && crc32(section) === head.readUInt32BE(64 + 4 * index);
    return section;
  }) as [Buffer, Buffer, Buffer, Buffer];
  const [height, hash] = [head.readBigUInt64BE(4), head.subarray(16, 48)];
  const record = { height, hash, signedHeader, state, results, block };
  return isWhole ? { record, length: end - offset, form: 'whole' } : undefined;
}

function shortAt(read: Read, offset: number, { base, previous }: Known): Found | undefined {
  const short = read(offset, SHORT_BYTES);
  if (!isSealed(short, SHORT, SHORT_BYTES)) return undefined;
  const [baseDistance, previousDistance] = [short.readUInt32BE(12), short.readUInt32BE(16)];
  if (offset - baseDistance !== base.offset || offset - previousDistance !== previous.offset) return undefined;
  if (previous.link === undefined) return undefined;
  const [height, difference] = [short.readBigUInt64BE(4), decodeDifference(short.subarray(20, 204))];
  const record = restored(difference, height, base.record, previous.link);
  return record && { record, length: SHORT_BYTES, form: 'short' };
}

/** Whether a part of this length begins so, and ends with its checksum. */
function isSealed(part: Buffer, magic: string, length: number): boolean {
  const isWhole = part.length === length && part.toString('latin1', 0, 4) === magic;
  return isWhole && crc32(part.subarray(0, -4)) === part.readUInt32BE(length - 4);
}

function hasRecordBehind(read: Read, offset: number, size: number): boolean {
  const rest = read(offset, size - offset);
  for (let at = rest.indexOf(WHOLE, 1); at >= 0; at = rest.indexOf(WHOLE, at + 1)) {
    if (wholeAt(read, offset + at) !== undefined) return true;
  }
  return false;
}
