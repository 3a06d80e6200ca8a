import type { Data, Hash } from '@switchyard/evm-machine/types';
import { hexToBytes, keccakHex } from '@switchyard/protocol/ethereum';

/* The few forms of Solidity's ABI that are read and written here: words and text. */

/** Beginning of a call's input. @param signature Such as `withdraw(string)`. */
export function toSelector(signature: string): Data {
  // A prefix of hex with `0x` is hex.
  return keccakHex(Buffer.from(signature)).slice(0, 10) as Data;
}

/** First topic of an event. */
export function toTopic(signature: string): Hash {
  return keccakHex(Buffer.from(signature));
}

/** Arguments that are one text. */
export function encodeText(text: string): string {
  const bytes = Buffer.from(text);
  const words = Math.ceil(bytes.length / 32);
  return `${hexWord(32)}${hexWord(bytes.length)}${bytes.toString('hex').padEnd(64 * words, '0')}`;
}

/**
 * The first value of arguments or results, which is text.
 *
 * @param most Bytes that are read of it.
 * @returns undefined if there is no such text.
 */
export function decodeText(data: Data | Uint8Array, most = Number.POSITIVE_INFINITY): string | undefined {
  const bytes = Buffer.from(typeof data === 'string' ? hexToBytes(data) : data);
  const offset = wordIn(bytes, 0);
  const length = offset === undefined ? undefined : wordIn(bytes, offset);
  if (offset === undefined || length === undefined || bytes.length < offset + 32 + length) return undefined;
  return bytes.toString('utf8', offset + 32, offset + 32 + Math.min(length, most));
}

/** A 32-byte number that is an offset or a length within `bytes`. */
function wordIn(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 32) return undefined;
  const value = BigInt(`0x${bytes.toString('hex', at, at + 32)}`);
  return value <= BigInt(bytes.length) ? Number(value) : undefined;
}

const hexWord = (value: number) => value.toString(16).padStart(64, '0');
