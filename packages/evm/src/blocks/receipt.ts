import type { Log } from '@switchyard/evm-machine/types';
import { encodeRlp, hexOf, listOf, type RlpInput, type RlpTree, stringOf } from '@switchyard/protocol/ethereum';
import type { StoredReceipt } from '../chain/chain.ts';
import { bloomOf, EMPTY_BLOOM } from './bloom.ts';

/** A receipt as a block commits to it (EIP-658, EIP-2718), and its bloom filter. */
export function encodeReceipt({ type, status, stateRoot, cumulativeGasUsed, logs }: StoredReceipt): {
  readonly bytes: Uint8Array;
  readonly bloom: Uint8Array;
} {
  const bloom = logs.length === 0 ? EMPTY_BLOOM : bloomOf(logs);
  const payload = encodeRlp([stateRoot ?? BigInt(status), cumulativeGasUsed, bloom, logs.map(logItems)]);
  return { bytes: type === 0 ? payload : typed(type, payload), bloom };
}

export function logItems({ address, topics, data }: Log): RlpInput {
  return [address, topics, data];
}

/** @throws {InvalidRlp} */
export function logOf(tree: RlpTree | undefined): Log {
  const [address, topics, data] = listOf(tree, 3);
  return {
    address: hexOf(stringOf(address, 20)),
    topics: listOf(topics).map((topic) => hexOf(stringOf(topic, 32))),
    data: stringOf(data),
  };
}

function typed(type: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + payload.length);
  bytes[0] = type;
  bytes.set(payload, 1);
  return bytes;
}
