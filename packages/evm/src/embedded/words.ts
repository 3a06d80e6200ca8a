import { keccak256 } from '../keccak.ts';

/*
 * Opcodes that put bytes on the stack as a number. The library goes through hex text, or asks for the rules of all
 * forks, for what costs two or three gas.
 */

/** What is used of a frame. */
export interface WordFrame {
  readonly stack: { pop(): bigint; push(value: bigint): void };
  readonly memory: { readonly _store: Uint8Array; extend(offset: number, size: number): void };
  readonly interpreter: {
    readonly _env: {
      readonly address: { readonly bytes: Uint8Array };
      readonly caller: { readonly bytes: Uint8Array };
      readonly origin: { readonly bytes: Uint8Array };
      readonly block: { readonly header: object };
    };
    getCallData(): Uint8Array;
    getBlockCoinbase(): bigint;
    getBlockPrevRandao(): bigint;
    getBlockDifficulty(): bigint;
  };
}

export interface Rules {
  isActivatedEIP(eip: number): boolean;
}

type Handler = (frame: WordFrame, rules: Rules) => void;

const address = ({ stack, interpreter }: WordFrame): void => stack.push(accountAt(interpreter._env.address.bytes));
const origin = ({ stack, interpreter }: WordFrame): void => stack.push(accountAt(interpreter._env.origin.bytes));
const caller = ({ stack, interpreter }: WordFrame): void => stack.push(accountAt(interpreter._env.caller.bytes));

/** By opcode. What they cost, which comes first, bounds places and lengths. */
export const WORDS: ReadonlyMap<number, Handler> = new Map<number, Handler>([
  [0x20, hashMemory],
  [0x30, address],
  [0x32, origin],
  [0x33, caller],
  [0x35, loadCallData],
  [0x41, ofBlock((frame) => frame.interpreter.getBlockCoinbase())],
  [
    0x44,
    ofBlock(({ interpreter }, rules) =>
      rules.isActivatedEIP(4399) ? interpreter.getBlockPrevRandao() : interpreter.getBlockDifficulty(),
    ),
  ],
  [0x51, loadMemory],
]);

const WORD = 32;
const HALF = 64n;

function hashMemory({ stack, memory }: WordFrame): void {
  const [offset, length] = [Number(stack.pop()), Number(stack.pop())];
  memory.extend(offset, length);
  stack.push(length === 0 ? EMPTY_HASH : wordAt(keccak256(memory._store.subarray(offset, offset + length)), 0));
}

function loadCallData({ stack, interpreter }: WordFrame): void {
  const data = interpreter.getCallData();
  const position = stack.pop();
  stack.push(position >= BigInt(data.length) ? 0n : paddedWordAt(data, Number(position)));
}

function loadMemory({ stack, memory }: WordFrame): void {
  const offset = Number(stack.pop());
  memory.extend(offset, WORD);
  stack.push(wordAt(memory._store, offset));
}

/** The same for a block however often it is asked for. */
function ofBlock(read: (frame: WordFrame, rules: Rules) => bigint): Handler {
  const known = new WeakMap<object, bigint>();
  return (frame, rules) => {
    const { header } = frame.interpreter._env.block;
    let value = known.get(header);
    if (value === undefined) {
      value = read(frame, rules);
      known.set(header, value);
    }
    frame.stack.push(value);
  };
}

function wordAt({ buffer, byteOffset }: Uint8Array, at: number): bigint {
  const view = new DataView(buffer, byteOffset + at, WORD);
  const [first, second, third] = [view.getBigUint64(0), view.getBigUint64(8), view.getBigUint64(16)];
  const last = view.getBigUint64(24);
  if (first === 0n && second === 0n && third === 0n) return last;
  return (((((first << HALF) | second) << HALF) | third) << HALF) | last;
}

/** Zeros where the bytes have ended. */
function paddedWordAt(bytes: Uint8Array, at: number): bigint {
  if (at + WORD <= bytes.length) return wordAt(bytes, at);
  const padded = new Uint8Array(WORD);
  padded.set(bytes.subarray(at));
  return wordAt(padded, 0);
}

/** The 20 bytes of an account. */
function accountAt({ buffer, byteOffset }: Uint8Array): bigint {
  const view = new DataView(buffer, byteOffset, 20);
  return (((BigInt(view.getUint32(0)) << HALF) | view.getBigUint64(4)) << HALF) | view.getBigUint64(12);
}

const EMPTY_HASH = wordAt(keccak256(new Uint8Array()), 0);
