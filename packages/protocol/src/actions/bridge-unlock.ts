import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import { u128FromWire, u128ToWire } from '../uint128.ts';
import type { ActionDefinition } from './definition.ts';
import { addressFromWire, addressToWire, present } from './fields.ts';

/** Pays a withdrawal of a rollup to an account. */
export interface BridgeUnlock {
  readonly kind: 'bridgeUnlock';
  readonly to: Address;
  readonly amount: bigint;
  readonly feeAsset: Denom;
  readonly memo: string;
  readonly bridge: Address;
  readonly rollupBlockNumber: bigint;
  readonly withdrawalEvent: string;
}

export const bridgeUnlock: ActionDefinition<BridgeUnlock> = {
  group: 'bundleableGeneral',
  touchedAccounts: ({ to, bridge }) => [to.account, bridge.account],
  fromWire: ({ to, amount, feeAsset, memo, bridgeAddress, rollupBlockNumber, rollupWithdrawalEventId }) => ({
    kind: 'bridgeUnlock',
    to: addressFromWire('to', to),
    amount: u128FromWire(present('amount', amount)),
    feeAsset: parseDenom(feeAsset),
    memo,
    bridge: addressFromWire('bridge address', bridgeAddress),
    rollupBlockNumber,
    withdrawalEvent: rollupWithdrawalEventId,
  }),
  toWire: ({ to, amount, feeAsset, memo, bridge, rollupBlockNumber, withdrawalEvent }) => ({
    to: addressToWire(to),
    amount: u128ToWire(amount),
    feeAsset: feeAsset.text,
    memo,
    bridgeAddress: addressToWire(bridge),
    rollupBlockNumber,
    rollupWithdrawalEventId: withdrawalEvent,
  }),
};
