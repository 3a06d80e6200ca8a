import type { MachineOptions, Watch } from '../interpreter/interface.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT } from '../state/account.ts';
import type { AccountState, StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';

/** Machine on which the messages of one block run, one after another. */
export interface Machine extends Omit<MachineOptions, 'hooks'> {
  readonly watch?: Watch | undefined;
}

export const EMPTY_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_ROOT,
};

export function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && account.codeHash !== EMPTY_ACCOUNT.codeHash;
}
