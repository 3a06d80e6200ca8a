import { type Denom, parseDenom } from '../accounts/asset.ts';
import { PUBLIC_KEY_LENGTH } from '../accounts/ids.ts';
import { u128FromWire, u128ToWire } from '../bytes/uint128.ts';
import { Rejected } from '../errors.ts';
import type { ActionDefinition, ActionKind } from './definition.ts';
import { actionOfFee, getFeeName } from './fee-name.ts';
import { present } from './fields.ts';

/* Actions on settings of the chain, whose messages are unions. */

/** Sets the fee of one kind of action. */
export interface FeeChange {
  readonly kind: 'feeChange';
  /** The kind of action whose fee changes. */
  readonly action: ActionKind;
  readonly base: bigint;
  readonly multiplier: bigint;
}

export const feeChange: ActionDefinition<FeeChange> = {
  group: 'bundleableSudo',
  touchedAccounts: () => [],
  fromWire: ({ feeComponents: { case: name, value } }) => ({
    kind: 'feeChange',
    action: actionOfFee(present('feeComponents', name)),
    base: u128FromWire(present('base', value?.base)),
    multiplier: u128FromWire(present('multiplier', value?.multiplier)),
  }),
  toWire: ({ action, base, multiplier }) => ({
    feeComponents: {
      case: getFeeName(action),
      value: { base: u128ToWire(base), multiplier: u128ToWire(multiplier) },
    },
  }),
};

/** Adds or removes an asset that fees may be paid in. */
export interface FeeAssetChange {
  readonly kind: 'feeAssetChange';
  readonly change: 'addition' | 'removal';
  readonly asset: Denom;
}

export const feeAssetChange: ActionDefinition<FeeAssetChange> = {
  group: 'bundleableSudo',
  touchedAccounts: () => [],
  fromWire: ({ value }) => ({
    kind: 'feeAssetChange',
    change: present('change', value.case),
    asset: parseDenom(value.value ?? ''),
  }),
  toWire: ({ change, asset }) => ({ value: { case: change, value: asset.text } }),
};

/** Adds, changes or removes a validator. */
export interface ValidatorUpdate {
  readonly kind: 'validatorUpdate';
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 0 removes the validator; below 2^32. */
  readonly power: bigint;
  readonly name: string;
}

export const validatorUpdate: ActionDefinition<ValidatorUpdate> = {
  group: 'bundleableGeneral',
  touchedAccounts: () => [],
  fromWire: ({ pubKey, power, name }) => {
    const { sum } = present('publicKey', pubKey);
    if (sum.case !== 'ed25519' || sum.value.length !== PUBLIC_KEY_LENGTH) {
      throw new Rejected('malformed', { part: 'public key', expected: '32 bytes of ed25519' });
    }
    if (power < 0n || power > 0xffff_ffffn) {
      throw new Rejected('malformed', { part: 'power', expected: 'from 0 to 4294967295', got: power });
    }
    return { kind: 'validatorUpdate', publicKey: sum.value, power, name };
  },
  toWire: ({ publicKey, power, name }) => ({ pubKey: { sum: { case: 'ed25519', value: publicKey } }, power, name }),
};
