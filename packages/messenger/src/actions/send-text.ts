import { debit } from '@switchyard/machine';
import { Rejected } from '@switchyard/protocol';
import type { MessengerGenesis } from '../genesis.ts';
import { TEXT_FEE } from '../wire/limits.ts';
import { checkText } from '../wire/send-text.ts';
import type { MessengerHandler } from './handler.ts';

/** Posts a message and destroys its fee, which may be paid in the assets that the genesis allows. */
export function sendText({ nativeAsset, feeAssets = [nativeAsset] }: MessengerGenesis): MessengerHandler<'sendText'> {
  const allowed = new Set(feeAssets.map(({ id }) => id));
  const expected = feeAssets.map(({ text }) => text).join(' or ');
  return {
    check(action) {
      const { feeAsset } = action;
      if (!allowed.has(feeAsset.id)) throw new Rejected('fee-asset-not-allowed', { expected, got: feeAsset.text });
      checkText(action);
    },

    spends: ({ feeAsset }) => [{ asset: feeAsset.id, amount: TEXT_FEE }],

    execute({ text, name, feeAsset }, { state, signer, emit }) {
      debit(state, signer, feeAsset.id, TEXT_FEE);
      emit({ kind: 'text', name, text });
    },
  };
}
