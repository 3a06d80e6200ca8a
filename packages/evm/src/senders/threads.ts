import { Worker } from 'node:worker_threads';
import type { Signature } from '../transaction.ts';
import type { Address } from '../types.ts';
import { packSignatures, unpackSenders } from './packing.ts';
import { recoverSender } from './recover.ts';
import type { RecoverBatch } from './senders.ts';

/** What a thread is given at once; a batch of more is shared among all of them. */
const PIECE = 256;

export interface RecoveryThreads {
  readonly recover: RecoverBatch;
  close(): Promise<void>;
}

/**
 * Recovers in threads, so that the main thread stays free meanwhile. What a thread fails to answer is recovered in
 * the thread that asks: the answer is the same, only later.
 *
 * @param program Of the threads; in a process the compiled `worker.js`.
 */
export function openRecoveryThreads(count: number, program: URL): RecoveryThreads {
  const threads = Array.from({ length: count }, () => new RecoveryThread(program));
  const idlest = () => threads.filter(({ alive }) => alive).sort((a, b) => a.waiting - b.waiting)[0];
  const recoverPiece = async (piece: readonly Signature[]): Promise<readonly (Address | undefined)[]> =>
    (await idlest()?.recover(piece)) ?? piece.map(recoverSender);
  return {
    async recover(signatures) {
      const size = Math.min(PIECE, Math.ceil(signatures.length / Math.max(count, 1)));
      const pieces: Promise<readonly (Address | undefined)[]>[] = [];
      for (let at = 0; at < signatures.length; at += size) pieces.push(recoverPiece(signatures.slice(at, at + size)));
      return (await Promise.all(pieces)).flat();
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

/** One thread and who waits for its answers, in order. */
class RecoveryThread {
  readonly #worker: Worker;
  readonly #asked: { readonly items: number; answer(packed: Uint8Array | undefined): void }[] = [];
  alive = true;
  waiting = 0;

  constructor(program: URL) {
    // It holds little; a heap as large as the process's would be room for rubbish.
    this.#worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } });
    this.#worker.unref();
    this.#worker.on('message', (packed: Uint8Array) => this.#settle(packed));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** Undefined when the thread has ended without an answer. */
  recover(signatures: readonly Signature[]): Promise<(Address | undefined)[] | undefined> {
    const packed = packSignatures(signatures);
    this.waiting += signatures.length;
    return new Promise((resolve) => {
      this.#asked.push({ items: signatures.length, answer: (senders) => resolve(senders && unpackSenders(senders)) });
      this.#worker.postMessage(packed, [packed.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(packed: Uint8Array | undefined): void {
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    this.waiting -= asked.items;
    asked.answer(packed);
  }

  #end(): void {
    this.alive = false;
    while (this.#asked.length > 0) this.#settle(undefined);
  }
}
