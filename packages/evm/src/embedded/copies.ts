import { createAddressFromBigInt } from '@ethereumjs/util';

/*
 * Copies into memory that may reach past the end of what they copy: CALLDATACOPY, CODECOPY, EXTCODECOPY. The library
 * fills up with zeros by spreading everything into a JavaScript array, one element for each byte.
 */

interface Memory {
  readonly _store: Uint8Array;
  extend(offset: number, size: number): void;
}

export interface CopyingFrame {
  readonly stack: { pop(): bigint };
  readonly memory: Memory;
  readonly interpreter: { getCallData(): Uint8Array; getCode(): Uint8Array };
  readonly stateManager: { getCode(address: ReturnType<typeof createAddressFromBigInt>): Promise<Uint8Array> };
}

/** By opcode. What they cost, which comes first, bounds place and length; the stack has what they take. */
export const COPIES: ReadonlyMap<number, (frame: CopyingFrame) => void | Promise<void>> = new Map([
  [0x37, (frame: CopyingFrame) => copyRest(frame, () => frame.interpreter.getCallData())],
  [0x39, (frame: CopyingFrame) => copyRest(frame, () => frame.interpreter.getCode())],
  [0x3c, copyOtherCode],
]);

const ADDRESS_BITS = 160;
/** What a contract sees of code of this format, whatever follows (EIP-3540); the library has it in every fork. */
const EOF_PREFIX = Uint8Array.of(0xef, 0);

async function copyOtherCode(frame: CopyingFrame): Promise<void> {
  const address = createAddressFromBigInt(BigInt.asUintN(ADDRESS_BITS, frame.stack.pop()));
  const code = await frame.stateManager.getCode(address);
  const isEof = code[0] === EOF_PREFIX[0] && code[1] === EOF_PREFIX[1];
  copyRest(frame, () => (isEof ? EOF_PREFIX : code));
}

/** Takes place in memory, place in the source and length from the stack. */
function copyRest({ stack, memory }: CopyingFrame, sourceOf: () => Uint8Array): void {
  const [offset, from, length] = [Number(stack.pop()), stack.pop(), Number(stack.pop())];
  if (length === 0) return;
  const source = sourceOf();
  const found = from < BigInt(source.length) ? source.subarray(Number(from), Number(from) + length) : EMPTY;
  memory.extend(offset, length);
  memory._store.set(found, offset);
  memory._store.fill(0, offset + found.length, offset + length);
}

const EMPTY = new Uint8Array();
