import { u128FromWire, u128ToWire } from '../uint128.ts';
import type { ActionDefinition, ActionKind } from './definition.ts';
import { actionOfFee, feeNameOf } from './fee-name.ts';
import { absent, present } from './fields.ts';

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
  fromWire: ({ feeComponents: { case: name, value } }) => {
    if (name === undefined) throw absent('fee components');
    return {
      kind: 'feeChange',
      action: actionOfFee(name),
      base: u128FromWire(present('base', value.base)),
      multiplier: u128FromWire(present('multiplier', value.multiplier)),
    };
  },
  toWire: ({ action, base, multiplier }) => ({
    feeComponents: {
      case: feeNameOf(action),
      value: { base: u128ToWire(base), multiplier: u128ToWire(multiplier) },
    },
  }),
};
