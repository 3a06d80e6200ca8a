/**
 * The messages that come by the thousand, encoded by hand: CheckTx and Flush, and the result of each transaction of a block.
 * Everything else goes through generated code; a test holds the two against each other.
 */
import { Writer } from '@switchyard/protocol';
import type { AbciEvent, BlockResult, TxResult } from '../../app/types.ts';

/** A request that comes for each transaction. */
export type FrequentRequest =
  | { readonly case: 'flush' }
  | { readonly case: 'checkTx'; readonly tx: Uint8Array; readonly recheck: boolean };

const REQUEST_FLUSH = 0x12;
const REQUEST_CHECK_TX = 0x42;
const TX = 0x0a;
const TYPE = 0x10;
const NOT_READ = -1;

/**
 * A request in the form in which CometBFT writes it.
 *
 * @returns undefined for every other request and every other form of these two, which generated code then reads. `tx` is a
 * view of `frame`.
 */
export function readFrequent(frame: Uint8Array): FrequentRequest | undefined {
  if (frame[0] === REQUEST_FLUSH) return frame.length === 2 && frame[1] === 0 ? { case: 'flush' } : undefined;
  if (frame[0] !== REQUEST_CHECK_TX) return undefined;
  const inner = lengthAt(frame, 1);
  if (inner.value === NOT_READ || inner.end + inner.value !== frame.length || frame[inner.end] !== TX) return undefined;
  const tx = lengthAt(frame, inner.end + 1);
  if (tx.value === NOT_READ) return undefined;
  const end = tx.end + tx.value;
  const isLast = end === frame.length;
  // The only value of the type that is not zero, and so the only one written.
  const isRecheck = end + 2 === frame.length && frame[end] === TYPE && frame[end + 1] === 1;
  if (!isLast && !isRecheck) return undefined;
  return { case: 'checkTx', tx: frame.subarray(tx.end, end), recheck: isRecheck };
}

/** A varint of at most four bytes, and its end. */
function lengthAt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = 0; index < 4; index += 1) {
    const byte = bytes[start + index];
    if (byte === undefined) break;
    value |= (byte & 0x7f) << (7 * index);
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  return { value: NOT_READ, end: start };
}

export const FLUSHED = new Writer().message(3, () => undefined).finish();

/** `Response` with the verdict on one transaction. */
export function writeChecked({ code, info, log }: { code: number; info: string; log: string }): Uint8Array {
  return new Writer().message(9, (writer) => writer.uint32(1, code).string(3, log).string(4, info)).finish();
}

/** The first two fields of `ResponseFinalizeBlock`: events of the block, then the result of each transaction. */
export function writeResults({ events, txResults }: Pick<BlockResult, 'events' | 'txResults'>): Uint8Array {
  const writer = new Writer(256 * txResults.length + 64);
  for (const event of events) writer.message(1, (each) => writeEvent(each, event));
  for (const result of txResults) writer.message(2, (each) => writeTxResult(each, result));
  return writer.finish();
}

function writeTxResult(writer: Writer, result: TxResult): void {
  writer.uint32(1, result.code).bytes(2, result.data).string(3, result.log).string(4, result.info);
  writer.int64(5, result.gasWanted).int64(6, result.gasUsed);
  for (const event of result.events) writer.message(7, (each) => writeEvent(each, event));
  writer.string(8, result.codespace);
}

function writeEvent(writer: Writer, { type, attributes }: AbciEvent): void {
  writer.string(1, type);
  for (const { key, value, index } of attributes) {
    writer.message(2, (each) => each.string(1, key).string(2, value).bool(3, index));
  }
}
