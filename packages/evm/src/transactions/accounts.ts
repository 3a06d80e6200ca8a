import type { AccessRecorder } from '@switchyard/evm-machine/access-lists/recorder';
import { EMPTY_CODE_HASH, EMPTY_ROOT, raised } from '@switchyard/evm-machine/account';
import type { AccountState, StateReader, StateWriter } from '@switchyard/evm-machine/state';
import type { Address } from '@switchyard/evm-machine/types';

/** An account before anything happened to it. */
export const NEW_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_ROOT,
};

/** Adds wei, as far as the account can hold it. An account that is empty and gets nothing is removed when it is touched (EIP-161). */
export function credit(state: StateWriter, address: Address, wei: bigint, recorder?: AccessRecorder): void {
  const account = state.account(address);
  if (wei > 0n) {
    const { balance } = account ?? NEW_ACCOUNT;
    state.putAccount(address, { ...(account ?? NEW_ACCOUNT), balance: raised(balance, wei) });
  } else if (account !== undefined && isEmpty(account)) state.putAccount(address, undefined);
  recorder?.account(address, account, state.account(address), (hash) => state.code(hash));
}

export function hasCode(state: StateReader, address: Address): boolean {
  const account = state.account(address);
  return account !== undefined && account.codeHash !== EMPTY_CODE_HASH;
}

export function isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
  return nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH;
}
