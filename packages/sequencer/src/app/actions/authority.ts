import { Rejected } from '@switchyard/protocol';
import { applyValidatorUpdate, checkValidatorUpdate, mustBeSudo, sudo } from '../tables/authority.ts';
import { mustHavePrefix } from '../tables/chain.ts';
import { allowedFeeAssets, allowFeeAssets, feeComponents } from '../tables/fees.ts';
import { mustHaveBytes, sequencerHandler } from './handler.ts';

/** Hands the authority over the chain's settings, and with it the fees, to another account. */
export const sudoAddressChange = sequencerHandler<'sudoAddressChange'>({
  verify({ newAddress }, { state, signer }) {
    mustHavePrefix(state, newAddress);
    mustBeSudo(state, signer);
  },

  apply({ newAddress }, { state }) {
    sudo.put(state, newAddress.account);
  },
});

/** Sets the cost of one kind of action, which also enables it. */
export const feeChange = sequencerHandler<'feeChange'>({
  verify(_, { state, signer }) {
    mustBeSudo(state, signer);
  },

  apply({ action, base, multiplier }, { state, emit }) {
    feeComponents.put(state, action, { base, multiplier });
    emit({ kind: 'feesChanged' });
  },
});

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

const MAX_NAME_BYTES = 32;

/** Adds a validator, changes its power, or removes it (power 0). The engine gets it at the end of the block. */
export const validatorUpdate = sequencerHandler<'validatorUpdate'>({
  check: ({ name }) => mustHaveBytes('name', name, MAX_NAME_BYTES),

  verify(update, { state, signer }) {
    mustBeSudo(state, signer);
    checkValidatorUpdate(state, update);
  },

  apply({ publicKey, power }, { state, emit }) {
    applyValidatorUpdate(state, { publicKey, power });
    emit({ kind: 'validatorUpdate', update: { publicKey, power } });
  },
});
