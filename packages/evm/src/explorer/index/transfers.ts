import type { Address, Hash, Log } from '@switchyard/evm-machine/types';
import { SYSTEM_ADDRESS } from '@switchyard/evm-machine/values';
import { bytesToBigInt } from '@switchyard/protocol/ethereum';

/** One movement of a token, as its contract's event reports it. */
export interface TokenTransfer {
  readonly standard: 'erc20' | 'erc721' | 'erc1155';
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  /** Undefined for ERC-20. */
  readonly id: bigint | undefined;
  /** 1 for ERC-721. */
  readonly amount: bigint;
}

/** Keccak-256 of `Transfer(address,address,uint256)`: ERC-20 and ERC-721. */
const TRANSFER: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** `TransferSingle(address,address,address,uint256,uint256)` of ERC-1155. */
const SINGLE: Hash = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62';
/** `TransferBatch(address,address,address,uint256[],uint256[])` of ERC-1155. */
const BATCH: Hash = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb';

/** A batch with more is cut: each costs two rows, and nothing bounds how many a contract may claim. */
const MAX_IN_BATCH = 256;

const WORD = 32;

/** Transfers that an event reports. Contracts may emit any event: only that it was emitted is certain. */
export function getTransfers({ address: token, topics, data: words }: Log): readonly TokenTransfer[] {
  const [event, first, second, third] = topics;
  // EIP-7708: a log of the protocol is about coins, which the index finds in the calls.
  if (first === undefined || second === undefined || token === SYSTEM_ADDRESS) return [];
  if (event === TRANSFER) {
    const parties = { token, from: toAddress(first), to: toAddress(second) };
    if (third !== undefined) return [{ standard: 'erc721', ...parties, id: BigInt(third), amount: 1n }];
    if (words.length !== WORD) return [];
    return [{ standard: 'erc20', ...parties, id: undefined, amount: wordAt(words, 0) }];
  }
  if (third === undefined) return [];
  // The first topic is the operator.
  const parties = { standard: 'erc1155', token, from: toAddress(second), to: toAddress(third) } as const;
  if (event === SINGLE && words.length === 2 * WORD)
    return [{ ...parties, id: wordAt(words, 0), amount: wordAt(words, 1) }];
  if (event !== BATCH) return [];
  const ids = listAt(words, 0);
  const amounts = listAt(words, 1);
  if (ids === undefined || ids.length !== amounts?.length) return [];
  return ids.map((id, position) => ({ ...parties, id, amount: amounts[position] ?? 0n }));
}

function toAddress(topic: Hash): Address {
  return `0x${topic.slice(-40)}`;
}

function wordAt(words: Uint8Array, position: number): bigint {
  return bytesToBigInt(words, position * WORD, (position + 1) * WORD);
}

/** A list of numbers whose offset is at `position`, as the ABI lays it out; undefined if malformed. */
function listAt(words: Uint8Array, position: number): readonly bigint[] | undefined {
  if (words.length % WORD !== 0 || words.length < (position + 1) * WORD) return undefined;
  const total = BigInt(words.length / WORD);
  const offset = wordAt(words, position);
  if (offset % 32n !== 0n || offset / 32n >= total) return undefined;
  const at = Number(offset / 32n);
  const length = wordAt(words, at);
  if (length > total - BigInt(at) - 1n) return undefined;
  const count = Math.min(Number(length), MAX_IN_BATCH);
  return Array.from({ length: count }, (_, item) => wordAt(words, at + 1 + item));
}
