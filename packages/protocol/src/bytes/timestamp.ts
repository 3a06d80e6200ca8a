import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

/** A point in time, as google.protobuf.Timestamp has it. */
export interface Timestamp {
  /** Since 1970; negative before. */
  readonly seconds: bigint;
  /** 0 to 999,999,999, counting forward. */
  readonly nanos: number;
}

export function timestampFromMillis(millis: number): Timestamp {
  const seconds = Math.floor(millis / 1000);
  return { seconds: BigInt(seconds), nanos: (millis - seconds * 1000) * 1_000_000 };
}

/** Whole milliseconds since 1970, rounded down. */
export function timestampToMillis({ seconds, nanos }: Timestamp): number {
  return Number(seconds) * 1000 + Math.floor(nanos / 1_000_000);
}

/** Negative, zero or positive, as the first is earlier, equal or later. */
export function compareTimestamps(left: Timestamp, right: Timestamp): number {
  if (left.seconds !== right.seconds) return left.seconds < right.seconds ? -1 : 1;
  return left.nanos - right.nanos;
}

export function writeTimestamp(writer: Writer, { seconds, nanos }: Timestamp): void {
  writer.int64(1, seconds).int32(2, nanos);
}

export function readTimestamp(reader: Reader): Timestamp {
  let seconds = 0n;
  let nanos = 0;
  while (reader.next()) {
    if (reader.field === 1) seconds = reader.int64();
    else if (reader.field === 2) nanos = reader.int32();
    else reader.skip();
  }
  return { seconds, nanos };
}
