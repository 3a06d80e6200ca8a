import type { AccessRecorder } from '../access-lists/recorder.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, raised } from '../state/account.ts';
import type { AccountState, StateWriter } from '../state/state.ts';
import type { Address } from '../types.ts';

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

export function isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
  return nonce === 0n && balance === 0n && codeHash === EMPTY_CODE_HASH;
}
