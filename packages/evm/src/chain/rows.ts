import type { Hash, Header, Withdrawal } from '@switchyard/evm-machine/types';
import type { Timestamp } from '@switchyard/protocol';
import {
  asBytes,
  asList,
  asUint,
  bytesToHex,
  decodeRlp,
  encodeRlp,
  hexToBytes,
  putUint32,
  putUint64,
  type RlpTree,
} from '@switchyard/protocol/ethereum';
import { decodeWithdrawal, withdrawalItems } from '../blocks/block.ts';
import { headerFromItems, headerItems } from '../blocks/header.ts';
import { decodeLog, logItems } from '../blocks/receipt.ts';
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
  const [hash, size, transactions, sequencer, seconds, nanos, header] = asList(decodeRlp(bytes), 7);
  return {
    hash: bytesToHex(asBytes(hash, 32)),
    size: numberIn(size),
    transactions: numberIn(transactions),
    origin: {
      sequencerBlockHash: bytesToHex(asBytes(sequencer)).slice(2),
      timestamp: { seconds: asUint(seconds, 8), nanos: numberIn(nanos) },
    },
    header: headerFromItems(asList(header)),
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
  const [transactions, withdrawals, uncles] = asList(decodeRlp(bytes));
  return {
    ...(uncles === undefined ? {} : { uncles: asList(uncles).map((uncle) => headerFromItems(asList(uncle))) }),
    transactions: asList(transactions).map((item) => {
      const [hash, from, raw] = asList(item, 3);
      return { hash: bytesToHex(asBytes(hash, 32)), from: bytesToHex(asBytes(from, 20)), raw: asBytes(raw) };
    }),
    withdrawals: asList(withdrawals).map(decodeWithdrawal),
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
  return asList(decodeRlp(bytes)).map((item) => {
    const fields = asList(item);
    const [type, status, gasUsed, cumulativeGasUsed, effectiveGasPrice, contract, logs, root] = fields;
    const contractAddress = asBytes(contract);
    return {
      type: numberIn(type),
      status: numberIn(status) === 1 ? 1 : 0,
      gasUsed: asUint(gasUsed, 8),
      cumulativeGasUsed: asUint(cumulativeGasUsed, 8),
      effectiveGasPrice: asUint(effectiveGasPrice, 32),
      contractAddress: contractAddress.length === 0 ? undefined : bytesToHex(contractAddress),
      logs: asList(logs).map(decodeLog),
      ...(fields.length === 8 ? { stateRoot: bytesToHex(asBytes(root, 32)) } : {}),
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
  return asList(decodeRlp(bytes)).map((item) => {
    const [entry, kind, hash, from, code, reason] = asList(item, 6);
    const sender = asBytes(from);
    return {
      entry: numberIn(entry),
      kind: KINDS[numberIn(kind)] ?? 'unknown',
      hash: bytesToHex(asBytes(hash, 32)),
      from: sender.length === 0 ? undefined : bytesToHex(sender),
      code: Buffer.from(asBytes(code)).toString(),
      reason: Buffer.from(asBytes(reason)).toString(),
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

export const hashKey: (hash: Hash) => Uint8Array = hexToBytes;

function numberIn(tree: RlpTree | undefined): number {
  return Number(asUint(tree, 6));
}
