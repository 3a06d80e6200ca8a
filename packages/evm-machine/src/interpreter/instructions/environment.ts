import { ADDRESS, CALLER, type Frame, VALUE } from '../frame.ts';
import { RETURN_DATA_BOUNDS, RUNNING } from '../halt.ts';
import { isEmpty } from '../journal.ts';
import { numberAt, PARTS, setBig, setBytes, setHex, setNumber, setSmall } from '../words.ts';
import { accessGas, accountAt } from './access.ts';
import { copyToMemory } from './memory.ts';
import { pushNumber, pushWord } from './stack.ts';

export function address(frame: Frame): void {
  pushWord(frame, frame.own, ADDRESS);
}

export function caller(frame: Frame): void {
  pushWord(frame, frame.own, CALLER);
}

export function callvalue(frame: Frame): void {
  pushWord(frame, frame.own, VALUE);
}

/** Pushes a value that is the same for a whole transaction. @param place In `Context.constants`. */
export function constant(place: number) {
  return (frame: Frame): void => pushWord(frame, frame.context.constants, place);
}

export function balance(frame: Frame): void {
  const at = frame.top - PARTS;
  const account = accountAt(frame, at);
  if (frame.charge(accessGas(frame, account))) setBig(frame.stack, at, account.balance);
}

export function selfbalance(frame: Frame): void {
  setBig(frame.stack, frame.top, frame.account.balance);
  frame.top += PARTS;
}

export function calldataload(frame: Frame): void {
  const { stack, input } = frame;
  const at = frame.top - PARTS;
  const offset = numberAt(stack, at);
  if (offset + 32 <= input.length) {
    setBytes(stack, at, input, offset);
    return;
  }
  if (offset >= input.length) {
    setSmall(stack, at, 0);
    return;
  }
  const padded = new Uint8Array(32);
  padded.set(input.subarray(offset));
  setBytes(stack, at, padded, 0);
}

export function calldatasize(frame: Frame): void {
  pushNumber(frame, frame.input.length);
}

export function calldatacopy(frame: Frame): void {
  copyToMemory(frame, frame.input);
}

export function codesize(frame: Frame): void {
  pushNumber(frame, frame.code.length);
}

export function codecopy(frame: Frame): void {
  copyToMemory(frame, frame.code.content);
}

export function extcodesize(frame: Frame): void {
  const at = frame.top - PARTS;
  const account = accountAt(frame, at);
  const { length } = frame.context.journal.code(account);
  if (frame.charge(accessGas(frame, account))) setNumber(frame.stack, at, length);
}

export function extcodecopy(frame: Frame): void {
  const account = accountAt(frame, frame.top - PARTS);
  const code = frame.context.journal.code(account);
  if (!frame.charge(accessGas(frame, account, Number.POSITIVE_INFINITY))) return;
  frame.top -= PARTS;
  copyToMemory(frame, code.content);
  // Memory and copying have to be paid for before it is looked at.
  if (frame.halt === RUNNING) account.isAccessed = true;
}

export function extcodehash(frame: Frame): void {
  const at = frame.top - PARTS;
  const account = accountAt(frame, at);
  if (!frame.charge(accessGas(frame, account))) return;
  if (isEmpty(account)) setSmall(frame.stack, at, 0);
  else setHex(frame.stack, at, account.codeHash);
}

export function returndatasize(frame: Frame): void {
  pushNumber(frame, frame.returned.length);
}

export function returndatacopy(frame: Frame): void {
  const { stack, top, returned } = frame;
  const end = numberAt(stack, top - 2 * PARTS) + numberAt(stack, top - 3 * PARTS);
  // EIP-211: nothing is filled up with zeros here.
  if (end > returned.length) frame.halt = RETURN_DATA_BOUNDS;
  else copyToMemory(frame, returned);
}

const HASHES = 256;

export function blockhash(frame: Frame): void {
  const { stack, context } = frame;
  const at = frame.top - PARTS;
  const number = numberAt(stack, at);
  const isKnown = number < context.blockNumber && number >= context.blockNumber - HASHES;
  const hash = isKnown ? context.blockHash(BigInt(number)) : undefined;
  if (hash === undefined) setSmall(stack, at, 0);
  else setHex(stack, at, hash);
}

/** EIP-4844. */
export function blobhash(frame: Frame): void {
  const { stack, context } = frame;
  const at = frame.top - PARTS;
  const hash = context.blobHashes[numberAt(stack, at)];
  if (hash === undefined) setSmall(stack, at, 0);
  else setHex(stack, at, hash);
}
