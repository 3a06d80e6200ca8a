import {
  decodeRlp,
  encodeRlp,
  hexOf,
  InvalidRlp,
  keccakHex,
  listOf,
  type RlpInput,
  type RlpTree,
  stringOf,
  uintOf,
} from '@switchyard/protocol/ethereum';
import type { Hash, Header } from '../types.ts';

/** Keccak-256 of the RLP of nothing in a list: a block without uncles. */
export const EMPTY_UNCLES: Hash = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';

export function hashHeader(header: Header): Hash {
  return keccakHex(encodeHeader(header));
}

export function encodeHeader(header: Header): Uint8Array {
  return encodeRlp(headerItems(header));
}

/** The fields in their order. Those of later forks are at the end, each only with all before it. */
export function headerItems(header: Header): RlpInput[] {
  const items: RlpInput[] = [
    header.parentHash,
    header.uncleHash,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    header.difficulty,
    header.number,
    header.gasLimit,
    header.gasUsed,
    header.timestamp,
    header.extraData,
    header.mixHash,
    header.nonce,
  ];
  const later = [
    header.baseFeePerGas,
    header.withdrawalsRoot,
    header.blobGasUsed,
    header.excessBlobGas,
    header.parentBeaconBlockRoot,
    header.requestsHash,
    header.blockAccessListHash,
    header.slotNumber,
  ];
  for (const value of later) {
    if (value === undefined) break;
    items.push(value);
  }
  return items;
}

/** @throws {InvalidRlp} */
export function decodeHeader(bytes: Uint8Array): Header {
  return headerFromItems(listOf(decodeRlp(bytes)));
}

/** @throws {InvalidRlp} */
export function headerFromItems(items: readonly RlpTree[]): Header {
  if (items.length < 15 || items.length > 23)
    throw new InvalidRlp(`a header has ${items.length} fields, expected 15 to 23`);
  const hash = (at: number) => hexOf(stringOf(items[at], 32));
  const uint = (at: number) => uintOf(items[at], 32);
  const hashIf = (at: number) => (at < items.length ? hash(at) : undefined);
  const uintIf = (at: number) => (at < items.length ? uint(at) : undefined);
  return {
    parentHash: hash(0),
    uncleHash: hash(1),
    coinbase: hexOf(stringOf(items[2], 20)),
    stateRoot: hash(3),
    transactionsRoot: hash(4),
    receiptsRoot: hash(5),
    logsBloom: hexOf(stringOf(items[6], 256)),
    difficulty: uint(7),
    number: uint(8),
    gasLimit: uint(9),
    gasUsed: uint(10),
    timestamp: uint(11),
    extraData: hexOf(stringOf(items[12])),
    mixHash: hash(13),
    nonce: hexOf(stringOf(items[14], 8)),
    baseFeePerGas: uintIf(15),
    withdrawalsRoot: hashIf(16),
    blobGasUsed: uintIf(17),
    excessBlobGas: uintIf(18),
    parentBeaconBlockRoot: hashIf(19),
    requestsHash: hashIf(20),
    blockAccessListHash: hashIf(21),
    slotNumber: uintIf(22),
  };
}
