import { type AccountId, type AssetId, Rejected, U128_MAX } from '@switchyard/protocol';
import { accountId, assetId, pair } from './keys.ts';
import type { StateReader, StateWriter } from './store/state.ts';
import { table } from './table.ts';
import { u32, u128 } from './values.ts';

/** The next valid nonce of an account: how many of its transactions have used one up. */
export const nonces = table({ prefix: 'accounts/nonce/', key: accountId, value: u32, absent: 0 });

/** Amount of an asset that an account holds, in its smallest unit, up to 2^128 - 1. See the example of {@link credit}. */
export const balances = table({
  prefix: 'accounts/balance/',
  key: pair(accountId, assetId),
  value: u128,
  absent: 0n,
});

/**
 * Moves `amount` of `asset` between two accounts, which may be the same. See the example of {@link credit}.
 *
 * @throws {Rejected} `insufficient-balance` or `overflow`, before anything is written.
 */
export function transfer(state: StateWriter, from: AccountId, to: AccountId, asset: AssetId, amount: bigint): void {
  const left = afterDebit(state, from, asset, amount);
  if (from === to) return;
  const raised = afterCredit(state, to, asset, amount);
  balances.put(state, [from, asset], left);
  balances.put(state, [to, asset], raised);
}

/**
 * Adds to the balance of an account. @throws {Rejected} `overflow` above 2^128 - 1, before anything is written.
 * @example
 * ```ts
 * transfer(state, context.signer, account, nria, 1_000n);
 * debit(state, context.signer, nria, 10n);
 * credit(state, account, nria, 10n);
 * const held = balances.get(state, [account, nria]);
 * ```
 */
export function credit(state: StateWriter, account: AccountId, asset: AssetId, amount: bigint): void {
  balances.put(state, [account, asset], afterCredit(state, account, asset, amount));
}

/** Takes from a balance. See the example of {@link credit}. @throws {Rejected} `insufficient-balance`, before anything is written. */
export function debit(state: StateWriter, account: AccountId, asset: AssetId, amount: bigint): void {
  balances.put(state, [account, asset], afterDebit(state, account, asset, amount));
}

function afterCredit(state: StateReader, account: AccountId, asset: AssetId, amount: bigint): bigint {
  const held = balances.get(state, [account, asset]);
  const raised = held + unsigned(amount);
  if (raised > U128_MAX) throw new Rejected('overflow', { account, asset, held, amount });
  return raised;
}

function afterDebit(state: StateReader, account: AccountId, asset: AssetId, amount: bigint): bigint {
  const held = balances.get(state, [account, asset]);
  if (held < unsigned(amount)) throw new Rejected('insufficient-balance', { account, asset, held, amount });
  return held - amount;
}

/** Amounts come from u128 fields. A negative one would turn a debit into a credit, so it is a bug and halts. */
function unsigned(amount: bigint): bigint {
  if (amount < 0n) throw new RangeError(`negative amount: ${amount}`);
  return amount;
}
