import type { Signer } from '@switchyard/protocol';
import { denom } from '../wire/fields.ts';
import type { ActionOf } from '../wire/registry.ts';
import { checkText } from '../wire/send-text.ts';
import { signActions, type TransactionParameters } from './sign.ts';

export interface TextFields {
  readonly text: string;
  /** A display name, chosen freely by the sender. */
  readonly from: string;
  readonly feeAsset: string;
}

export interface TextParameters extends TransactionParameters, TextFields {}

/** @throws {Rejected} for what every node refuses, whatever its state. */
export function textAction({ text, from: name, feeAsset }: TextFields): ActionOf<'sendText'> {
  checkText({ text, name });
  return { kind: 'sendText', text, name, feeAsset: denom(feeAsset) };
}

/**
 * A signed transaction that posts a message.
 *
 * @throws {Rejected} for what every node refuses, whatever its state.
 */
export function signText(parameters: TextParameters, signer: Signer): Uint8Array {
  return signActions([textAction(parameters)], parameters, signer);
}
