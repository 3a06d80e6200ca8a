import type { Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import type { Timestamp } from '@switchyard/protocol';
import {
  bytesOf,
  decodeRlp,
  encodeRlp,
  hexOf,
  listOf,
  putUint32,
  putUint64,
  type RlpTree,
  stringOf,
  uintOf,
} from '@switchyard/protocol/ethereum';
import { withdrawalItems, withdrawalOf } from '../blocks/block.ts';
import { headerFromItems, headerItems } from '../blocks/header.ts';
import { logItems, logOf } from '../blocks/receipt.ts';
import type { IncludedTransaction, RefusedEntry, StoredReceipt } from './chain.ts';

/* How blocks lie in the database: RLP lists. The tests pin bytes; a change here changes the format. */

/** Hash and time of the sequencer's block; the header keeps less of it. */
export interface BlockOrigin {
  /** 64 hex digits, empty for block 0. */
  readonly sequencerBlockHash: string;
  readonly timestamp: Timestamp;
}

export interface HeaderRow {
  readonly hash: Hash;
  readonly header: Header;
  /** Bytes of the whole block. */
  readonly size: number;
  readonly transactions: number;
  readonly origin: BlockOrigin;
}

export function encodeHeaderRow({ hash, header, size, transactions, origin }: HeaderRow): Uint8Array {
  return encodeRlp([
    hash,
    BigInt(size),
    BigInt(transactions),
    `0x${origin.sequencerBlockHash}`,
    origin.timestamp.seconds,
    BigInt(origin.timestamp.nanos),
    headerItems(header),
  ]);
}

export function decodeHeaderRow(bytes: Uint8Array): HeaderRow {
  const [hash, size, transactions, sequencer, seconds, nanos, header] = listOf(decodeRlp(bytes), 7);
  return {
    hash: hexOf(stringOf(hash, 32)),
    size: numberIn(size),
    transactions: numberIn(transactions),
    origin: {
      sequencerBlockHash: hexOf(stringOf(sequencer)).slice(2),
      timestamp: { seconds: uintOf(seconds, 8), nanos: numberIn(nanos) },
    },
    header: headerFromItems(listOf(header)),
  };
}

export interface BodyRow {
  readonly transactions: readonly IncludedTransaction[];
  readonly withdrawals: readonly Withdrawal[];
  readonly uncles?: readonly Header[];
}

export function encodeBody({ transactions, withdrawals, uncles }: BodyRow): Uint8Array {
  return encodeRlp([
    transactions.map(({ hash, from, raw }) => [hash, from, raw]),
    withdrawals.map(withdrawalItems),
    ...(uncles === undefined ? [] : [uncles.map(headerItems)]),
  ]);
}

export function decodeBody(bytes: Uint8Array): BodyRow {
  const [transactions, withdrawals, uncles] = listOf(decodeRlp(bytes));
  return {
    ...(uncles === undefined ? {} : { uncles: listOf(uncles).map((uncle) => headerFromItems(listOf(uncle))) }),
    transactions: listOf(transactions).map((item) => {
      const [hash, from, raw] = listOf(item, 3);
      return { hash: hexOf(stringOf(hash, 32)), from: hexOf(stringOf(from, 20)), raw: stringOf(raw) };
    }),
    withdrawals: listOf(withdrawals).map(withdrawalOf),
  };
}

export function encodeReceipts(receipts: readonly StoredReceipt[]): Uint8Array {
  return encodeRlp(
    receipts.map((receipt) => [
      BigInt(receipt.type),
      BigInt(receipt.status),
      receipt.gasUsed,
      receipt.cumulativeGasUsed,
      receipt.effectiveGasPrice,
      receipt.contractAddress ?? '0x',
      receipt.logs.map(logItems),
      ...(receipt.stateRoot === undefined ? [] : [receipt.stateRoot]),
    ]),
  );
}

export function decodeReceipts(bytes: Uint8Array): readonly StoredReceipt[] {
  return listOf(decodeRlp(bytes)).map((item) => {
    const fields = listOf(item);
    const [type, status, gasUsed, cumulativeGasUsed, effectiveGasPrice, contract, logs, root] = fields;
    const contractAddress = stringOf(contract);
    return {
      type: numberIn(type),
      status: numberIn(status) === 1 ? 1 : 0,
      gasUsed: uintOf(gasUsed, 8),
      cumulativeGasUsed: uintOf(cumulativeGasUsed, 8),
      effectiveGasPrice: uintOf(effectiveGasPrice, 32),
      contractAddress: contractAddress.length === 0 ? undefined : hexOf(contractAddress),
      logs: listOf(logs).map(logOf),
      ...(fields.length === 8 ? { stateRoot: hexOf(stringOf(root, 32)) } : {}),
    };
  });
}

const KINDS = ['transaction', 'deposit', 'unknown'] as const;

export function encodeRefused(refused: readonly RefusedEntry[]): Uint8Array {
  return encodeRlp(
    refused.map(({ entry, kind, hash, from, code, reason }) => [
      BigInt(entry),
      BigInt(KINDS.indexOf(kind)),
      hash,
      from ?? '0x',
      Buffer.from(code),
      Buffer.from(reason),
    ]),
  );
}

export function decodeRefused(bytes: Uint8Array): readonly RefusedEntry[] {
  return listOf(decodeRlp(bytes)).map((item) => {
    const [entry, kind, hash, from, code, reason] = listOf(item, 6);
    const sender = stringOf(from);
    return {
      entry: numberIn(entry),
      kind: KINDS[numberIn(kind)] ?? 'unknown',
      hash: hexOf(stringOf(hash, 32)),
      from: sender.length === 0 ? undefined : hexOf(sender),
      code: Buffer.from(stringOf(code)).toString(),
      reason: Buffer.from(stringOf(reason)).toString(),
    };
  });
}

/** 8 bytes, big-endian: sorts as the numbers do. */
export function numberKey(number: bigint): Uint8Array {
  const key = new Uint8Array(8);
  putUint64(key, 0, number);
  return key;
}

export function numberFromKey(key: Uint8Array, at = 0): bigint {
  return new DataView(key.buffer, key.byteOffset + at, 8).getBigUint64(0);
}

/** A block and a position in it: 8 and 4 bytes, big-endian. */
export function encodePlace(block: bigint, index: number): Uint8Array {
  const place = new Uint8Array(12);
  putUint64(place, 0, block);
  putUint32(place, 8, index);
  return place;
}

export function decodePlace(bytes: Uint8Array): { readonly block: bigint; readonly index: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 12);
  return { block: view.getBigUint64(0), index: view.getUint32(8) };
}

export const hashKey: (hash: Hash) => Uint8Array = bytesOf;

function numberIn(tree: RlpTree | undefined): number {
  return Number(uintOf(tree, 6));
}
