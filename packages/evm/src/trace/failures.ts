import { EVMError, type ExecResult } from '@ethereumjs/evm';
import { OPCODE } from './opcodes.ts';

const { errorMessages } = EVMError;

/** What is known of a frame that failed. */
type Failed = Pick<ExecResult, 'exceptionError' | 'runState'>;

export const TOO_DEEP = 'max call depth exceeded';
export const NO_BALANCE = 'insufficient balance for transfer';
export const NONCE_OVERFLOW = 'nonce uint64 overflow';
const CODE_STORE_OUT_OF_GAS = 'contract creation code storage out of gas';

/** Texts of geth by those of the interpreter; what is missing is the same in both. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  [errorMessages.REVERT, 'execution reverted'],
  [errorMessages.STATIC_STATE_CHANGE, 'write protection'],
  [errorMessages.CREATE_COLLISION, 'contract address collision'],
  [errorMessages.CODESTORE_OUT_OF_GAS, CODE_STORE_OUT_OF_GAS],
  [errorMessages.CODESIZE_EXCEEDS_MAXIMUM, 'max code size exceeded'],
  [errorMessages.INITCODE_SIZE_VIOLATION, 'max initcode size exceeded'],
  [errorMessages.INVALID_BYTECODE_RESULT, 'invalid code: must not begin with 0xef'],
  [errorMessages.INSUFFICIENT_BALANCE, NO_BALANCE],
  [errorMessages.OUT_OF_RANGE, 'return data out of bounds'],
  [errorMessages.STACK_OVERFLOW, 'stack limit reached'],
]);

/** Why a frame failed, in geth's words, on which tools match; undefined where it did not. */
export function failureText({ exceptionError, runState }: Failed, created: boolean): string | undefined {
  if (exceptionError === undefined) return undefined;
  const { error } = exceptionError;
  if (error === errorMessages.OUT_OF_GAS && created && hasReturned(runState)) return CODE_STORE_OUT_OF_GAS;
  if (error === errorMessages.INVALID_OPCODE) return `invalid opcode: ${opcodeName(runState)}`;
  // The interpreter adds where it was.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return 'invalid jump destination';
  return TEXTS.get(error) ?? error;
}

export function isRevert({ exceptionError }: Pick<ExecResult, 'exceptionError'>): boolean {
  return exceptionError?.error === errorMessages.REVERT;
}

export function isOutOfGas({ exceptionError }: Pick<ExecResult, 'exceptionError'>): boolean {
  return exceptionError?.error === errorMessages.OUT_OF_GAS;
}

/** Whether the code of a creation ended well, so that what failed came after it. */
function hasReturned(runState: ExecResult['runState']): boolean {
  // The interpreter lays the result of a frame over its run state; only RETURN and REVERT set this member of it.
  return runState !== undefined && 'returnValue' in runState && runState.returnValue !== undefined;
}

function opcodeName(runState: ExecResult['runState']): string {
  const code = runState?.code[runState.programCounter] ?? OPCODE.invalid;
  return code === OPCODE.invalid ? 'INVALID' : `opcode 0x${code.toString(16)} not defined`;
}
