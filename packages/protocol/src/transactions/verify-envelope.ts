import { verify } from '../accounts/keys.ts';
import { Rejected } from '../errors.ts';
import { type Envelope, signedBytes } from './envelope.ts';

/** @throws {Rejected} `bad-signature`, by the rules of ZIP-215. */
export function verifyEnvelope(envelope: Envelope): void {
  const { signature, publicKey, hash } = envelope;
  if (!verify(signature, signedBytes(envelope), publicKey)) throw new Rejected('bad-signature', { transaction: hash });
}
