import { type Address, formatAddress, parseAnyAddress } from '../accounts/address.ts';
import { type RollupId, rollupIdBytes, rollupIdFromBytes, type TxHash, txHashFromHex } from '../accounts/ids.ts';
import { BYTES, Reader } from '../bytes/reader.ts';
import { u128FromWire, u128ToWire } from '../bytes/uint128.ts';
import { sizeOfBytesField, Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';

/** A bridge lock, as its rollup sees it. Source transaction and action identify it. */
export interface Deposit {
  readonly bridge: Address;
  readonly rollup: RollupId;
  readonly amount: bigint;
  /** In trace form. */
  readonly asset: string;
  /** Destination in the depositor's own words; only the rollup knows whether it is an address. */
  readonly destination: string;
  readonly sourceTransaction: TxHash;
  readonly sourceAction: bigint;
}

export type RollupData =
  | { readonly kind: 'sequencedData'; readonly data: Uint8Array }
  | { readonly kind: 'deposit'; readonly deposit: Deposit }
  /** Unknown: from a newer sequencer, or empty. */
  | { readonly kind: 'unknown' };

const SEQUENCED_DATA = 1;
const DEPOSIT = 2;
const PRICE_FEED_DATA = 3;

/** Wrapped as data of a rollup. */
export function encodeDeposit(deposit: Deposit): Uint8Array {
  const message = depositBytes(deposit);
  return new Writer(sizeOfBytesField(message.length) + 8).bytesAlways(DEPOSIT, message).finish();
}

/** Sequenced data is a view of `bytes`. @throws {Rejected} `malformed` */
export function decodeRollupData(bytes: Uint8Array): RollupData {
  const reader = new Reader(bytes, 'RollupData');
  let result: RollupData = { kind: 'unknown' };
  let deposit: Uint8Array | undefined;
  while (reader.next()) {
    if (reader.field === SEQUENCED_DATA) {
      result = { kind: 'sequencedData', data: reader.bytes() };
      deposit = undefined;
    } else if (reader.field === DEPOSIT) {
      // A message in pieces reads as their bytes in a row.
      const piece: Uint8Array = reader.bytes();
      deposit = deposit === undefined ? piece : join(deposit, piece);
    } else if (reader.field === PRICE_FEED_DATA && reader.type === BYTES) {
      reader.skip();
      result = { kind: 'unknown' };
      deposit = undefined;
    } else reader.skip();
  }
  if (deposit === undefined) return result;
  return { kind: 'deposit', deposit: readDeposit(deposit) };
}

/** An encoded `astria.sequencerblock.v1.Deposit`, by hand like blocks: pages load no generated code. */
export function depositBytes(deposit: Deposit): Uint8Array {
  const { lo, hi } = u128ToWire(deposit.amount);
  return new Writer(512)
    .message(1, (address) => address.string(2, formatAddress(deposit.bridge.account, deposit.bridge.prefix)))
    .message(2, (id) => id.bytes(1, rollupIdBytes(deposit.rollup)))
    .message(3, (amount) => amount.uint64(1, lo).uint64(2, hi))
    .string(4, deposit.asset)
    .string(5, deposit.destination)
    .message(6, (id) => id.string(1, deposit.sourceTransaction))
    .uint64(7, deposit.sourceAction)
    .finish();
}

/** A deposit as generated code has it. */
interface DepositParts {
  bridgeAddress?: { readonly bech32m: string } | undefined;
  rollupId?: { readonly inner: Uint8Array } | undefined;
  amount?: { readonly lo: bigint; readonly hi: bigint } | undefined;
  asset: string;
  destinationChainAddress: string;
  sourceTransactionId?: { readonly inner: string } | undefined;
  sourceActionIndex: bigint;
}

/** A message that comes in pieces has the members of all of them. */
function readDeposit(bytes: Uint8Array): Deposit {
  const reader = new Reader(bytes, 'Deposit');
  const parts: DepositParts = { asset: '', destinationChainAddress: '', sourceActionIndex: 0n };
  while (reader.next()) {
    const { bridgeAddress, rollupId, amount, sourceTransactionId } = parts;
    if (reader.field === 1)
      parts.bridgeAddress = { bech32m: readLast(reader.bytes(), 2, readText) ?? bridgeAddress?.bech32m ?? '' };
    else if (reader.field === 2)
      parts.rollupId = {
        inner: readLast(reader.bytes(), 1, (id) => id.bytes()) ?? rollupId?.inner ?? new Uint8Array(),
      };
    else if (reader.field === 3) {
      const halves = reader.bytes();
      const [lo, hi] = [1, 2].map((field) => readLast(halves, field, (half) => half.uint64()));
      parts.amount = { lo: lo ?? amount?.lo ?? 0n, hi: hi ?? amount?.hi ?? 0n };
    } else if (reader.field === 4) parts.asset = readText(reader);
    else if (reader.field === 5) parts.destinationChainAddress = readText(reader);
    else if (reader.field === 6)
      parts.sourceTransactionId = { inner: readLast(reader.bytes(), 1, readText) ?? sourceTransactionId?.inner ?? '' };
    else if (reader.field === 7) parts.sourceActionIndex = reader.uint64();
    else reader.skip();
  }
  return depositFromWire(parts);
}

/** The last value of a field, if it has one. */
function readLast<T>(bytes: Uint8Array, field: number, read: (reader: Reader) => T): T | undefined {
  const reader = new Reader(bytes, 'Deposit');
  let last: T | undefined;
  while (reader.next()) {
    if (reader.field === field) last = read(reader);
    else reader.skip();
  }
  return last;
}

/** Generated code, which other processes decode with, drops a byte order mark. */
const readText = (reader: Reader): string => reader.string().replace(/^\ufeff/, '');

export function depositFromWire(message: DepositParts): Deposit {
  const { bridgeAddress, rollupId, amount, sourceTransactionId } = message;
  if (bridgeAddress === undefined) throw absent('bridge address');
  if (rollupId === undefined) throw absent('rollup id');
  if (amount === undefined) throw absent('amount');
  if (sourceTransactionId === undefined) throw absent('source transaction');
  return {
    bridge: parseAnyAddress(bridgeAddress.bech32m),
    rollup: rollupIdFromBytes(rollupId.inner),
    amount: u128FromWire(amount),
    asset: message.asset,
    destination: message.destinationChainAddress,
    sourceTransaction: txHashFromHex(sourceTransactionId.inner),
    sourceAction: message.sourceActionIndex,
  };
}

function absent(part: string): Rejected {
  return new Rejected('malformed', { message: 'Deposit', part, expected: 'present' });
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
