import { openWorkerPool } from '@switchyard/service';
import type { SignedEnvelope } from '../definition.ts';
import { isStrictlySigned, messageOf } from '../transaction.ts';
import { pack } from './packing.ts';
import type { SignatureVerifier } from './verifier.ts';

const WORTH_A_THREAD = 8;

export interface VerifierPool extends SignatureVerifier {
  close(): Promise<void>;
}

/** Verifies in threads, so that the thread of the node stays free. */
export function openVerifierPool(threads: number, program: URL): VerifierPool {
  const pool = openWorkerPool<SignedEnvelope, boolean>({
    threads,
    program,
    pack: (envelopes) => pack(envelopes.map((envelope) => ({ ...envelope, message: messageOf(envelope) }))),
    unpack: (good) => Array.from(good, (bit) => bit === 1),
    inline: (envelopes) => envelopes.map(isStrictlySigned),
    worthAThread: WORTH_A_THREAD,
  });
  return { verify: pool.run, close: pool.close };
}
