import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import type { Address, Hash, Log } from '../../types.ts';
import type { Context } from '../context.ts';
import type { Frame } from '../frame.ts';
import type { Account } from '../journal.ts';
import { SYSTEM_ADDRESS } from '../values.ts';
import { hashAt, numberAt, PARTS } from '../words.ts';

const BYTE_GAS = 8;
/** Keccak-256 of `Transfer(address,address,uint256)`. */
const TRANSFER: Hash = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** EIP-7708: the log that a token would have. */
export function logTransfer({ journal, hooks }: Context, from: Account, to: Account, value: bigint): void {
  if (from === to || value === 0n) return;
  const made = transferLog(from.address, to.address, value);
  journal.logs.push(made);
  hooks?.log?.(made);
}

export function transferLog(from: Address, to: Address, value: bigint): Log {
  return { address: SYSTEM_ADDRESS, topics: [TRANSFER, toTopic(from), toTopic(to)], data: hexToBytes(toWord(value)) };
}

function toTopic(address: Address): Hash {
  return `0x${'0'.repeat(24)}${address.slice(2)}`;
}

/** @param topics At most four. */
export function log(topics: number) {
  return (frame: Frame): void => {
    if (!frame.mayWrite()) return;
    const { stack, top, context } = frame;
    const offset = numberAt(stack, top - PARTS);
    const length = numberAt(stack, top - 2 * PARTS);
    if (!frame.charge(BYTE_GAS * length) || !frame.reach(offset, length)) return;
    const found: Hash[] = [];
    for (let topic = 0; topic < topics; topic++) found.push(hashAt(stack, top - (3 + topic) * PARTS));
    const made = { address: frame.account.address, topics: found, data: frame.view(offset, length).slice() };
    context.journal.logs.push(made);
    context.hooks?.log?.(made);
    frame.top = top - (2 + topics) * PARTS;
  };
}
