import type { Hash } from '../../types.ts';
import type { Frame } from '../frame.ts';
import { hashAt, numberAt, PARTS } from '../words.ts';

const BYTE_GAS = 8;

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
