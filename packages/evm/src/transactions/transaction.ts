import { type Fork, includes } from '@switchyard/evm-machine/fork';
import type { Signature } from '@switchyard/evm-machine/recover';
import type { Address, Authorization, Hash } from '@switchyard/evm-machine/types';
import { ForeseenError } from '@switchyard/protocol';
import {
  bytesToBigInt,
  bytesToHex,
  encodeRlp,
  hexToBytes,
  InvalidRlp,
  itemAt,
  keccak256,
  keccakHex,
  listHead,
  type RlpItem,
  readItem,
  type Writable,
} from '@switchyard/protocol/ethereum';
import type { RefusalCode } from './refusals.ts';

export interface AccessListItem {
  readonly address: Address;
  readonly storageKeys: readonly Hash[];
}

/** A transaction of type 0 (legacy), 1 (EIP-2930), 2 (EIP-1559) or 4 (EIP-7702), well formed but not checked against anything. */
export interface Transaction {
  readonly type: 0 | 1 | 2 | 4;
  readonly hash: Hash;
  /** EIP-2718 bytes. */
  readonly raw: Uint8Array;
  /** Undefined for a legacy transaction from before EIP-155, which is valid on every chain. */
  readonly chainId: bigint | undefined;
  readonly nonce: bigint;
  readonly gasLimit: bigint;
  /** Wei for each unit of gas; types 0 and 1 have their gas price in both. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** Undefined if it creates a contract. */
  readonly to: Address | undefined;
  /** Wei. */
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly accessList: readonly AccessListItem[];
  /** Present for type 4 only. Their signatures are not checked: a wrong one is skipped when the transaction runs. */
  readonly authorizations?: readonly Authorization[] | undefined;
  readonly signature: Signature;
}

/** Bytes that are no transaction of this chain, in any state. */
export class InvalidTransaction extends ForeseenError {
  override readonly name = 'InvalidTransaction';

  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** @throws {InvalidTransaction} */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const first = raw[0];
  if (first === undefined) throw new InvalidTransaction('malformed', 'no bytes');
  try {
    if (first >= 0xc0) return decodeLegacy(raw);
    if (first === 1 || first === 2 || first === 4) return decodeTyped(raw, first);
  } catch (error) {
    if (error instanceof InvalidRlp) throw new InvalidTransaction('malformed', error.message);
    throw error;
  }
  if (first === 3) throw new InvalidTransaction('blob-transaction', 'blob transactions (type 3) are not accepted');
  if (first < 0x80) throw new InvalidTransaction('unknown-type', `unknown transaction type ${first}`);
  throw new InvalidTransaction('malformed', 'neither a list nor a typed transaction');
}

/**
 * Refuses types that this chain does not take, by their first byte.
 *
 * @throws {InvalidTransaction}
 */
export function expectTakenType(first: number | undefined, fork: Fork): void {
  if (first === 3) throw new InvalidTransaction('blob-transaction', 'blob transactions (type 3) are not accepted');
  if (first === 4 && !includes(fork, 'prague'))
    throw new InvalidTransaction('unknown-type', 'type 4 (set code) is of a later fork than this chain');
}

function decodeLegacy(raw: Uint8Array): Transaction {
  const start = readFields(raw, 0, 9);
  const v = uint(raw, fields[6], 32);
  const gasPrice = uint(raw, fields[1], 32);
  const isProtected = v >= 35n;
  if (!isProtected && v !== 27n && v !== 28n)
    throw new InvalidTransaction('bad-signature', `v is ${v}, expected 27, 28 or at least 35`);
  const chainId = isProtected ? (v - 35n) / 2n : undefined;
  const yParity = (isProtected ? v - 35n : v - 27n) % 2n === 0n ? 0 : 1;
  // EIP-155: the chain id is signed in the place of v.
  const tail = chainId === undefined ? EMPTY : Buffer.concat([encodeRlp(chainId), NO_SIGNATURE]);
  return {
    type: 0,
    hash: keccakHex(raw),
    raw,
    chainId,
    nonce: uint(raw, fields[0], 8),
    gasLimit: uint(raw, fields[2], 8),
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: gasPrice,
    to: recipient(raw, fields[3]),
    value: uint(raw, fields[4], 32),
    data: bytes(raw, fields[5]),
    accessList: [],
    signature: signatureIn(raw, fields[7], fields[8], yParity, { start, end: fields[5]?.end ?? start, tail }),
  };
}

function decodeTyped(raw: Uint8Array, type: 1 | 2 | 4): Transaction {
  // Types 1 and 2 differ in their fee fields, type 4 is like 2 with one list more.
  const start = readFields(raw, 1, type === 1 ? 11 : type === 2 ? 12 : 13);
  const fees = type === 1 ? 1 : 2;
  const at = (index: number) => fields[index + fees];
  const lists = type === 4 ? 1 : 0;
  const parity = uint(raw, at(7 + lists), 32);
  if (parity > 1n) throw new InvalidTransaction('bad-signature', `y parity is ${parity}, expected 0 or 1`);
  return {
    type,
    hash: keccakHex(raw),
    raw,
    chainId: uint(raw, fields[0], 32),
    nonce: uint(raw, fields[1], 8),
    maxPriorityFeePerGas: uint(raw, fields[2], 32),
    maxFeePerGas: uint(raw, fields[1 + fees], 32),
    gasLimit: uint(raw, at(2), 8),
    to: recipient(raw, at(3)),
    value: uint(raw, at(4), 32),
    data: bytes(raw, at(5)),
    accessList: getAccessList(raw, at(6)),
    authorizations: type === 4 ? getAuthorizations(raw, at(7)) : undefined,
    signature: signatureIn(raw, at(8 + lists), at(9 + lists), parity === 0n ? 0 : 1, {
      start,
      end: at(6 + lists)?.end ?? start,
      tail: EMPTY,
    }),
  };
}

/** The signed part of the bytes, as the first items of a list. `tail`: its other items. */
interface Signed {
  readonly start: number;
  readonly end: number;
  readonly tail: Uint8Array;
}

/**
 * Read from the transaction's bytes on demand: if the sender is known, it is not. Each view of some bytes
 * takes more memory than they do.
 */
class SignatureIn implements Signature {
  readonly yParity: 0 | 1;
  readonly #raw: Uint8Array;
  readonly #rEnd: number;
  readonly #rLength: number;
  readonly #sEnd: number;
  readonly #sLength: number;
  readonly #signed: Signed;

  constructor(raw: Uint8Array, r: RlpItem, s: RlpItem, yParity: 0 | 1, signed: Signed) {
    this.yParity = yParity;
    this.#raw = raw;
    this.#rEnd = r.end;
    this.#rLength = r.end - r.start;
    this.#sEnd = s.end;
    this.#sLength = s.end - s.start;
    this.#signed = signed;
  }

  get r(): Uint8Array {
    return padded(this.#raw, this.#rEnd, this.#rLength);
  }

  get s(): Uint8Array {
    return padded(this.#raw, this.#sEnd, this.#sLength);
  }

  get digest(): Uint8Array {
    const { start, end, tail } = this.#signed;
    const head = listHead(end - start + tail.length);
    const first = this.#raw[0] ?? 0;
    const type = first < 0x80 ? this.#raw.subarray(0, 1) : EMPTY;
    return keccak256(Buffer.concat([type, head, this.#raw.subarray(start, end), tail]));
  }
}

const EMPTY = new Uint8Array();
/** RLP of two zeros. */
const NO_SIGNATURE = Uint8Array.of(0x80, 0x80);

/** Reused for every transaction that is decoded: fourteen objects less for each. */
const fields: readonly Writable<RlpItem>[] = Array.from({ length: 13 }, () => ({ isList: false, start: 0, end: 0 }));
const list: Writable<RlpItem> = { isList: false, start: 0, end: 0 };

/** Puts the items of the one list in `raw` from `from` on into `fields`. @returns the beginning of its content. */
function readFields(raw: Uint8Array, from: number, count: number): number {
  readItem(list, raw, from, raw.length);
  const { isList, start, end } = list;
  if (!isList) throw new InvalidRlp('a list is missing');
  if (end !== raw.length) throw new InvalidRlp('bytes follow the transaction');
  let found = 0;
  for (let at = start; at < end && found <= count; found += 1) {
    // One more than there should be is looked at, too.
    const item = found < count ? (fields[found] ?? list) : list;
    readItem(item, raw, at, end);
    at = item.end;
  }
  if (found !== count) throw new InvalidRlp(`${found} fields, expected ${count}`);
  return start;
}

/** Stops after one item more than `limit`. */
function itemsIn(raw: Uint8Array, list: RlpItem, limit = Number.POSITIVE_INFINITY): RlpItem[] {
  const items: RlpItem[] = [];
  for (let at = list.start; at < list.end && items.length <= limit; ) {
    const item = itemAt(raw, at, list.end);
    items.push(item);
    at = item.end;
  }
  return items;
}

function bytes(raw: Uint8Array, item: RlpItem | undefined): Uint8Array {
  if (item === undefined || item.isList) throw new InvalidRlp('a list in place of bytes');
  return item.start === item.end ? EMPTY : raw.subarray(item.start, item.end);
}

function uint(raw: Uint8Array, item: RlpItem | undefined, maxBytes: number): bigint {
  if (item === undefined || item.isList) throw new InvalidRlp('a list in place of bytes');
  const { start, end } = item;
  if (end - start > maxBytes) throw new InvalidRlp(`a number has ${end - start} bytes, at most ${maxBytes} fit`);
  if (end > start && raw[start] === 0) throw new InvalidRlp('a number begins with a zero');
  return bytesToBigInt(raw, start, end);
}

function recipient(raw: Uint8Array, item: RlpItem | undefined): Address | undefined {
  const address = bytes(raw, item);
  if (address.length === 0) return undefined;
  if (address.length !== 20) throw new InvalidRlp(`a recipient has ${address.length} bytes, expected 20 or none`);
  return bytesToHex(address);
}

function getAccessList(raw: Uint8Array, item: RlpItem | undefined): AccessListItem[] {
  if (item?.isList !== true) throw new InvalidRlp('an access list is missing');
  if (item.start === item.end) return [];
  return itemsIn(raw, item).map((entry) => {
    const [address, keys, ...more] = entry.isList ? itemsIn(raw, entry, 2) : [];
    if (keys?.isList !== true || more.length > 0) throw new InvalidRlp('an access list entry is no pair');
    return {
      address: bytesToHex(ofLength(bytes(raw, address), 20)),
      storageKeys: itemsIn(raw, keys).map((key) => bytesToHex(ofLength(bytes(raw, key), 32))),
    };
  });
}

/** EIP-7702. Numbers are no longer than the EIP allows; their values are checked when the transaction runs. */
function getAuthorizations(raw: Uint8Array, item: RlpItem | undefined): Authorization[] {
  if (item?.isList !== true) throw new InvalidRlp('an authorization list is missing');
  return itemsIn(raw, item).map((entry) => {
    const fields = entry.isList ? itemsIn(raw, entry, 6) : [];
    if (fields.length !== 6) throw new InvalidRlp('an authorization does not have six fields');
    const [chainId, address, nonce, yParity, r, s] = fields;
    return {
      chainId: uint(raw, chainId, 32),
      address: bytesToHex(ofLength(bytes(raw, address), 20)),
      nonce: uint(raw, nonce, 8),
      yParity: uint(raw, yParity, 1),
      r: bytesToHex(word(raw, r)),
      s: bytesToHex(word(raw, s)),
    };
  });
}

function ofLength(value: Uint8Array, length: number): Uint8Array {
  if (value.length !== length) throw new InvalidRlp(`a list has an item of ${value.length} bytes, expected ${length}`);
  return value;
}

/** Order of the curve secp256k1, and half of it: EIP-2 takes only the lower s. */
export const ORDER = hexToBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const HALF_ORDER = hexToBytes('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

/** @throws {InvalidRlp} @throws {InvalidTransaction} */
function signatureIn(raw: Uint8Array, r: RlpItem | undefined, s: RlpItem | undefined, yParity: 0 | 1, signed: Signed) {
  expectWord(raw, r);
  expectWord(raw, s);
  if (isZero(r) || compareWith(ORDER, raw, r) >= 0) throw new InvalidTransaction('bad-signature', 'r is out of range');
  if (isZero(s) || compareWith(HALF_ORDER, raw, s) > 0)
    throw new InvalidTransaction('bad-signature', 's is out of range');
  return new SignatureIn(raw, r, s, yParity, signed);
}

/** A number of at most 32 bytes, without zeros in front. */
function expectWord(raw: Uint8Array, item: RlpItem | undefined): asserts item is RlpItem {
  if (item === undefined || item.isList) throw new InvalidRlp('a list in place of bytes');
  const { start, end } = item;
  if (end - start > 32 || (end > start && raw[start] === 0))
    throw new InvalidRlp('a part of the signature is no number of 32 bytes');
}

function isZero({ start, end }: RlpItem): boolean {
  return start === end;
}

/** Nearly all differ from the order in their first bytes, before a call of native code would have begun. */
function compareWith(order: Uint8Array, raw: Uint8Array, { start, end }: RlpItem): number {
  if (end - start < 32) return -1;
  for (let at = 0; at < 32; at += 1) {
    const difference = (raw[start + at] ?? 0) - (order[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function word(raw: Uint8Array, item: RlpItem | undefined): Uint8Array {
  expectWord(raw, item);
  return padded(raw, item.end, item.end - item.start);
}

/** 32 bytes, the last of them those before `end`. */
function padded(raw: Uint8Array, end: number, length: number): Uint8Array {
  const digits = raw.subarray(end - length, end);
  if (length === 32) return digits;
  const all = new Uint8Array(32);
  all.set(digits, 32 - length);
  return all;
}
