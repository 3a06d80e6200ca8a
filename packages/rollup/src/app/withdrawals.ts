import {
  type ActionContext,
  accountId,
  debit,
  type StateReader,
  type StateWriter,
  struct,
  table,
  text,
  txHash,
  u32,
  u32Key,
  u64,
  u64Key,
  u128,
} from '@switchyard/machine/browser';
import {
  type AccountId,
  type Address,
  type AssetId,
  type Deposit,
  parseDenom,
  Rejected,
  U128_MAX,
} from '@switchyard/protocol';
import type { RollupGenesis, WithdrawalRule } from './genesis.ts';

/** A withdrawal that an action asks for. */
export interface WithdrawalRequest {
  readonly asset: AssetId;
  /** In the asset's smallest unit. */
  readonly amount: bigint;
  /** Account on the sequencer. */
  readonly to: Address;
  /** At most 64 bytes of UTF-8; the sequencer's `BridgeUnlock` carries it. */
  readonly memo: string;
}

/** The sequencer's bound of the memo of a `BridgeUnlock`, in bytes of UTF-8. */
export const MAX_WITHDRAWAL_MEMO_BYTES = 64;

/** Accounts of a bridge: `backing` has been deposited and not withdrawn, `withdrawn` is the sum of all withdrawals. */
const bridgeSheet = struct({ backing: u128, withdrawn: u128, withdrawals: u64 });

/* Part of the state, and so of each state root: only chains whose genesis allows withdrawals have such rows. */

/** Amounts behind the balances of the bridged assets. Without it, coins of the genesis would be paid out of deposits. */
export const bridgeSheets = table({
  prefix: 'bridge/sheet/',
  key: accountId,
  value: bridgeSheet,
  absent: { backing: 0n, withdrawn: 0n, withdrawals: 0n },
});

/** All withdrawals, numbered from 0. */
export const withdrawalRows = table({
  prefix: 'bridge/withdrawal/',
  key: u64Key,
  value: struct({
    block: u64,
    transaction: txHash,
    action: u32,
    sender: accountId,
    bridge: accountId,
    amount: u128,
    to: accountId,
    memo: text,
  }),
});

const counts = table({ prefix: 'bridge/withdrawals/', key: u32Key, value: u64, absent: 0n });

/** How many withdrawals the state has, which is also the number of the next one. */
export const withdrawalCount = (state: StateReader): bigint => counts.get(state, 0);

/** Deposits that were not credited, by bridge account. An index row. */
export const uncreditedSums = table({ prefix: 'index/uncredited/', key: accountId, value: u128, absent: 0n });

/**
 * The checks of a withdrawal that need no state.
 *
 * @throws {Rejected} `malformed`, `too-large` or `action-disabled`.
 */
export function checkWithdrawal(
  genesis: Pick<RollupGenesis, 'withdrawals' | 'bridgeAccounts'>,
  { asset, amount, to, memo }: WithdrawalRequest,
): WithdrawalRule {
  const rule = genesis.withdrawals?.find(({ assetId }) => assetId === asset);
  if (rule === undefined) throw new Rejected('action-disabled', { action: 'withdraw', asset });
  const { prefix } = rule.bridge;
  if (to.prefix !== prefix) {
    throw new Rejected('malformed', { field: 'to', expected: `prefix ${prefix}`, got: `prefix ${to.prefix}` });
  }
  if (genesis.bridgeAccounts.has(to.account)) {
    throw new Rejected('malformed', { field: 'to', expected: 'no bridge account', got: to.account });
  }
  if (amount < rule.minimum) {
    throw new Rejected('malformed', { field: 'amount', expected: `at least ${rule.minimum}`, got: amount });
  }
  const length = new TextEncoder().encode(memo).length;
  if (length > MAX_WITHDRAWAL_MEMO_BYTES) {
    const limit = `${MAX_WITHDRAWAL_MEMO_BYTES} bytes`;
    throw new Rejected('too-large', { field: 'memo', limit, got: `${length} bytes` });
  }
  return rule;
}

/**
 * Takes the amount from the signer for good and records that the bridge account owes it to the destination. The
 * process `withdrawer` pays it, identified by transaction and action.
 *
 * @returns the number of the withdrawal.
 * @throws {Rejected} before anything is written: the errors of `checkWithdrawal`, and `insufficient-balance` if the
 * signer holds less, or less than the amount was deposited and not withdrawn.
 * @example
 * ```ts
 * const to = parseAnyAddress('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm');
 * const number = withdraw(context.genesis, { asset: nria, amount: 1_000n, to, memo: '' }, context);
 * ```
 */
export function withdraw(
  genesis: Pick<RollupGenesis, 'withdrawals' | 'bridgeAccounts'>,
  request: WithdrawalRequest,
  { state, signer, height, tx, index }: Omit<ActionContext<never>, 'emit' | 'time'>,
): bigint {
  const { bridge } = checkWithdrawal(genesis, request);
  const { asset, amount, to, memo } = request;
  const sheet = bridgeSheets.get(state, bridge.account);
  if (sheet.backing < amount) {
    throw new Rejected('insufficient-balance', { bridge: bridge.account, asset, held: sheet.backing, amount });
  }
  const withdrawn = sheet.withdrawn + amount;
  if (withdrawn > U128_MAX) throw new Rejected('overflow', { bridge: bridge.account, field: 'withdrawn', amount });
  debit(state, signer, asset, amount);
  const number = withdrawalCount(state);
  bridgeSheets.put(state, bridge.account, {
    backing: sheet.backing - amount,
    withdrawn,
    withdrawals: sheet.withdrawals + 1n,
  });
  const row = { block: height, transaction: tx, action: index, sender: signer, bridge: bridge.account };
  withdrawalRows.put(state, number, { ...row, amount, to: to.account, memo });
  counts.put(state, 0, number + 1n);
  return number;
}

/**
 * Adds a credited deposit to the backing of its bridge account, if the genesis lets it pay withdrawals.
 *
 * @throws {Rejected} `overflow`.
 */
export function backDeposit({ withdrawals }: RollupGenesis, state: StateWriter, deposit: Deposit): void {
  const { account } = deposit.bridge;
  const rule = withdrawals?.find(({ bridge }) => bridge.account === account);
  if (rule === undefined || parseDenom(deposit.asset).id !== rule.assetId) return;
  const sheet = bridgeSheets.get(state, account);
  const backing = sheet.backing + deposit.amount;
  if (backing > U128_MAX) throw new Rejected('overflow', { bridge: account, field: 'backing', amount: deposit.amount });
  bridgeSheets.put(state, account, { ...sheet, backing });
}

/** Keeps the sum of the deposits that were not credited. */
export function countUncredited(state: StateWriter, bridge: AccountId, amount: bigint): void {
  const sum = uncreditedSums.get(state, bridge) + amount;
  uncreditedSums.put(state, bridge, sum > U128_MAX ? U128_MAX : sum);
}
