import { raw, type Snapshot, type StateReader, type StateWriter, table, u64Key } from '@switchyard/machine';
import {
  decodeFilteredBlock,
  encodeFilteredBlock,
  equalBytes,
  sha256,
  type Timestamp,
  timestampToMillis,
} from '@switchyard/protocol';

/*
 * Everything of a block but the data of rollups. If there is none, blocks differ in hash, height and time only:
 * those are stored of each, and the rest once for all that have it in common.
 */

/** The encoded block without field 3, or its short form. */
const frames = table({ prefix: 'index/block/frame/', key: u64Key, value: raw });
/** Parts that short forms have in common, by the first 8 bytes of their hash. */
const models = table({ prefix: 'index/block/model/', key: u64Key, value: raw });

/** No encoded message begins with this byte. Then follow the key of the model, hash, seconds and nanoseconds. */
const SHORT = 0;
const SHORT_BYTES = 1 + 8 + 32 + 8 + 4;
const MODEL_HASH = new Uint8Array(32);
const MODEL_TIME = { seconds: 1n, nanos: 0 };

/** @param empty Whether no rollup has data in the block. */
export function writeFrame(state: StateWriter, height: bigint, frame: Uint8Array, empty: boolean): void {
  const stored = empty ? shortened(state, height, frame) : frame;
  // Past the codec: the frame is not changed any more.
  state.put(frames.storeKey(height), stored);
}

export function readFrame(state: StateReader, height: bigint): Uint8Array | undefined {
  const stored = frames.get(state, height);
  return stored?.[0] === SHORT ? restored(state, height, stored) : stored;
}

/** Milliseconds; `undefined` if no block is. */
export function frameTime(state: StateReader, height: bigint): number | undefined {
  const stored = frames.get(state, height);
  if (stored === undefined) return undefined;
  const time = stored[0] === SHORT ? timeIn(stored) : decodeFilteredBlock(stored).header.time;
  return timestampToMillis(time);
}

/** Height of the first stored block. */
export function lowestFrame(snapshot: Snapshot): bigint | undefined {
  for (const [height] of frames.range(snapshot, { limit: 1 })) return height;
  return undefined;
}

export function deleteFrame(state: StateWriter, height: bigint): void {
  frames.delete(state, height);
}

function shortened(state: StateWriter, height: bigint, frame: Uint8Array): Uint8Array {
  const { model, hash, time } = toParts(frame);
  const short = new Uint8Array(SHORT_BYTES);
  const view = new DataView(short.buffer);
  short[0] = SHORT;
  short.set(sha256(model).subarray(0, 8), 1);
  short.set(hash, 9);
  view.setBigInt64(41, time.seconds);
  view.setUint32(49, time.nanos);
  const key = view.getBigUint64(1);
  const known = models.get(state, key);
  if (known === undefined) {
    // Blocks with transactions that are for no rollup have a model each, and models stay: the second one makes it.
    const before = frames.get(state, height - 1n);
    if (before === undefined || before[0] === SHORT || !equalBytes(toParts(before).model, model)) return frame;
    models.put(state, key, model);
  } else if (!equalBytes(known, model)) return frame;
  return equalBytes(restored(state, height, short), frame) ? short : frame;
}

/** Splits a block into the part it has in common with others and the part that is its own. */
function toParts(frame: Uint8Array) {
  const { hash, header, ...rest } = decodeFilteredBlock(frame);
  const { time } = header;
  const model = encodeFilteredBlock({
    ...rest,
    hash: MODEL_HASH,
    header: { ...header, height: 1n, time: MODEL_TIME },
  });
  return { model, hash, time };
}

function restored(state: StateReader, height: bigint, short: Uint8Array): Uint8Array {
  const view = new DataView(short.buffer, short.byteOffset, short.length);
  const model = models.get(state, view.getBigUint64(1));
  if (model === undefined) throw new Error(`stored block is damaged: height=${height} part=model`);
  const { header, ...rest } = decodeFilteredBlock(model);
  return encodeFilteredBlock({
    ...rest,
    hash: short.subarray(9, 41),
    header: { ...header, height, time: timeIn(short) },
  });
}

function timeIn(short: Uint8Array): Timestamp {
  const view = new DataView(short.buffer, short.byteOffset, short.length);
  return { seconds: view.getBigInt64(41), nanos: view.getUint32(49) };
}
