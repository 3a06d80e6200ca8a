import { recoverSender, type Signature } from '@switchyard/evm-machine/recover';
import type { Address } from '@switchyard/evm-machine/types';
import { openWorkerPool } from '@switchyard/service';
import { packSignatures, unpackSenders } from './packing.ts';
import type { RecoverBatch } from './senders.ts';

export interface RecoveryThreads {
  readonly recover: RecoverBatch;
  close(): Promise<void>;
}

/**
 * Recovers in threads, so that the main thread stays free in the meantime.
 *
 * @param program Of the threads; in a process the compiled `worker.js`.
 */
export function openRecoveryThreads(threads: number, program: URL): RecoveryThreads {
  const pool = openWorkerPool<Signature, Address | undefined>({
    threads,
    program,
    pack: packSignatures,
    unpack: unpackSenders,
    inline: (signatures) => signatures.map(recoverSender),
  });
  return { recover: pool.run, close: pool.close };
}
