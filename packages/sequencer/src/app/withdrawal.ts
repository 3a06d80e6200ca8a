import { type AccountId, type Address, Rejected } from '@switchyard/protocol';
import type { Charge } from '../mempool/entry.ts';
import type { CheckContext } from './actions/handler.ts';
import { type BridgeAccount, bridgeOf, mustBeUnused } from './tables/bridge.ts';
import { mustHavePrefix } from './tables/chain.ts';

/** Common part of BridgeUnlock and BridgeTransfer: a rollup's withdrawal, paid out of its bridge account. */
export interface Withdrawal {
  readonly bridge: Address;
  readonly to: Address;
  readonly amount: bigint;
  /** The rollup's block and event that the withdrawal answers to. */
  readonly rollupBlockNumber: bigint;
  readonly withdrawalEvent: string;
}

const MAX_EVENT_ID_BYTES = 256;

/** @throws {Rejected} `malformed` */
export function checkWithdrawal({ amount, rollupBlockNumber, withdrawalEvent }: Withdrawal): void {
  if (amount === 0n) throw new Rejected('malformed', { field: 'amount', expected: 'at least 1', got: amount });
  if (rollupBlockNumber === 0n) {
    throw new Rejected('malformed', { field: 'rollup_block_number', expected: 'at least 1', got: rollupBlockNumber });
  }
  const length = Buffer.byteLength(withdrawalEvent);
  if (length === 0 || length > MAX_EVENT_ID_BYTES) {
    throw new Rejected('malformed', {
      field: 'rollup_withdrawal_event_id',
      expected: `1 to ${MAX_EVENT_ID_BYTES} bytes`,
      got: `${length} bytes`,
    });
  }
}

/** @throws {Rejected} `malformed`, `not-a-bridge`, `unauthorized` or `event-already-used` */
export function verifyWithdrawal(withdrawal: Withdrawal, { state, signer }: CheckContext): BridgeAccount {
  mustHavePrefix(state, withdrawal.to);
  mustHavePrefix(state, withdrawal.bridge);
  const bridge = bridgeOf(state, withdrawal.bridge.account);
  if (signer !== bridge.withdrawer) throw new Rejected('unauthorized', { signer, expected: bridge.withdrawer });
  mustBeUnused(state, withdrawal.bridge.account, withdrawal.withdrawalEvent);
  return bridge;
}

/** The bridge account pays what is withdrawn; the signer pays only the fee. */
export function withdrawalCharges(withdrawal: Withdrawal, { state }: CheckContext): readonly Charge[] {
  const account: AccountId = withdrawal.bridge.account;
  return [{ account, asset: bridgeOf(state, account).asset, amount: withdrawal.amount }];
}
