import { type Code, findDelegate } from '../code.ts';
import { type Frame, VALUE } from '../frame.ts';
import { CALLING } from '../halt.ts';
import type { FrameKind } from '../hooks.ts';
import { type Account, isEmpty } from '../journal.ts';
import { bigAt, isZeroAt, numberAt, PARTS } from '../words.ts';
import { accessGas, accountAt } from './access.ts';

/** Gas that code that gets value may spend in any case. */
const STIPEND = 2_300;

export function call(frame: Frame): void {
  const hasValue = !isZeroAt(frame.stack, frame.top - 3 * PARTS);
  if (hasValue && !frame.mayWrite()) return;
  ask(frame, 'CALL', hasValue);
}

export function callcode(frame: Frame): void {
  ask(frame, 'CALLCODE', !isZeroAt(frame.stack, frame.top - 3 * PARTS));
}

export function delegatecall(frame: Frame): void {
  ask(frame, 'DELEGATECALL', false);
}

export function staticcall(frame: Frame): void {
  ask(frame, 'STATICCALL', false);
}

/** Asks for a call: all is paid for, and its parts are in the frame. State is read before anything is paid. */
function ask(frame: Frame, kind: FrameKind, hasValue: boolean): void {
  const { stack, top } = frame;
  const target = accountAt(frame, top - 2 * PARTS);
  const loaded = loadCode(frame, target);
  // Two of them have a value among their operands.
  const rest = kind === 'CALL' || kind === 'CALLCODE' ? top - 3 * PARTS : top - 2 * PARTS;
  const inputAt = numberAt(stack, rest - PARTS);
  const inputLength = numberAt(stack, rest - 2 * PARTS);
  const outputAt = numberAt(stack, rest - 3 * PARTS);
  const outputLength = numberAt(stack, rest - 4 * PARTS);
  if (!frame.reach(inputAt, inputLength) || !frame.reach(outputAt, outputLength)) return;

  const { rules } = frame.context;
  let extra = hasValue ? rules.gas.value : 0;
  extra += accessGas(frame, target, extra);
  if (loaded.delegate !== undefined) extra += accessGas(frame, loaded.delegate, extra);
  const bringsAccount = kind === 'CALL' && isNew(frame, target, hasValue);
  if (bringsAccount) extra += rules.gas.newAccount;
  if (!frame.charge(extra)) return;
  const stateGas = bringsAccount ? rules.stateGas.account : 0;
  if (stateGas > 0 && !frame.chargeState(stateGas)) return;
  const given = gasFor(frame, numberAt(stack, top - PARTS));
  if (!frame.charge(given)) return;

  frame.top = rest - 4 * PARTS;
  const isOwn = kind === 'CALLCODE' || kind === 'DELEGATECALL';
  frame.request = {
    kind,
    account: isOwn ? frame.account : target,
    target,
    code: loaded.code,
    value: hasValue ? bigAt(stack, top - 3 * PARTS) : kind === 'DELEGATECALL' ? bigAt(frame.own, VALUE) : 0n,
    input: frame.view(inputAt, inputLength),
    gas: hasValue ? given + STIPEND : given,
    stateGas,
    isStatic: frame.isStatic || kind === 'STATICCALL',
    outputAt,
    outputLength,
  };
  frame.halt = CALLING;
}

interface Loaded {
  readonly code: Code;
  /** EIP-7702: whose code it is, if not the target's own. */
  readonly delegate: Account | undefined;
}

function loadCode({ context: { journal, rules } }: Frame, target: Account): Loaded {
  const code = journal.code(target);
  const address = rules.hasDelegation ? findDelegate(code) : undefined;
  if (address === undefined) return { code, delegate: undefined };
  const delegate = journal.account(address);
  return { code: journal.code(delegate), delegate };
}

/** Whether value brings an account into being; before EIP-161 a call without any does, too. */
function isNew({ context: { rules } }: Frame, target: Account, hasValue: boolean): boolean {
  return rules.removesEmpty ? hasValue && isEmpty(target) : !target.exists;
}

function gasFor({ gas, context: { rules } }: Frame, wanted: number): number {
  return rules.keepsSixtyFourth ? Math.min(wanted, gas - Math.floor(gas / 64)) : wanted;
}
