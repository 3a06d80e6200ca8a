import { type AsyncSigner, type Signer, signEnvelope, signEnvelopeAsync } from '@switchyard/protocol';
import { encodeBody } from '../wire/body.ts';
import { BODY_TYPE_URL } from '../wire/limits.ts';
import type { MessengerAction } from '../wire/registry.ts';

/** Fields of every transaction besides its actions. */
export interface TransactionParameters {
  /** Number of transactions of the signer that are executed or pending. */
  readonly nonce: number;
  /** Chain id that `GET /v1/status` of the node shows. */
  readonly chainId: string;
}

/** A signed transaction of these actions, which take effect all together or not at all. */
export function signActions(
  actions: readonly MessengerAction[],
  { nonce, chainId }: TransactionParameters,
  signer: Signer,
): Uint8Array {
  return signEnvelope(BODY_TYPE_URL, encodeBody({ nonce, chainId, actions }), signer);
}

/** Signs like `signActions`, with a key that is held elsewhere. */
export function signActionsAsync(
  actions: readonly MessengerAction[],
  { nonce, chainId }: TransactionParameters,
  signer: AsyncSigner,
): Promise<Uint8Array> {
  return signEnvelopeAsync(BODY_TYPE_URL, encodeBody({ nonce, chainId, actions }), signer);
}
