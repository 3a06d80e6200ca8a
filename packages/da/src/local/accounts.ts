/** Accounts of the local layer: those of its genesis. They pay fees, which are burnt, and nothing else. */
import { merkleRoot, Reader, Writer } from '@switchyard/protocol';
import type { CelestiaAccount } from '@switchyard/protocol/celestia';

export interface LocalAccount {
  readonly number: bigint;
  readonly sequence: bigint;
  /** In utia. */
  readonly balance: bigint;
}

export type Accounts = ReadonlyMap<CelestiaAccount, LocalAccount>;

/** A payment, as far as accounts see it. */
export interface Spending {
  readonly payer: CelestiaAccount;
  readonly fee: bigint;
}

/** The account after transactions that were checked against it. */
export function spend(account: LocalAccount, { fee }: Spending): LocalAccount {
  return { ...account, sequence: account.sequence + 1n, balance: account.balance - fee };
}

/** 32 bytes over all accounts, in the order of the genesis. */
export function accountsRoot(accounts: Accounts): Uint8Array {
  return merkleRoot(Array.from(accounts, ([id, account]) => encodeAccount(id, account)));
}

const utf8 = new TextEncoder();

function encodeAccount(id: CelestiaAccount, { number, sequence, balance }: LocalAccount): Uint8Array {
  return new Writer()
    .bytesAlways(1, utf8.encode(id))
    .uint64(2, number)
    .uint64(3, sequence)
    .string(4, String(balance))
    .finish();
}

/** Encodes all accounts for storage, since they are few. */
export function encodeAccounts(accounts: Accounts): Uint8Array {
  const writer = new Writer(96 * accounts.size + 16);
  for (const [id, account] of accounts) writer.bytesAlways(1, encodeAccount(id, account));
  return writer.finish();
}

export function decodeAccounts(bytes: Uint8Array): Accounts {
  const accounts = new Map<CelestiaAccount, LocalAccount>();
  const reader = new Reader(bytes, 'accounts');
  while (reader.next()) {
    const entry = reader.message('account');
    let [id, balance] = ['', '0'];
    let [number, sequence] = [0n, 0n];
    while (entry.next()) {
      if (entry.field === 1) id = entry.string();
      else if (entry.field === 2) number = entry.uint64();
      else if (entry.field === 3) sequence = entry.uint64();
      else balance = entry.string();
    }
    // Written by this file, and sealed in the store.
    accounts.set(id as CelestiaAccount, { number, sequence, balance: BigInt(balance) });
  }
  return accounts;
}
