import { Worker } from 'node:worker_threads';
import type { Envelope } from '@switchyard/protocol';
import { pack } from './packing.ts';
import { inlineVerifier, type SignatureVerifier } from './verifier.ts';

/** Fewer are verified sooner than a thread is asked. */
const WORTH_A_THREAD = 8;
/** What a thread is given at once; a batch of more is shared among all of them. */
const PIECE = 256;

export interface VerifierPool extends SignatureVerifier {
  close(): Promise<void>;
}

/**
 * Verifies in threads, so that the thread of the node stays free. A thread that fails is replaced by verifying
 * in the thread that asks: the answer is the same, only later.
 */
export function openVerifierPool(threads: number, program: URL): VerifierPool {
  const pool = Array.from({ length: threads }, () => new VerifierThread(program));
  const idlest = () => pool.filter(({ alive }) => alive).sort((a, b) => a.waiting - b.waiting)[0];
  const verifyPiece = async (piece: readonly Envelope[]) => {
    const thread = piece.length < WORTH_A_THREAD ? undefined : idlest();
    return (await thread?.verify(piece)) ?? inlineVerifier.verify(piece);
  };
  return {
    async verify(envelopes) {
      const size = Math.min(PIECE, Math.max(WORTH_A_THREAD, Math.ceil(envelopes.length / Math.max(threads, 1))));
      const pieces: Promise<readonly boolean[]>[] = [];
      for (let at = 0; at < envelopes.length; at += size) pieces.push(verifyPiece(envelopes.slice(at, at + size)));
      return (await Promise.all(pieces)).flat();
    },
    async close() {
      await Promise.all(pool.map((thread) => thread.close()));
    },
  };
}

/** One thread and who waits for its answers, in order. */
class VerifierThread {
  readonly #worker: Worker;
  readonly #asked: { readonly items: number; answer(good: Uint8Array | undefined): void }[] = [];
  alive = true;
  waiting = 0;

  constructor(program: URL) {
    // It holds little; a heap as large as the process's would only let garbage pile up.
    this.#worker = new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 2 } });
    this.#worker.unref();
    this.#worker.on('message', (good: Uint8Array) => this.#settle(good));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /** Undefined when the thread has ended without an answer. */
  verify(envelopes: readonly Envelope[]): Promise<readonly boolean[] | undefined> {
    const packed = pack(envelopes);
    this.waiting += envelopes.length;
    return new Promise((resolve) => {
      this.#asked.push({
        items: envelopes.length,
        answer: (good) => resolve(good && Array.from(good, (bit) => bit === 1)),
      });
      this.#worker.postMessage(packed, [packed.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(good: Uint8Array | undefined): void {
    const asked = this.#asked.shift();
    if (asked === undefined) return;
    this.waiting -= asked.items;
    asked.answer(good);
  }

  #end(): void {
    this.alive = false;
    while (this.#asked.length > 0) this.#settle(undefined);
  }
}
