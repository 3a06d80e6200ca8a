import { type ActionHandler, debit } from '@switchyard/machine';
import { type Denom, Rejected } from '@switchyard/protocol';
import type { MessengerEvent, SendText } from '../action.ts';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES, TEXT_FEE } from '../limits.ts';

/** Posts a text, and destroys the fee for it. @param feeAssets Those that it may be paid in. */
export function sendTextAction(feeAssets: readonly Denom[]): ActionHandler<SendText, MessengerEvent> {
  const allowed = new Set(feeAssets.map(({ id }) => id));
  const expected = feeAssets.map(({ text }) => text).join(' or ');
  return {
    check({ text, name, feeAsset }) {
      if (!allowed.has(feeAsset.id)) throw new Rejected('fee-asset-not-allowed', { expected, got: feeAsset.text });
      if (text === '') throw new Rejected('empty', { field: 'text' });
      limit('text', text, MAX_TEXT_BYTES);
      limit('name', name, MAX_NAME_BYTES);
    },

    execute({ text, name, feeAsset }, { state, signer, emit }) {
      debit(state, signer, feeAsset.id, TEXT_FEE);
      emit({ kind: 'text', name, text });
    },
  };
}

function limit(field: string, text: string, bytes: number): void {
  const got = Buffer.byteLength(text);
  if (got > bytes) throw new Rejected('too-large', { field, limit: `${bytes} bytes`, got: `${got} bytes` });
}
