import { type Denom, parseDenom } from '../asset.ts';
import type { RollupId } from '../ids.ts';
import type { ActionDefinition } from './definition.ts';
import { rollupFromWire, rollupToWire } from './fields.ts';

/** Puts bytes of a rollup into the block. */
export interface RollupDataSubmission {
  readonly kind: 'rollupDataSubmission';
  readonly rollup: RollupId;
  /** Empty data decodes, and is refused by the action's check. */
  readonly data: Uint8Array;
  readonly feeAsset: Denom;
}

export const rollupDataSubmission: ActionDefinition<RollupDataSubmission> = {
  group: 'bundleableGeneral',
  touchedAccounts: () => [],
  fromWire: ({ rollupId, data, feeAsset }) => ({
    kind: 'rollupDataSubmission',
    rollup: rollupFromWire(rollupId),
    data,
    feeAsset: parseDenom(feeAsset),
  }),
  toWire: ({ rollup, data, feeAsset }) => ({ rollupId: rollupToWire(rollup), data, feeAsset: feeAsset.text }),
};
