import { bytesToHex, encodeRlp, hexToBytes, keccak256 } from '@switchyard/protocol/ethereum';
import { MAX_BALANCE } from '../../state/account.ts';
import type { Address } from '../../types.ts';
import { Code } from '../code.ts';
import type { Frame } from '../frame.ts';
import { BALANCE_OVERFLOW, CALLING, INIT_CODE_TOO_LARGE, STOPPED } from '../halt.ts';
import { isEmpty } from '../journal.ts';
import { MAX_DEPTH, MAX_NONCE } from '../limits.ts';
import { bigAt, numberAt, PARTS, putBytes } from '../words.ts';
import { accountAt, coldGas } from './access.ts';
import { logTransfer } from './logs.ts';
import { wordsIn } from './memory.ts';

const KECCAK_WORD_GAS = 6;
/** EIP-3860. */
const INIT_CODE_WORD_GAS = 2;

export function create(frame: Frame): void {
  ask(frame, false);
}

/** EIP-1014. */
export function create2(frame: Frame): void {
  ask(frame, true);
}

function ask(frame: Frame, isSalted: boolean): void {
  if (!frame.mayWrite()) return;
  const { stack, top, context } = frame;
  const { journal, rules } = context;
  const offset = numberAt(stack, top - 2 * PARTS);
  const length = numberAt(stack, top - 3 * PARTS);
  if (!frame.reach(offset, length)) return;
  if (length > rules.maxInitCodeBytes) {
    frame.halt = INIT_CODE_TOO_LARGE;
    return;
  }
  const wordGas = (rules.metersInitCode ? INIT_CODE_WORD_GAS : 0) + (isSalted ? KECCAK_WORD_GAS : 0);
  const paid = wordGas * wordsIn(length);
  const input = frame.view(offset, length);
  const { address: creator, nonce } = frame.account;
  const account = journal.account(
    isSalted && paid <= frame.gas
      ? saltedAddress(creator, stack, top - 4 * PARTS, input)
      : createdAddress(creator, nonce),
  );
  if (!frame.charge(paid)) return;
  const value = bigAt(stack, top - PARTS);
  // A creation that cannot begin brings no account into being either.
  const isLookedAt = rules.hasStateGas && !hasObstacle(frame, value);
  if (isLookedAt) account.isAccessed = true;
  const stateGas = isLookedAt && isEmpty(account) ? rules.stateGas.account : 0;
  if (stateGas > 0 && !frame.chargeState(stateGas)) return;
  const gas = rules.keepsSixtyFourth ? frame.gas - Math.floor(frame.gas / 64) : frame.gas;
  frame.charge(gas);
  frame.top = top - (isSalted ? 4 : 3) * PARTS;
  frame.request = {
    kind: isSalted ? 'CREATE2' : 'CREATE',
    account,
    target: account,
    code: new Code(input),
    value,
    input,
    gas,
    stateGas,
    isStatic: false,
    outputAt: 0,
    outputLength: 0,
  };
  frame.halt = CALLING;
}

function hasObstacle({ account: { balance, nonce }, depth }: Frame, value: bigint): boolean {
  return depth === MAX_DEPTH || value > balance || nonce >= MAX_NONCE;
}

/** Yellow Paper, 7. */
export function createdAddress(creator: Address, nonce: bigint): Address {
  return bytesToHex(keccak256(encodeRlp([creator, nonce])).subarray(12));
}

function saltedAddress(creator: Address, words: Uint32Array, saltAt: number, initCode: Uint8Array): Address {
  const bytes = new Uint8Array(85);
  bytes[0] = 0xff;
  bytes.set(hexToBytes(creator), 1);
  putBytes(words, saltAt, bytes, 21);
  bytes.set(keccak256(initCode), 53);
  return bytesToHex(keccak256(bytes).subarray(12));
}

export function selfdestruct(frame: Frame): void {
  if (!frame.mayWrite()) return;
  const { context, account, depth } = frame;
  const { journal, rules, hooks } = context;
  const beneficiary = accountAt(frame, frame.top - PARTS);
  const { balance } = account;
  let gas = coldGas(frame, beneficiary);
  const isNew = rules.removesEmpty ? balance > 0n && isEmpty(beneficiary) : !beneficiary.exists;
  if (rules.keepsSixtyFourth && isNew) gas += rules.gas.newBeneficiary;
  if (!frame.charge(gas) || !frame.chargeState(isNew ? rules.stateGas.account : 0)) return;
  if (beneficiary !== account && beneficiary.balance + balance > MAX_BALANCE) {
    frame.halt = BALANCE_OVERFLOW;
    return;
  }
  frame.top -= PARTS;
  if (rules.logsTransfers) logTransfer(context, account, beneficiary, balance);
  hooks?.selfdestruct?.(account.address, beneficiary.address, balance, depth);
  if (!account.isDestroyed) journal.refund += rules.refunds.selfdestruct;
  // With itself as beneficiary, the balance stays unless the contract goes.
  if (beneficiary === account) journal.touch(account);
  else {
    journal.setBalance(account, 0n);
    journal.setBalance(beneficiary, beneficiary.balance + balance);
  }
  if (!rules.destroysNewOnly || account.isCreated) {
    if (!rules.keepsBalance) journal.setBalance(account, 0n);
    journal.destroy(account);
  }
  frame.halt = STOPPED;
}
