import type { MachineOptions, Watch } from '../interpreter/interface.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateReader } from '../state/state.ts';
import type { Address } from '../types.ts';

/** Machine on which the messages of one block run, one after another. */
export interface Machine extends Omit<MachineOptions, 'hooks'> {
  readonly watch?: Watch | undefined;
}

export function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && account.codeHash !== EMPTY_CODE_HASH;
}
