import type { Frame } from '../frame.ts';
import type { Account } from '../journal.ts';
import { addressAt } from '../words.ts';

const WARM_GAS = 100;

/** The account that the lower 20 bytes of a word on the stack name. Reads state: comes before anything is paid. */
export function accountAt({ context, stack }: Frame, at: number): Account {
  return context.journal.account(addressAt(stack, at));
}

/**
 * Gas for looking at an account; 0 before EIP-2929. Warms it. It counts as accessed if all can be paid that has a price
 * before it is looked at (EIP-7928).
 *
 * @param beside Gas to be paid beside.
 */
export function accessGas(frame: Frame, account: Account, beside = 0): number {
  const { rules, journal } = frame.context;
  if (!rules.hasAccessLists) return 0;
  const gas = journal.warm(account) ? rules.gas.coldAccount : WARM_GAS;
  if (gas + beside <= frame.gas) account.isAccessed = true;
  return gas;
}

/** Gas of SELFDESTRUCT, for which only a cold account costs something. */
export function coldGas(frame: Frame, account: Account): number {
  const { rules, journal } = frame.context;
  const gas = rules.hasAccessLists && journal.warm(account) ? rules.gas.coldAccount : 0;
  if (gas <= frame.gas) account.isAccessed = true;
  return gas;
}
