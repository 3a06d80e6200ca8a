import { type Denom, Rejected } from '@switchyard/protocol';
import type { ActionCodec } from './codec.ts';
import { denom } from './fields.ts';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES } from './limits.ts';

/** Posts a message under a name that the sender chooses. */
export interface SendText {
  readonly kind: 'sendText';
  readonly text: string;
  readonly name: string;
  readonly feeAsset: Denom;
}

export interface SendTextFields {
  readonly text: string;
  readonly from: string;
  readonly feeAsset: string;
}

export const sendText: ActionCodec<SendText, SendTextFields> = {
  field: 2,
  name: 'SendText',
  none: { text: '', from: '', feeAsset: '' },

  read(message, before) {
    let { text, from, feeAsset } = before;
    while (message.next()) {
      if (message.field === 1) text = message.string();
      else if (message.field === 2) from = message.string();
      else if (message.field === 3) feeAsset = message.string();
      else message.skip();
    }
    return { text, from, feeAsset };
  },

  parse: ({ text, from, feeAsset }) => ({ kind: 'sendText', text, name: from, feeAsset: denom(feeAsset) }),

  write: (message, { text, name, feeAsset }) => void message.string(1, text).string(2, name).string(3, feeAsset.text),
};

/** Rules that every node applies, whatever its state. @throws {Rejected} */
export function checkText({ text, name }: Pick<SendText, 'text' | 'name'>): void {
  if (text === '') throw new Rejected('empty', { field: 'text' });
  limit('text', text, MAX_TEXT_BYTES);
  limit('name', name, MAX_NAME_BYTES);
}

const utf8 = new TextEncoder();

function limit(field: string, text: string, bytes: number): void {
  // No character takes more than three bytes of UTF-8 for each unit of its length.
  if (text.length * 3 <= bytes) return;
  const got = utf8.encode(text).length;
  if (got > bytes) throw new Rejected('too-large', { field, limit: `${bytes} bytes`, got: `${got} bytes` });
}
