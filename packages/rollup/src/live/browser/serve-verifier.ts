import type { AnyRollup } from '../../define/definition.ts';
import type { Verdict } from '../verify/verdict.ts';
import { createVerifier, type Verifier, type VerifierOptions } from '../verify/verifier.ts';
import type { FromWorker, MessageTarget, ToWorker } from '../verify/worker-messages.ts';
import { browserChain } from './chain.ts';

/** Parts of a worker other than those of the browser. */
export interface ServeVerifierOptions extends Pick<VerifierOptions, 'storage' | 'fetch'> {
  readonly page?: MessageTarget;
}

/**
 * Makes a module the worker of a page with `verify`. It has the definition too, since functions are not sent between threads. The executed
 * chain is kept in IndexedDB, where the next start resumes; one worker of an origin writes it, and others keep theirs in memory.
 *
 * @example
 * ```ts
 * serveVerifier(counter);
 * ```
 */
export function serveVerifier(definition: AnyRollup, options: ServeVerifierOptions = {}): void {
  // The global scope of a worker sends to its page.
  const { page = globalThis as unknown as MessageTarget, ...parts } = options;
  const answer = (message: FromWorker) => page.postMessage(message);
  let verifier: Verifier | undefined;

  function receive(message: ToWorker): void {
    if (message.kind === 'start') {
      const { options: sent, lock } = message;
      const { storage = browserChain(`switchyard-chain ${definition.name} ${sent.mode}`), ...more } = parts;
      verifier = createVerifier({ definition, storage, ...sent, ...more });
      verifier.onVerdict((verdict) => answer({ kind: 'verdict', verdict: toSendable(verdict) }));
      // Held as long as the worker lives.
      void globalThis.navigator?.locks?.request(lock, () => new Promise(() => answer({ kind: 'started' })));
    } else if (message.kind === 'announced') {
      verifier?.announced(...message.announcement);
    } else {
      const { kind, id, hash, block } = message;
      void verifier?.proven(hash, block).then((verdict) => answer({ kind, id, verdict: toSendable(verdict) }));
    }
  }
  // Both sides are of one program.
  page.addEventListener('message', ({ data }) => receive(data as ToWorker));
}

/** Without the function that trusts other validators. */
const toSendable = (verdict: Verdict): Verdict =>
  verdict.kind === 'unproven' ? { kind: 'unproven', reason: verdict.reason } : verdict;
