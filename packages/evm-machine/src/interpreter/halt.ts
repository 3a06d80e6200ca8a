/*
 * How a frame stands after an instruction. Numbers, because they are looked at after each.
 */

export const RUNNING = 0;
/** It waits for the call that it has asked for. */
export const CALLING = 1;
export const STOPPED = 2;
export const REVERTED = 3;
/** From here on: failures, which take all gas of the frame. */
export const OUT_OF_GAS = 4;
export const STACK_UNDERFLOW = 5;
export const STACK_OVERFLOW = 6;
export const INVALID_OPCODE = 7;
export const INVALID_JUMP = 8;
export const WRITE_PROTECTION = 9;
export const RETURN_DATA_BOUNDS = 10;
export const CODE_STORE_OUT_OF_GAS = 11;
export const CODE_TOO_LARGE = 12;
export const CODE_FORMAT = 13;
export const INIT_CODE_TOO_LARGE = 14;
export const COLLISION = 15;
export const PRECOMPILE_FAILED = 16;
/** From here on: calls that cannot begin; their gas stays with the caller. */
export const TOO_DEEP = 17;
export const NO_BALANCE = 18;
export const NONCE_OVERFLOW = 19;
/** The recipient would have more than an account can hold. */
export const BALANCE_OVERFLOW = 20;

/** In geth's words, on which tools match. */
const TEXTS: readonly (string | undefined)[] = [
  undefined,
  undefined,
  undefined,
  'execution reverted',
  'out of gas',
  'stack underflow',
  'stack limit reached',
  'invalid opcode: INVALID',
  'invalid jump destination',
  'write protection',
  'return data out of bounds',
  'contract creation code storage out of gas',
  'max code size exceeded',
  'invalid code: must not begin with 0xef',
  'max initcode size exceeded',
  'contract address collision',
  'precompiled contract failed',
  'max call depth exceeded',
  'insufficient balance for transfer',
  'nonce uint64 overflow',
  'balance uint256 overflow',
];

const INVALID = 0xfe;

/** Undefined if the frame did not fail. @param opcode The failed one. */
export function haltText(halt: number, opcode: number): string | undefined {
  if (halt === INVALID_OPCODE && opcode !== INVALID) {
    return `invalid opcode: opcode 0x${opcode.toString(16)} not defined`;
  }
  return TEXTS[halt];
}
