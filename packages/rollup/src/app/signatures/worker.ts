import { parentPort } from 'node:worker_threads';
import { verifyDetached } from '@switchyard/protocol/ed25519';
import { isSignedByWallet } from '@switchyard/protocol/wallet-signature';
import { unpack } from './packing.ts';

/* A thread that does nothing but verify. It answers every message in order: a byte for each signature, 1 if it is good. */
parentPort?.on('message', (packed: Uint8Array) => {
  const good = Uint8Array.from(unpack(packed), ({ signature, message, publicKey }) =>
    (signature.length === 64 ? verifyDetached : isSignedByWallet)(signature, message, publicKey) ? 1 : 0,
  );
  parentPort?.postMessage(good, [good.buffer]);
});
