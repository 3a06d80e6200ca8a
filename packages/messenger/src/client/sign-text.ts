import type { Signer } from '@switchyard/protocol';
import { denom } from '../wire/fields.ts';
import { checkText } from '../wire/send-text.ts';
import { signActions, type TransactionParameters } from './sign.ts';

export interface TextParameters extends TransactionParameters {
  readonly text: string;
  /** A display name, chosen freely by the sender. */
  readonly from: string;
  readonly feeAsset: string;
}

/**
 * A signed transaction that posts a message.
 *
 * @throws {Rejected} for what every node refuses, whatever its state.
 */
export function signText({ text, from: name, feeAsset, ...parameters }: TextParameters, signer: Signer): Uint8Array {
  checkText({ text, name });
  return signActions([{ kind: 'sendText', text, name, feeAsset: denom(feeAsset) }], parameters, signer);
}
