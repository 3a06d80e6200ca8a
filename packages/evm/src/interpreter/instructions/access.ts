import type { Frame } from '../frame.ts';
import type { Account } from '../journal.ts';
import { addressAt } from '../words.ts';

const WARM_GAS = 100;

/** The account that the lower 20 bytes of a word on the stack name. Reads state: comes before anything is paid. */
export function accountAt({ context, stack }: Frame, at: number): Account {
  return context.journal.account(addressAt(stack, at));
}

/** Gas for looking at an account; 0 before EIP-2929. Warms it. */
export function accessGas({ context: { rules, journal } }: Frame, account: Account): number {
  if (!rules.hasAccessLists) return 0;
  return journal.warm(account) ? rules.gas.coldAccount : WARM_GAS;
}

/** Gas of SELFDESTRUCT, for which only a cold account costs something. */
export function coldGas({ context: { rules, journal } }: Frame, account: Account): number {
  return rules.hasAccessLists && journal.warm(account) ? rules.gas.coldAccount : 0;
}
