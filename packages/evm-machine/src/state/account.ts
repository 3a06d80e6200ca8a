import { bytesToBigInt, bytesToHex, hexToBytes, keccakHex, putHex } from '@switchyard/protocol/ethereum';
import type { Hash } from '../types.ts';
import type { AccountState } from './state.ts';

export const EMPTY_CODE_HASH: Hash = keccakHex(new Uint8Array());
/** Root of a trie with nothing in it: Keccak-256 of an empty string in RLP. */
export const EMPTY_ROOT: Hash = keccakHex(Uint8Array.of(0x80));

const EMPTY_CODE_HASH_BYTES = hexToBytes(EMPTY_CODE_HASH);
const EMPTY_ROOT_BYTES = hexToBytes(EMPTY_ROOT);

const HAS_CODE = 1;
const HAS_STORAGE = 2;

/** Wei. No genesis of a rollup has this much in all; on a chain whose balances can be set it is a bound of each transfer. */
export const MAX_BALANCE = (1n << 256n) - 1n;

/** Balance after a payment that cannot be refused; the excess over the account's bound is lost. */
export function raised(balance: bigint, wei: bigint): bigint {
  const sum = balance + wei;
  return sum > MAX_BALANCE ? MAX_BALANCE : sum;
}

/** A row: flags, nonce and balance each with a length before it, then the hashes that are not those of nothing. */
export function encodeAccount({ nonce, balance, codeHash, storageRoot }: AccountState): Uint8Array {
  const flags = (codeHash === EMPTY_CODE_HASH ? 0 : HAS_CODE) + (storageRoot === EMPTY_ROOT ? 0 : HAS_STORAGE);
  scratch[0] = flags;
  let end = 1;
  for (const number of [nonce, balance]) {
    const length = putNumber(end + 1, number);
    scratch[end] = length;
    end += 1 + length;
  }
  if (codeHash !== EMPTY_CODE_HASH) {
    putHex(scratch, end, codeHash);
    end += 32;
  }
  if (storageRoot !== EMPTY_ROOT) {
    putHex(scratch, end, storageRoot);
    end += 32;
  }
  return scratch.slice(0, end);
}

export function decodeAccount(bytes: Uint8Array): AccountState {
  const flags = bytes[0] ?? 0;
  const nonceEnd = 2 + (bytes[1] ?? 0);
  const balanceEnd = nonceEnd + 1 + (bytes[nonceEnd] ?? 0);
  const codeEnd = balanceEnd + ((flags & HAS_CODE) === 0 ? 0 : 32);
  return {
    nonce: bytesToBigInt(bytes, 2, nonceEnd),
    balance: bytesToBigInt(bytes, nonceEnd + 1, balanceEnd),
    codeHash: codeEnd === balanceEnd ? EMPTY_CODE_HASH : bytesToHex(bytes.subarray(balanceEnd, codeEnd)),
    storageRoot: (flags & HAS_STORAGE) === 0 ? EMPTY_ROOT : bytesToHex(bytes.subarray(codeEnd, codeEnd + 32)),
  };
}

/** Content of an account's leaf: RLP of nonce, balance, storage root and code hash. Yellow Paper, 4.1. */
export function accountRlp({ nonce, balance, storageRoot, codeHash }: AccountState): Uint8Array {
  // Two bytes for the list's head: with two hashes it is always longer than 55 and shorter than 256.
  let end = 2;
  for (const number of [nonce, balance]) {
    const length = putNumber(end + 1, number);
    if (length === 1 && number < 128n) {
      scratch[end] = scratch[end + 1] ?? 0;
      end += 1;
    } else {
      scratch[end] = 0x80 + length;
      end += 1 + length;
    }
  }
  for (const hash of [storageRoot, codeHash]) {
    scratch[end] = 0xa0;
    if (hash === EMPTY_ROOT) scratch.set(EMPTY_ROOT_BYTES, end + 1);
    else if (hash === EMPTY_CODE_HASH) scratch.set(EMPTY_CODE_HASH_BYTES, end + 1);
    else putHex(scratch, end + 1, hash);
    end += 33;
  }
  scratch[0] = 0xf8;
  scratch[1] = end - 2;
  return scratch.slice(0, end);
}

/** Content of a slot's leaf. @param value Not 0. */
export function slotRlp(value: bigint): Uint8Array {
  const length = putNumber(1, value);
  if (length === 1 && value < 128n) return scratch.slice(1, 2);
  scratch[0] = 0x80 + length;
  return scratch.slice(0, 1 + length);
}

/** Big-endian, without leading zeros: 0 has no bytes. */
export function encodeNumber(value: bigint): Uint8Array {
  return scratch.slice(0, putNumber(0, value));
}

const scratch = new Uint8Array(256);
const view = new DataView(scratch.buffer);
const LOW = 0xffff_ffff_ffff_ffffn;

/** @returns how many bytes it has. */
function putNumber(at: number, value: bigint): number {
  if (value <= 0x1f_ffff_ffff_ffffn) return putSmall(at, Number(value));
  if (value <= LOW) {
    let length = 8;
    view.setBigUint64(at, value);
    // The value is above 2^53, so no more than one byte is 0.
    if (scratch[at] === 0) {
      scratch.copyWithin(at, at + 1, at + length);
      length -= 1;
    }
    return length;
  }
  const high = putNumber(at, value >> 64n);
  view.setBigUint64(at + high, value & LOW);
  return high + 8;
}

/** Below 2^53. */
function putSmall(at: number, value: number): number {
  let length = 0;
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) length++;
  let rest = value;
  for (let index = length - 1; index >= 0; index--) {
    scratch[at + index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return length;
}
