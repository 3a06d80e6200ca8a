import { transfer } from '@switchyard/machine';
import { type AccountId, type ActionOf, Rejected } from '@switchyard/protocol';
import type { Charge } from '../../mempool/entry.ts';
import { fullName, getFullName } from '../tables/assets.ts';
import {
  type BridgeAccount,
  bridgeOf,
  bridges,
  mustBeUnused,
  mustNotBeBridge,
  recordWithdrawal,
} from '../tables/bridge.ts';
import { chainPrefix, mustBePostable, mustHavePrefix } from '../tables/chain.ts';
import { type CheckContext, type Context, mustHaveBytes, sequencerHandler } from './handler.ts';

/** Ties the signer's own account to a rollup and an asset, for ever. */
export const initBridgeAccount = sequencerHandler<'initBridgeAccount'>({
  verify({ rollup, sudo, withdrawer }, { state, signer }) {
    mustBePostable(state, rollup);
    if (sudo !== undefined) mustHavePrefix(state, sudo);
    if (withdrawer !== undefined) mustHavePrefix(state, withdrawer);
    if (bridges.has(state, signer)) throw new Rejected('already-a-bridge', { account: signer });
  },

  apply({ rollup, asset, sudo, withdrawer }, { state, signer }) {
    bridges.put(state, signer, {
      rollup,
      asset: asset.id,
      sudo: sudo?.account ?? signer,
      withdrawer: withdrawer?.account ?? signer,
      depositsDisabled: false,
    });
  },
});

/** Changes the keys of a bridge account, and whether it accepts deposits: each of these actions sets that flag. */
export const bridgeSudoChange = sequencerHandler<'bridgeSudoChange'>({
  verify({ bridge, newSudo, newWithdrawer }, { state, signer }) {
    mustHavePrefix(state, bridge);
    if (newSudo !== undefined) mustHavePrefix(state, newSudo);
    if (newWithdrawer !== undefined) mustHavePrefix(state, newWithdrawer);
    const { sudo } = bridgeOf(state, bridge.account);
    if (signer !== sudo) throw new Rejected('unauthorized', { signer, expected: sudo });
  },

  apply({ bridge, newSudo, newWithdrawer, disableDeposits }, { state }) {
    const row = bridgeOf(state, bridge.account);
    bridges.put(state, bridge.account, {
      ...row,
      sudo: newSudo?.account ?? row.sudo,
      withdrawer: newWithdrawer?.account ?? row.withdrawer,
      depositsDisabled: disableDeposits,
    });
  },
});

/** Size of a deposit besides its two texts, as the wire counts it. */
const DEPOSIT_BASE_BYTES = 16;

/** Escrows an amount in a bridge account and announces it as a deposit to the bridge's rollup. */
export const bridgeLock = sequencerHandler<'bridgeLock'>({
  verify({ to, asset }, { state, signer }) {
    mustHavePrefix(state, to);
    const bridge = bridgeOf(state, to.account);
    if (bridge.asset !== asset.id) throw new Rejected('wrong-asset', { expected: bridge.asset, got: asset.id });
    if (bridge.depositsDisabled) throw new Rejected('deposits-disabled', { bridge: to.account });
    mustNotBeBridge(state, signer);
  },

  charges: ({ asset, amount }, { signer }) => [{ account: signer, asset: asset.id, amount }],

  feeUnits: ({ asset, destination }) => BigInt(asset.text.length + Buffer.byteLength(destination) + DEPOSIT_BASE_BYTES),

  apply({ to, asset, amount, destination }, context) {
    const { state, signer } = context;
    const name = fullName(state, asset);
    transfer(state, signer, to.account, asset.id, amount);
    announceDeposit({ bridge: to.account, asset: name, amount, destination }, context);
  },
});

const MAX_MEMO_BYTES = 64;

/** Pays a rollup's withdrawal out of its bridge account, once for each of the rollup's events. */
export const bridgeUnlock = sequencerHandler<'bridgeUnlock'>({
  check(action) {
    checkWithdrawal(action);
    mustHaveBytes('memo', action.memo, MAX_MEMO_BYTES);
  },

  verify(action, context) {
    verifyWithdrawal(action, context);
    mustNotBeBridge(context.state, action.to.account);
  },

  charges: withdrawalCharges,

  apply({ bridge, to, amount, rollupBlockNumber, withdrawalEvent }, { state }) {
    transfer(state, bridge.account, to.account, bridgeOf(state, bridge.account).asset, amount);
    recordWithdrawal(state, bridge.account, withdrawalEvent, rollupBlockNumber);
  },
});

/** Pays a rollup's withdrawal straight into another bridge account, as a deposit to that one's rollup. */
export const bridgeTransfer = sequencerHandler<'bridgeTransfer'>({
  check(action) {
    checkWithdrawal(action);
    if (action.destination === '') throw new Rejected('empty', { field: 'destination_chain_address' });
  },

  verify(action, context) {
    const from = verifyWithdrawal(action, context);
    const to = bridgeOf(context.state, action.to.account);
    if (to.asset !== from.asset) throw new Rejected('wrong-asset', { expected: to.asset, got: from.asset });
    if (to.depositsDisabled) throw new Rejected('deposits-disabled', { bridge: action.to.account });
  },

  charges: withdrawalCharges,

  apply({ bridge, to, amount, destination, rollupBlockNumber, withdrawalEvent }, context) {
    const { state } = context;
    const { asset } = bridgeOf(state, bridge.account);
    const name = getFullName(state, asset);
    transfer(state, bridge.account, to.account, asset, amount);
    recordWithdrawal(state, bridge.account, withdrawalEvent, rollupBlockNumber);
    announceDeposit({ bridge: to.account, asset: name, amount, destination }, context);
  },
});

interface NewDeposit {
  readonly bridge: AccountId;
  /** The full name, since an id would mean nothing to a rollup. */
  readonly asset: string;
  readonly amount: bigint;
  /** Text as the depositor wrote it; only the rollup knows its meaning. */
  readonly destination: string;
}

/** Announces a deposit to the bridge's rollup. Transaction and action position identify it. */
function announceDeposit({ bridge, asset, amount, destination }: NewDeposit, context: Context): void {
  const { state, tx, index, emit } = context;
  emit({
    kind: 'deposit',
    deposit: {
      bridge: { account: bridge, prefix: chainPrefix(state) },
      rollup: bridgeOf(state, bridge).rollup,
      amount,
      asset,
      destination,
      sourceTransaction: tx,
      sourceAction: BigInt(index),
    },
  });
}

/** Common part of both: a rollup's withdrawal, paid out of its bridge account. */
type Withdrawal = ActionOf<'bridgeUnlock'> | ActionOf<'bridgeTransfer'>;

const MAX_EVENT_ID_BYTES = 256;

/** @throws {Rejected} `malformed` */
function checkWithdrawal({ amount, rollupBlockNumber, withdrawalEvent }: Withdrawal): void {
  if (amount === 0n) throw new Rejected('malformed', { field: 'amount', expected: 'at least 1', got: amount });
  if (rollupBlockNumber === 0n) {
    throw new Rejected('malformed', { field: 'rollup_block_number', expected: 'at least 1', got: rollupBlockNumber });
  }
  mustHaveBytes('rollup_withdrawal_event_id', withdrawalEvent, MAX_EVENT_ID_BYTES, 1);
}

/** @throws {Rejected} `malformed`, `not-a-bridge`, `unauthorized` or `event-already-used` */
function verifyWithdrawal(withdrawal: Withdrawal, { state, signer }: CheckContext): BridgeAccount {
  mustHavePrefix(state, withdrawal.to);
  mustHavePrefix(state, withdrawal.bridge);
  const bridge = bridgeOf(state, withdrawal.bridge.account);
  if (signer !== bridge.withdrawer) throw new Rejected('unauthorized', { signer, expected: bridge.withdrawer });
  mustBeUnused(state, withdrawal.bridge.account, withdrawal.withdrawalEvent);
  return bridge;
}

/** The bridge account pays withdrawals; the signer pays only the fee. */
function withdrawalCharges(withdrawal: Withdrawal, { state }: CheckContext): readonly Charge[] {
  const { account } = withdrawal.bridge;
  return [{ account, asset: bridgeOf(state, account).asset, amount: withdrawal.amount }];
}
