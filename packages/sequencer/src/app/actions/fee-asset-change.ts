import { Rejected } from '@switchyard/protocol';
import { mustBeSudo } from '../tables/authority.ts';
import { allowedFeeAssets, allowFeeAssets } from '../tables/fees.ts';
import { sequencerHandler } from './handler.ts';

/** Adds or removes an asset that fees may be paid in. One always remains. */
export const feeAssetChange = sequencerHandler<'feeAssetChange'>({
  verify({ change, asset }, { state, signer }) {
    mustBeSudo(state, signer);
    const allowed = allowedFeeAssets(state);
    const present = allowed.includes(asset.id);
    if (change === 'addition' && present) throw new Rejected('already-present', { feeAsset: asset.text });
    if (change === 'removal' && !present) throw new Rejected('not-present', { feeAsset: asset.text });
    if (change === 'removal' && allowed.length === 1)
      throw new Rejected('limit-reached', { feeAsset: asset.text, expected: 'one to remain' });
  },

  apply({ change, asset }, { state, emit }) {
    const others = allowedFeeAssets(state).filter((id) => id !== asset.id);
    allowFeeAssets(state, change === 'addition' ? [...others, asset.id] : others);
    emit({ kind: 'feesChanged' });
  },
});
