import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import type { MachineOptions, Watch } from '@switchyard/evm-machine/interface';
import type { StateReader } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';

/** Machine on which the messages of one block run, one after another. */
export interface Machine extends Omit<MachineOptions, 'hooks'> {
  readonly watch?: Watch | undefined;
}

export function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && account.codeHash !== EMPTY_CODE_HASH;
}
