import { ACCOUNT_LENGTH, type AccountId, accountIdFromBytes, accountIdFromPublicKey } from '../accounts/ids.ts';
import { Writer } from '../bytes/writer.ts';

/* The key and the signature of an envelope. A wallet of Ethereum has its account in place of the key, which follows from the signature. */

export const WALLET_SIGNATURE_LENGTH = 65;

export const isOfWallet = ({ publicKey }: { readonly publicKey: Uint8Array }): boolean =>
  publicKey.length === ACCOUNT_LENGTH;

export function signerOf(envelope: { readonly publicKey: Uint8Array }): AccountId {
  return isOfWallet(envelope) ? accountIdFromBytes(envelope.publicKey) : accountIdFromPublicKey(envelope.publicKey);
}

export function encodeEnvelope(
  typeUrl: string,
  body: Uint8Array,
  publicKey: Uint8Array,
  signature: Uint8Array,
): Uint8Array {
  return new Writer(body.length + typeUrl.length + 128)
    .bytes(1, signature)
    .bytes(2, publicKey)
    .message(3, (any) => any.string(1, typeUrl).bytes(2, body))
    .finish();
}
