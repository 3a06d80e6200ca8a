import type { Frame } from '../frame.ts';
import { OUT_OF_GAS } from '../halt.ts';
import type { Slot } from '../journal.ts';
import { areEqual, copyWord, hashAt, isZeroAt, PARTS } from '../words.ts';

const COLD_SLOT_GAS = 2_100;
const WARM_GAS = 100;
const SET_GAS = 20_000;
const RESET_GAS = 5_000;
/** EIP-2200: the stipend of a plain transfer must not be enough to write. */
const SENTRY_GAS = 2_300;
/** EIP-8038. */
const WRITE_GAS = 10_000;
const CLEAR_REFUND = 11_616;
/** EIP-1283 and EIP-2200: the cost of an SLOAD then. */
const NET_GAS = 200;
const SENTRY_LOAD_GAS = 800;

export function sload(frame: Frame): void {
  const { stack, context } = frame;
  const { journal, rules } = context;
  const at = frame.top - PARTS;
  const slot = journal.slot(frame.account, hashAt(stack, at));
  if (rules.hasAccessLists && !frame.charge(journal.warmSlot(slot) ? COLD_SLOT_GAS : WARM_GAS)) return;
  slot.isAccessed = true;
  copyWord(journal.words, slot.current, stack, at);
}

export function sstore(frame: Frame): void {
  if (!frame.mayWrite()) return;
  const { stack, context } = frame;
  const { journal, rules } = context;
  if (rules.sstore === 'sentry' && frame.gas <= SENTRY_GAS) {
    frame.halt = OUT_OF_GAS;
    return;
  }
  const at = frame.top - 2 * PARTS;
  const slot = journal.slot(frame.account, hashAt(stack, frame.top - PARTS));
  const cold = rules.hasAccessLists && journal.warmSlot(slot) ? COLD_SLOT_GAS : 0;
  if (cold <= frame.gas) slot.isAccessed = true;
  const gas = rules.sstore === 'plain' ? plainGas(frame, slot, at) : netGas(frame, slot, at);
  if (!frame.charge(cold + gas)) return;
  if (!areEqual(journal.words, slot.current, stack, at)) journal.store(slot, stack, at);
  frame.top = at;
}

/** EIP-8037 and EIP-8038. */
export function sstoreWithStateGas(frame: Frame): void {
  if (!frame.mayWrite()) return;
  const { stack, context } = frame;
  const { journal, rules, stateGas } = context;
  if (frame.gas <= SENTRY_GAS) {
    frame.halt = OUT_OF_GAS;
    return;
  }
  const at = frame.top - 2 * PARTS;
  const slot = journal.slot(frame.account, hashAt(stack, frame.top - PARTS));
  // A slot that is read may have moved the words.
  const { words } = journal;
  const access = journal.warmSlot(slot) ? COLD_SLOT_GAS : WARM_GAS;
  if (access <= frame.gas) slot.isAccessed = true;
  frame.top = at;
  if (areEqual(words, slot.current, stack, at)) {
    frame.charge(access);
    return;
  }
  const { original, current } = slot;
  const wasZero = journal.isZero(original);
  if (original === current || areEqual(words, original, words, current)) {
    if (!frame.charge(access + WRITE_GAS)) return;
    if (wasZero && !frame.chargeState(rules.stateGas.slot)) return;
    if (!wasZero && isZeroAt(stack, at)) journal.refund += CLEAR_REFUND;
  } else {
    if (!wasZero) {
      if (journal.isZero(current)) journal.refund -= CLEAR_REFUND;
      else if (isZeroAt(stack, at)) journal.refund += CLEAR_REFUND;
    }
    if (areEqual(words, original, stack, at)) {
      if (wasZero) stateGas.refill(frame, rules.stateGas.slot);
      journal.refund += WRITE_GAS;
    }
    if (!frame.charge(access)) return;
  }
  journal.store(slot, stack, at);
}

/** Yellow Paper, appendix H. Counts refunds: those of a frame that fails are cut. */
function plainGas({ context, stack }: Frame, { current }: Slot, at: number): number {
  const { journal, rules } = context;
  const wasZero = journal.isZero(current);
  const isZero = isZeroAt(stack, at);
  if (!wasZero && isZero) journal.refund += rules.refunds.clear;
  return wasZero && !isZero ? SET_GAS : RESET_GAS;
}

/** EIP-1283, EIP-2200, EIP-2929, EIP-3529: by the slot's value when the transaction began. */
function netGas({ context, stack }: Frame, { original, current }: Slot, at: number): number {
  const { journal, rules } = context;
  const { words } = journal;
  const { clear } = rules.refunds;
  const again = rules.hasAccessLists ? WARM_GAS : rules.sstore === 'net' ? NET_GAS : SENTRY_LOAD_GAS;
  const reset = rules.hasAccessLists ? RESET_GAS - COLD_SLOT_GAS : RESET_GAS;
  if (areEqual(words, current, stack, at)) return again;
  const wasZero = journal.isZero(original);
  const isZero = isZeroAt(stack, at);
  if (original === current || areEqual(words, original, words, current)) {
    if (wasZero) return SET_GAS;
    if (isZero) journal.refund += clear;
    return reset;
  }
  if (!wasZero) {
    if (journal.isZero(current)) journal.refund -= clear;
    else if (isZero) journal.refund += clear;
  }
  if (areEqual(words, original, stack, at)) journal.refund += (wasZero ? SET_GAS : reset) - again;
  return again;
}

/** EIP-1153. */
export function tload(frame: Frame): void {
  const { stack, context } = frame;
  const at = frame.top - PARTS;
  const place = context.journal.transient(frame.account, hashAt(stack, at));
  copyWord(context.journal.words, place, stack, at);
}

export function tstore(frame: Frame): void {
  if (!frame.mayWrite()) return;
  const { stack, context } = frame;
  const at = frame.top - 2 * PARTS;
  context.journal.storeTransient(frame.account, hashAt(stack, frame.top - PARTS), stack, at);
  frame.top = at;
}
