import type { Address } from '../address.ts';
import { type Denom, parseDenom } from '../asset.ts';
import { u128FromWire, u128ToWire } from '../uint128.ts';
import type { ActionDefinition } from './definition.ts';
import { absent, addressFromWire, addressToWire, present } from './fields.ts';

/** Pays a withdrawal of a rollup into another bridge account. */
export interface BridgeTransfer {
  readonly kind: 'bridgeTransfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly feeAsset: Denom;
  readonly destination: string;
  readonly bridge: Address;
  readonly rollupBlockNumber: bigint;
  readonly withdrawalEvent: string;
}

export const bridgeTransfer: ActionDefinition<BridgeTransfer> = {
  group: 'bundleableGeneral',
  touchedAccounts: ({ to, bridge }) => [to.account, bridge.account],
  fromWire: ({ to, amount, feeAsset, destinationChainAddress, bridgeAddress, ...event }) => {
    if (destinationChainAddress === '') throw absent('destination chain address');
    return {
      kind: 'bridgeTransfer',
      to: addressFromWire('to', to),
      amount: u128FromWire(present('amount', amount)),
      feeAsset: parseDenom(feeAsset),
      destination: destinationChainAddress,
      bridge: addressFromWire('bridge address', bridgeAddress),
      rollupBlockNumber: event.rollupBlockNumber,
      withdrawalEvent: event.rollupWithdrawalEventId,
    };
  },
  toWire: ({ to, amount, feeAsset, destination, bridge, rollupBlockNumber, withdrawalEvent }) => ({
    to: addressToWire(to),
    amount: u128ToWire(amount),
    feeAsset: feeAsset.text,
    destinationChainAddress: destination,
    bridgeAddress: addressToWire(bridge),
    rollupBlockNumber,
    rollupWithdrawalEventId: withdrawalEvent,
  }),
};
