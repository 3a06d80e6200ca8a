import { create, toBinary } from '@bufbuild/protobuf';
import { type Address, formatAddress, parseAnyAddress } from '../accounts/address.ts';
import { type RollupId, rollupIdBytes, rollupIdFromBytes, type TxHash, txHashFromHex } from '../accounts/ids.ts';
import { decodeMessage } from '../bytes/message.ts';
import { BYTES, Reader } from '../bytes/reader.ts';
import { u128FromWire, u128ToWire } from '../bytes/uint128.ts';
import { sizeOfBytesField, Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { type Deposit as DepositMessage, DepositSchema } from '../gen/astria/sequencerblock/v1/block_pb.ts';

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

export function encodeDeposit(deposit: Deposit): Uint8Array {
  const message = toBinary(DepositSchema, depositToWire(deposit));
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
  return { kind: 'deposit', deposit: depositFromWire(decodeMessage(DepositSchema, deposit)) };
}

export function depositToWire(deposit: Deposit): DepositMessage {
  return create(DepositSchema, {
    bridgeAddress: { bech32m: formatAddress(deposit.bridge.account, deposit.bridge.prefix) },
    rollupId: { inner: rollupIdBytes(deposit.rollup) },
    amount: u128ToWire(deposit.amount),
    asset: deposit.asset,
    destinationChainAddress: deposit.destination,
    sourceTransactionId: { inner: deposit.sourceTransaction },
    sourceActionIndex: deposit.sourceAction,
  });
}

export function depositFromWire(message: DepositMessage): Deposit {
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
