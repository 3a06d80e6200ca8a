import type { Address } from '../address.ts';
import type { ActionDefinition } from './definition.ts';
import { addressFromWire, addressToWire } from './fields.ts';

/** Names the account with authority over the chain's settings. */
export interface SudoAddressChange {
  readonly kind: 'sudoAddressChange';
  readonly newAddress: Address;
}

export const sudoAddressChange: ActionDefinition<SudoAddressChange> = {
  group: 'unbundleableSudo',
  touchedAccounts: () => [],
  fromWire: ({ newAddress }) => ({ kind: 'sudoAddressChange', newAddress: addressFromWire('new address', newAddress) }),
  toWire: ({ newAddress }) => ({ newAddress: addressToWire(newAddress) }),
};
