/** Accounts of the local layer: those of its genesis. They pay fees, which are burnt, and nothing else. */
import { merkleRoot, stored, storedRecord } from '@switchyard/protocol';
import type { CelestiaAccount } from '@switchyard/protocol/celestia';

export interface LocalAccount {
  readonly number: bigint;
  readonly sequence: bigint;
  /** In utia. */
  readonly balance: bigint;
}

export type Accounts = ReadonlyMap<CelestiaAccount, LocalAccount>;

/** The account after a transaction that was checked against it. */
export function spend(account: LocalAccount, fee: bigint): LocalAccount {
  return { ...account, sequence: account.sequence + 1n, balance: account.balance - fee };
}

/** 32 bytes over all accounts, in the order of the genesis. */
export function accountsRoot(accounts: Accounts): Uint8Array {
  return merkleRoot(Array.from(accounts, ([id, account]) => row.encode({ id, ...account })));
}

const { u64, text } = stored;
const row = storedRecord('account', {
  // Written by this file, and sealed in the store.
  id: [1, stored.mapped(text, (id) => id as CelestiaAccount, String)],
  number: [2, u64],
  sequence: [3, u64],
  balance: [4, stored.mapped(text, BigInt, String)],
});
const table = storedRecord('accounts', { accounts: [1, stored.list(row)] });

/** Encodes all accounts for storage, since they are few. */
export function encodeAccounts(accounts: Accounts): Uint8Array {
  return table.encode({ accounts: Array.from(accounts, ([id, account]) => ({ id, ...account })) });
}

export function decodeAccounts(bytes: Uint8Array): Accounts {
  return new Map(table.decode(bytes).accounts.map(({ id, ...account }) => [id, account]));
}
