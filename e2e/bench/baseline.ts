import { randomBytes } from 'node:crypto';
import { createSigner, verifyStrict } from '@switchyard/protocol';

/** Native ed25519 verifications per second on one core, of messages as long as a signed text's body. */
export function signatureRate(milliseconds = 1_000): number {
  const signer = createSigner(new Uint8Array(randomBytes(32)));
  const message = new Uint8Array(randomBytes(100));
  const signature = signer.sign(message);
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < milliseconds) {
    for (let index = 0; index < 100; index += 1) {
      if (!verifyStrict(signature, message, signer.publicKey)) throw new Error('a good signature did not verify');
    }
    count += 100;
  }
  return (count * 1_000) / (performance.now() - start);
}
