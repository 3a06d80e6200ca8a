import { type Denom, parseDenom } from '../asset.ts';
import type { ActionDefinition } from './definition.ts';
import { absent } from './fields.ts';

/** Adds or removes an asset that fees may be paid in. */
export interface FeeAssetChange {
  readonly kind: 'feeAssetChange';
  readonly change: 'addition' | 'removal';
  readonly asset: Denom;
}

export const feeAssetChange: ActionDefinition<FeeAssetChange> = {
  group: 'bundleableSudo',
  touchedAccounts: () => [],
  fromWire: ({ value }) => {
    if (value.case === undefined) throw absent('change');
    return { kind: 'feeAssetChange', change: value.case, asset: parseDenom(value.value) };
  },
  toWire: ({ change, asset }) => ({ value: { case: change, value: asset.text } }),
};
