import type { Address, Data, Hash, Header } from '@switchyard/evm-machine/types';
import {
  asBytes,
  asList,
  bytesToBigInt,
  bytesToHex,
  decodeRlp,
  getQuantity,
  quantity,
  type RlpTree,
} from '@switchyard/protocol/ethereum';
import { effectivePrice } from '../transactions/price.ts';
import type { AccessListItem } from '../transactions/transaction.ts';

/** Data that the JSON of a transaction is made from; transactions of a block and of the pool have it. */
export interface TransactionBytes {
  readonly hash: Hash;
  readonly from: Address;
  /** EIP-2718 bytes that were decoded when they came in, and so are known to be well-formed. */
  readonly raw: Uint8Array;
}

/** The position of a transaction. */
export interface TransactionPlace {
  /** Hash of the block. */
  readonly hash: Hash;
  readonly header: Header;
  readonly index: number;
}

/**
 * A transaction of type 0 to 4 as go-ethereum shows it.
 *
 * `gasPrice` is the paid price if the transaction is in a block, else the most that will be paid.
 *
 * @param place Undefined while it is pending: the members with its position are null then.
 */
export function transactionJson({ hash, from, raw }: TransactionBytes, place: TransactionPlace | undefined) {
  const fields = transactionFields(raw);
  const json: Record<string, unknown> = {
    blockHash: place?.hash ?? null,
    blockNumber: place === undefined ? null : quantity(place.header.number),
    blockTimestamp: place === undefined ? null : quantity(place.header.timestamp),
    from,
    gas: getQuantity(fields.gas),
    gasPrice: gasPrice(fields, place?.header.baseFeePerGas),
  };
  if (fields.maxFeePerGas !== undefined) json.maxFeePerGas = getQuantity(fields.maxFeePerGas);
  if (fields.maxPriorityFeePerGas !== undefined) json.maxPriorityFeePerGas = getQuantity(fields.maxPriorityFeePerGas);
  if (fields.maxFeePerBlobGas !== undefined) json.maxFeePerBlobGas = getQuantity(fields.maxFeePerBlobGas);
  json.hash = hash;
  json.input = bytesToHex(fields.input);
  json.nonce = getQuantity(fields.nonce);
  json.to = fields.to.length === 0 ? null : bytesToHex(fields.to);
  json.transactionIndex = place === undefined ? null : quantity(place.index);
  json.value = getQuantity(fields.value);
  json.type = quantity(fields.type);
  if (fields.accessList !== undefined) json.accessList = getAccessList(fields);
  const chainId = findChainId(fields);
  if (chainId !== undefined) json.chainId = chainId;
  if (fields.blobVersionedHashes !== undefined)
    json.blobVersionedHashes = fields.blobVersionedHashes.map((each) => bytesToHex(asBytes(each)));
  if (fields.authorizationList !== undefined) json.authorizationList = fields.authorizationList.map(authorization);
  json.v = getQuantity(fields.v);
  json.r = getQuantity(fields.r);
  json.s = getQuantity(fields.s);
  if (fields.type !== 0) json.yParity = getQuantity(fields.v);
  return json;
}

/** Whom a transaction calls; undefined if it creates a contract. */
export function findRecipient(raw: Uint8Array): Address | undefined {
  const { to } = transactionFields(raw);
  return to.length === 0 ? undefined : bytesToHex(to);
}

/** How many blobs a transaction of type 3 carries. */
export function getBlobs(raw: Uint8Array): number {
  return transactionFields(raw).blobVersionedHashes?.length ?? 0;
}

/** The fields as they stand in the bytes: numbers big-endian without leading zeros. */
export type TransactionFields = ReturnType<typeof transactionFields>;

/** EIP-2718: a first byte from 0xc0 begins a list and so a transaction without a type. */
const FIRST_LIST = 0xc0;

/** Takes a transaction of type 0 (EIP-155), 1 (2930), 2 (1559), 3 (4844, without its blobs) or 4 (7702) apart. */
export function transactionFields(raw: Uint8Array) {
  const first = raw[0] ?? 0;
  const type = first >= FIRST_LIST ? 0 : first;
  const items = asList(decodeRlp(type === 0 ? raw : raw.subarray(1)));
  let position = 0;
  const next = (): RlpTree | undefined => items[position++];
  // In the order of the bytes: an object's members are evaluated as written.
  return {
    type,
    /** Undefined for type 0, in which `v` may hold it. */
    chainId: type === 0 ? undefined : asBytes(next()),
    nonce: asBytes(next()),
    /** Undefined except for types 0 and 1. */
    gasPrice: type < 2 ? asBytes(next()) : undefined,
    maxPriorityFeePerGas: type < 2 ? undefined : asBytes(next()),
    maxFeePerGas: type < 2 ? undefined : asBytes(next()),
    gas: asBytes(next()),
    /** Empty if a contract is created. */
    to: asBytes(next()),
    value: asBytes(next()),
    input: asBytes(next()),
    accessList: type === 0 ? undefined : asList(next()),
    maxFeePerBlobGas: type === 3 ? asBytes(next()) : undefined,
    blobVersionedHashes: type === 3 ? asList(next()) : undefined,
    authorizationList: type === 4 ? asList(next()) : undefined,
    v: asBytes(next()),
    r: asBytes(next()),
    s: asBytes(next()),
  };
}

const NONE = new Uint8Array();

function gasPrice(fields: TransactionFields, baseFee: bigint | undefined): Data {
  if (fields.gasPrice !== undefined) return getQuantity(fields.gasPrice);
  const { maxFeePerGas = NONE, maxPriorityFeePerGas = NONE } = fields;
  const fees = { maxFeePerGas: bytesToBigInt(maxFeePerGas), maxPriorityFeePerGas: bytesToBigInt(maxPriorityFeePerGas) };
  return quantity(effectivePrice(fees, baseFee));
}

/** EIP-155 puts the chain id of a transaction without a type into `v`; before it, `v` was 27 or 28. */
function findChainId({ chainId, v }: TransactionFields): Data | undefined {
  if (chainId !== undefined) return getQuantity(chainId);
  const recovery = BigInt(getQuantity(v));
  return recovery < 35n ? undefined : quantity((recovery - 35n) / 2n);
}

export function getAccessList({ accessList = [] }: TransactionFields): readonly AccessListItem[] {
  return accessList.map((entry) => {
    const [address, keys] = asList(entry);
    return { address: bytesToHex(asBytes(address)), storageKeys: asList(keys).map((key) => bytesToHex(asBytes(key))) };
  });
}

function authorization(entry: RlpTree): unknown {
  const [chainId, address, nonce, yParity, r, s] = asList(entry).map((field) => asBytes(field));
  return {
    chainId: getQuantity(asBytes(chainId)),
    address: bytesToHex(asBytes(address)),
    nonce: getQuantity(asBytes(nonce)),
    yParity: getQuantity(asBytes(yParity)),
    r: getQuantity(asBytes(r)),
    s: getQuantity(asBytes(s)),
  };
}
