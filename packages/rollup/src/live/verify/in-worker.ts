import { backoffMs, sleep, systemRandom } from '@switchyard/service/browser';
import type { VerifierWorker } from '../options.ts';
import { type LiveVerifier, unproven, type Verdict } from './verdict.ts';
import type { FromWorker, SentOptions, ToWorker } from './worker-messages.ts';

const PAUSES = { initialMs: 250, maxMs: 30_000 };

/** Only pages from https:// or from this machine have it. */
const { locks } =
  (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator ?? ({} as { readonly locks?: Locks });
interface Locks {
  request(name: string, options: { readonly signal: AbortSignal }, hold: () => void): Promise<void>;
}

/** A verifier in a worker, which is made again when it dies. */
export function verifierInWorker(make: () => VerifierWorker, options: SentOptions): LiveVerifier {
  const closing = new AbortController();
  const listeners = new Set<(verdict: Verdict) => void>();
  const waiting = new Map<number, { readonly call: ToWorker; readonly resolve: (verdict: Verdict) => void }>();
  let worker: VerifierWorker | undefined;
  let lastId = 0;
  let failures = 0;
  const tell = (verdict: Verdict) => {
    if (verdict.kind === 'verified') failures = 0;
    for (const listener of listeners) listener(verdict);
  };

  function begin(): void {
    const made = make();
    const lock = `switchyard verifier ${crypto.randomUUID()}`;
    worker = made;
    const end = (reason: string) => {
      if (worker !== made || closing.signal.aborted) return;
      worker = undefined;
      made.terminate();
      failures += 1;
      tell(unproven(`the worker has ended: ${reason}`));
      void sleep(backoffMs(failures, PAUSES, systemRandom), closing.signal).then(begin, () => undefined);
    };
    const receive = (message: FromWorker) => {
      if (message.kind === 'verdict') tell(message.verdict);
      else if (message.kind === 'started')
        void locks?.request(lock, { signal: closing.signal }, () => end('it was stopped')).catch(() => undefined);
      else {
        waiting.get(message.id)?.resolve(message.verdict);
        waiting.delete(message.id);
      }
    };
    made.addEventListener('error', ({ message = 'it cannot be loaded' }) => end(message));
    // Both sides are of one program.
    made.addEventListener('message', ({ data }) => receive(data as FromWorker));
    send({ kind: 'start', options, lock });
    for (const { call } of waiting.values()) send(call);
  }
  const send = (message: ToWorker) => worker?.postMessage(message);
  begin();

  return {
    announced: (block, hash, rows = []) => send({ kind: 'announced', announcement: [block, hash, rows] }),
    onVerdict: (listener) => listeners.add(listener),
    proven: (hash, block) =>
      new Promise((resolve) => {
        lastId += 1;
        const call = { kind: 'proven', id: lastId, hash, block } as const;
        waiting.set(lastId, { call, resolve });
        send(call);
      }),
    close() {
      closing.abort();
      worker?.terminate();
    },
  };
}
