import type { Log } from '@switchyard/evm-machine/types';
import { asBytes, asList, bytesToHex, encodeRlp, type RlpInput, type RlpTree } from '@switchyard/protocol/ethereum';
import type { StoredReceipt } from '../chain/chain.ts';
import { computeBloom, EMPTY_BLOOM } from './bloom.ts';

/** A receipt as a block commits to it (EIP-658, EIP-2718), and its bloom filter. */
export function encodeReceipt({ type, status, stateRoot, cumulativeGasUsed, logs }: StoredReceipt) {
  const bloom = logs.length === 0 ? EMPTY_BLOOM : computeBloom(logs);
  const payload = encodeRlp([stateRoot ?? BigInt(status), cumulativeGasUsed, bloom, logs.map(logItems)]);
  return { bytes: type === 0 ? payload : typed(type, payload), bloom };
}

export function logItems({ address, topics, data }: Log): RlpInput {
  return [address, topics, data];
}

/** @throws {InvalidRlp} */
export function decodeLog(tree: RlpTree | undefined): Log {
  const [address, topics, data] = asList(tree, 3);
  return {
    address: bytesToHex(asBytes(address, 20)),
    topics: asList(topics).map((topic) => bytesToHex(asBytes(topic, 32))),
    data: asBytes(data),
  };
}

function typed(type: number, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + payload.length);
  bytes[0] = type;
  bytes.set(payload, 1);
  return bytes;
}
