import type { Envelope } from './envelope.ts';
import { Rejected } from './errors.ts';
import { verify } from './keys.ts';

/** @throws {Rejected} `bad-signature`, by the rules of ZIP-215. */
export function verifyEnvelope({ signature, body, publicKey, hash }: Envelope): void {
  if (!verify(signature, body, publicKey)) throw new Rejected('bad-signature', { transaction: hash });
}
