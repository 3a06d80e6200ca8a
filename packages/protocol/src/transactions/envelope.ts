/**
 * The signed envelope that transactions of the sequencer and of rollups share: a body of some kind, and the key and
 * signature over both. The bytes received are kept and are the only ones ever hashed or verified.
 */

import { PUBLIC_KEY_LENGTH, SIGNATURE_LENGTH, type TxHash, txHashOf } from '../accounts/ids.ts';
import type { AsyncSigner, Signer } from '../accounts/seed.ts';
import { Reader } from '../bytes/reader.ts';
import { sizeOfBytesField } from '../bytes/writer.ts';
import { Rejected } from '../errors.ts';
import { encodeEnvelope, isOfWallet, WALLET_SIGNATURE_LENGTH } from './envelope-parts.ts';

const utf8 = new TextEncoder();
const NO_BYTES = new Uint8Array();

export interface Envelope {
  readonly bytes: Uint8Array;
  readonly hash: TxHash;
  /** 64 bytes, and 65 of a wallet. */
  readonly signature: Uint8Array;
  /** 32 bytes, not checked to be a key. The 20 of its account, if a wallet has signed: its key follows from the signature. */
  readonly publicKey: Uint8Array;
  readonly typeUrl: string;
  /** An encoded message of the type that `typeUrl` names. */
  readonly body: Uint8Array;
}

/** Kinds of the reference: its signatures cover the body alone, so that only chain ids keep these two apart. */
const BODY_ALONE: ReadonlySet<string> = new Set([
  '/astria.protocol.transaction.v1.TransactionBody',
  '/transaction.v1.TransactionBody',
]);

/** Bytes that a signature covers: the kind, a zero byte and the body, so that it holds for no other kind. */
export function signedBytes({ typeUrl, body }: Pick<Envelope, 'typeUrl' | 'body'>): Uint8Array {
  if (BODY_ALONE.has(typeUrl)) return body;
  const kind = utf8.encode(typeUrl);
  const signed = new Uint8Array(kind.length + 1 + body.length);
  signed.set(kind);
  signed.set(body, kind.length + 1);
  return signed;
}

/**
 * Takes the envelope apart without verifying it. The parts are views of `bytes`.
 *
 * @param hash Hash of the bytes, if the caller has it already: hashing half a megabyte takes as long as decoding it.
 * @param wallets Whether signatures of wallets are read too.
 * @throws {Rejected} `malformed`; with the fact `message: 'Transaction'` if the bytes are no envelope at all.
 */
export function decodeEnvelope(bytes: Uint8Array, expectedTypeUrl: string, hash?: TxHash, wallets = false): Envelope {
  const reader = new Reader(bytes, 'Transaction');
  let signature: Uint8Array = NO_BYTES;
  let publicKey: Uint8Array = NO_BYTES;
  let any: { typeUrl: string; body: Uint8Array } | undefined;
  while (reader.next()) {
    if (reader.field === 1) signature = reader.bytes();
    else if (reader.field === 2) publicKey = reader.bytes();
    else if (reader.field === 3) any = readAny(reader.message('Transaction'), expectedTypeUrl, any);
    else reader.skip();
  }
  const isWallet = wallets && isOfWallet({ publicKey });
  expectLength('signature', signature, isWallet ? WALLET_SIGNATURE_LENGTH : SIGNATURE_LENGTH);
  if (!isWallet) expectLength('public key', publicKey, PUBLIC_KEY_LENGTH);
  if (any === undefined) throw new Rejected('malformed', { part: 'body', expected: 'present' });
  if (any.typeUrl !== expectedTypeUrl) {
    throw new Rejected('malformed', { part: 'type url', expected: expectedTypeUrl, got: any.typeUrl.slice(0, 100) });
  }
  return { bytes, hash: hash ?? txHashOf(bytes), signature, publicKey, typeUrl: expectedTypeUrl, body: any.body };
}

/** The pieces of a message are merged: later values win. */
function readAny(reader: Reader, expectedTypeUrl: string, before?: { typeUrl: string; body: Uint8Array }) {
  let { typeUrl, body } = before ?? { typeUrl: '', body: NO_BYTES };
  while (reader.next()) {
    if (reader.field === 1) typeUrl = reader.string(expectedTypeUrl);
    else if (reader.field === 2) body = reader.bytes();
    else reader.skip();
  }
  return { typeUrl, body };
}

function expectLength(part: string, bytes: Uint8Array, length: number): void {
  if (bytes.length === length) return;
  throw new Rejected('malformed', { part, expected: `${length} bytes`, got: `${bytes.length} bytes` });
}

/**
 * Whether the envelope's bytes are the one encoding of its parts. The signature does not cover the bytes around the body: an unknown or
 * repeated field, another order, or a longer length around it would make other bytes, with another hash, that are
 * valid as well, and anyone could derive them from another signer's transaction.
 *
 * Nothing is encoded to find out: the bytes have the length that the encoding would have, and the parts are in the places that they
 * would be, so that there is room for the shortest tags and lengths between them and for nothing else.
 *
 * @param envelope Result of `decodeEnvelope`: its parts are views of its bytes.
 */
export function isCanonical({ bytes, signature, publicKey, typeUrl, body }: Envelope): boolean {
  const start = bytes.byteOffset;
  const keyAt = 2 + signature.length + 2;
  const any = sizeOfBytesField(utf8Length(typeUrl)) + (body.length === 0 ? 0 : sizeOfBytesField(body.length));
  return (
    bytes.length === keyAt + publicKey.length + sizeOfBytesField(any) &&
    signature.byteOffset === start + 2 &&
    publicKey.byteOffset === start + keyAt &&
    (body.length === 0 || body.byteOffset + body.length === start + bytes.length)
  );
}

/** Every transaction has one of a few type URLs, and measuring one means encoding it. Holds answers, no state. */
const utf8Lengths = new Map<string, number>();

function utf8Length(typeUrl: string): number {
  const known = utf8Lengths.get(typeUrl);
  if (known !== undefined) return known;
  const { length } = utf8.encode(typeUrl);
  if (utf8Lengths.size < MAX_UTF8_LENGTHS) utf8Lengths.set(typeUrl, length);
  return length;
}

const MAX_UTF8_LENGTHS = 16;

/** @throws {Rejected} `not-canonical`. */
export function mustBeCanonical(envelope: Envelope): void {
  if (isCanonical(envelope)) return;
  throw new Rejected('not-canonical', {
    transaction: envelope.hash,
    expected: 'signature, public key and body, each once, in this order, and nothing else',
  });
}

/** Signs `body` and returns the encoded transaction. */
export function signEnvelope(typeUrl: string, body: Uint8Array, signer: Signer): Uint8Array {
  return encodeEnvelope(typeUrl, body, signer.publicKey, signer.sign(signedBytes({ typeUrl, body })));
}

/** Signs like {@link signEnvelope}, also with a key that is held elsewhere. */
export async function signEnvelopeAsync(
  typeUrl: string,
  body: Uint8Array,
  signer: Signer | AsyncSigner,
): Promise<Uint8Array> {
  return encodeEnvelope(typeUrl, body, signer.publicKey, await signer.sign(signedBytes({ typeUrl, body })));
}
