/**
 * The transaction that pays for blobs: one message, one secp256k1 signature in the mode SIGN_MODE_DIRECT, which covers the
 * bytes of body and authorization exactly as sent.
 */

import { type TxHash, txHashOf } from '../accounts/ids.ts';
import { Reader } from '../bytes/reader.ts';
import { Writer } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { type CelestiaSigner, celestiaAccountFromPublicKey, verifyCelestiaSignature } from './account.ts';
import type { PayForBlobs } from './pay-for-blobs.ts';
import {
  decodeAuthorization,
  decodeBody,
  encodeAuthorization,
  encodeBody,
  malformed,
  type Payment,
  type PaymentTerms,
  unexpected,
} from './payment-wire.ts';

/** Facts that the signature of a transaction covers and that are not in it. */
export interface SigningContext {
  readonly chainId: string;
  readonly accountNumber: bigint;
}

export interface SignedPayment {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes. Celestia writes it in upper case. */
  readonly hash: TxHash;
}

/** Signs; equal input gives equal bytes. @throws {Rejected} `unauthorized` for a signer that is not the payer. */
export function signPayment(
  message: PayForBlobs,
  terms: PaymentTerms,
  context: SigningContext,
  signer: CelestiaSigner,
): SignedPayment {
  if (signer.account !== message.payer) {
    throw new Rejected('unauthorized', { payer: message.payer, signer: signer.account });
  }
  const body = encodeBody(message, terms);
  const authorization = encodeAuthorization(signer.publicKey, terms);
  const signature = signer.sign(signBytes(body, authorization, context));
  const bytes = new Writer(body.length + authorization.length + 80)
    .bytesAlways(1, body)
    .bytesAlways(2, authorization)
    .bytesAlways(3, signature)
    .finish();
  return { bytes, hash: txHashOf(bytes) };
}

/** The encoded `SignDoc`, over whose SHA-256 the signature is made. */
export function signBytes(
  body: Uint8Array,
  authorization: Uint8Array,
  { chainId, accountNumber }: SigningContext,
): Uint8Array {
  return new Writer(body.length + authorization.length + 80)
    .bytes(1, body)
    .bytes(2, authorization)
    .string(3, chainId)
    .uint64(4, accountNumber)
    .finish();
}

/**
 * Reads a payment and checks its signature, over the bytes as received.
 *
 * @throws {Rejected} `malformed` for everything but one `MsgPayForBlobs` with one direct signature, paid in utia by its
 *   signer; `bad-signature`, also for another chain or account number.
 */
export function verifyPayment(bytes: Uint8Array, context: SigningContext): Payment {
  const { payment, body, authorization, signature } = readPayment(bytes);
  if (!verifyCelestiaSignature(signature, signBytes(body, authorization, context), payment.publicKey)) {
    throw new Rejected('bad-signature', { signer: payment.message.payer });
  }
  return payment;
}

/**
 * Verifies like {@link verifyPayment}, but for the signature: it covers the account's number, which is not in the bytes, so its payer
 * may have to be known before.
 *
 * @throws {Rejected} `malformed`
 */
export function decodePayment(bytes: Uint8Array): Payment {
  return readPayment(bytes).payment;
}

function readPayment(bytes: Uint8Array) {
  const reader = new Reader(bytes, 'Tx');
  let body: Uint8Array = new Uint8Array();
  let authorization = body;
  const signatures: Uint8Array[] = [];
  while (reader.next()) {
    if (reader.field === 1) body = reader.bytes();
    else if (reader.field === 2) authorization = reader.bytes();
    else if (reader.field === 3) signatures.push(reader.bytes());
    else throw unexpected(reader, 'Tx');
  }
  const payment: Payment = { ...decodeBody(body), ...decodeAuthorization(authorization) };
  const [signature, ...more] = signatures;
  if (signature === undefined || more.length > 0) throw malformed('Tx', 'one signature');
  if (celestiaAccountFromPublicKey(payment.publicKey) !== payment.message.payer) {
    throw malformed('Tx', 'a payer that signs');
  }
  return { payment, body, authorization, signature };
}
