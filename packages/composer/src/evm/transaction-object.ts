import { keccak256, toHex } from '@switchyard/protocol';
import { encodeRlp, type RlpItem } from './rlp.ts';

/** A JSON-RPC transaction object that cannot be converted back to the transaction's bytes. */
export class UnusableObject extends Error {
  override readonly name = 'UnusableObject';

  /** @param isFinal Whether the bytes, had from elsewhere, would be of no use either. */
  constructor(
    message: string,
    readonly isFinal = false,
  ) {
    super(message);
  }
}

/** Longest bytes that pools of EVM nodes take, with room to spare. */
const MAX_BYTES = 262_144;
const MAX_LIST = 10_000;
const BLOB_TYPE = 3;

/**
 * EIP-2718 bytes of a transaction from its JSON object (types 0, 1, 2 and 4).
 *
 * @throws {UnusableObject} for other types and where the bytes do not have the hash that the object names, which is how a
 * field that this version does not know shows.
 */
export function transactionBytes(value: unknown): { readonly hash: string; readonly bytes: Uint8Array } {
  const object = record(value);
  const hash = hashOfObject(object);
  const bytes = Uint8Array.from(encode(object));
  const got = hashOfBytes(bytes);
  if (got !== hash) throw new UnusableObject(`the fields of ${hash} make a transaction with hash ${got}`);
  return { hash, bytes };
}

/** EIP-2718 bytes as a node gives them. @throws {UnusableObject} where they are of another transaction, or carry blobs. */
export function rawBytes(value: unknown, hash: string): Uint8Array {
  const bytes = parseBytes(value);
  if (bytes[0] === BLOB_TYPE) throw noBlobs();
  if (hashOfBytes(bytes) !== hash) throw new UnusableObject(`the bytes of ${hash} have another hash`, true);
  return bytes;
}

function noBlobs(): UnusableObject {
  return new UnusableObject('a blob transaction, which rollups do not take', true);
}

/** Keccak-256 as JSON-RPC writes it. */
function hashOfBytes(bytes: Uint8Array): string {
  return `0x${toHex(keccak256(bytes))}`;
}

/** The hash in lower case. */
export function hashOfObject(value: unknown): string {
  return parseHash(record(value).hash);
}

export function parseHash(value: unknown): string {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{64}$/.test(value)) throw new UnusableObject('no hash of 32 bytes');
  return value.toLowerCase();
}

/** Any number of bytes up to what a transaction can have. */
function parseBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string' || value.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new UnusableObject('bytes in hex are missing');
  if (value.length > 2 + 2 * MAX_BYTES) throw new UnusableObject(`more than ${MAX_BYTES} bytes`);
  return Uint8Array.from(Buffer.from(value.slice(2), 'hex'));
}

type Fields = Readonly<Record<string, unknown>>;

function encode(tx: Fields): Uint8Array {
  const type = typeOf(tx);
  const to = tx.to === null || tx.to === undefined ? new Uint8Array() : parseBytes(tx.to);
  const call = [number(tx.gas), to, number(tx.value), parseBytes(tx.input ?? tx.data)];
  const signature = [number(type === 0 ? tx.v : (tx.yParity ?? tx.v)), number(tx.r), number(tx.s)];
  const fees = [number(tx.maxPriorityFeePerGas ?? '0x0'), number(tx.maxFeePerGas ?? '0x0')];
  const [chain, nonce] = [number(tx.chainId ?? '0x0'), number(tx.nonce)];
  switch (type) {
    case 0:
      return encodeRlp([nonce, number(tx.gasPrice), ...call, ...signature]);
    case 1:
      return typed(1, [chain, nonce, number(tx.gasPrice), ...call, accessList(tx.accessList), ...signature]);
    case 2:
      return typed(2, [chain, nonce, ...fees, ...call, accessList(tx.accessList), ...signature]);
    case 4: {
      const authorizations = list(tx.authorizationList).map(authorization);
      return typed(4, [chain, nonce, ...fees, ...call, accessList(tx.accessList), authorizations, ...signature]);
    }
    case BLOB_TYPE:
      throw noBlobs();
    default:
      throw new UnusableObject(
        `a transaction of type ${typeof tx.type === 'string' ? tx.type.slice(0, 20) : typeof tx.type}`,
      );
  }
}

/** NaN for anything but a number: converting an object could run its own code, or throw. */
function typeOf({ type }: Fields): number {
  if (type === undefined || type === null) return 0;
  return typeof type === 'string' || typeof type === 'number' ? Number(type) : Number.NaN;
}

function typed(type: number, fields: readonly RlpItem[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
}

function accessList(value: unknown): RlpItem {
  return list(value ?? []).map((each) => {
    const { address, storageKeys } = record(each);
    return [parseBytes(address), list(storageKeys ?? []).map(parseBytes)];
  });
}

function authorization(value: unknown): RlpItem {
  const { chainId, address, nonce, yParity, v, r, s } = record(value);
  return [number(chainId), parseBytes(address), number(nonce), number(yParity ?? v), number(r), number(s)];
}

/** Big-endian without leading zeros; nothing for 0. */
function number(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw new UnusableObject('a number is missing');
  const digits = value.slice(2).replace(/^0+/, '');
  return Uint8Array.from(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'));
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value) || value.length > MAX_LIST) throw new UnusableObject('a list is missing or too long');
  return value;
}

function record(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UnusableObject('no object');
  // Any object can be read by name; what stands there is unknown.
  return value as Fields;
}
