import { action, type CheckContext, debit, Rejected, text, textAsset } from '@switchyard/rollup';
import { texted } from '../events.ts';
import { getFeeAssets, type MessengerGenesis } from '../genesis.ts';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES, TEXT_FEE } from '../limits.ts';

/** Posts a message under a name that the sender chooses, and destroys its fee. */
export const sendText = action({
  help: 'post a message; it costs 1 unit of the fee asset',
  fields: { text: text({ maxBytes: MAX_TEXT_BYTES }), name: text({ maxBytes: MAX_NAME_BYTES }), feeAsset: textAsset },

  check(fields, { genesis }: CheckContext<MessengerGenesis>) {
    const allowed = getFeeAssets(genesis);
    if (!allowed.some(({ id }) => id === fields.feeAsset.id)) {
      const expected = allowed.map(({ text: name }) => name).join(' or ');
      throw new Rejected('fee-asset-not-allowed', { expected, got: fields.feeAsset.text });
    }
    if (fields.text === '') throw new Rejected('empty', { field: 'text' });
  },

  spends: ({ feeAsset }) => [{ asset: feeAsset.id, amount: TEXT_FEE }],

  execute({ text: posted, name, feeAsset }, context) {
    debit(context.state, context.signer, feeAsset.id, TEXT_FEE);
    texted.emit(context, { name, text: posted });
  },
});
