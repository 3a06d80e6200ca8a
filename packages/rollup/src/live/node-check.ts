import { retry } from '@switchyard/service/browser';
import type { AnyRollup } from '../define/definition.ts';
import type { Chain } from './node.ts';
import type { LiveOptions, ProofState } from './options.ts';
import type { Value } from './store.ts';
import type { LiveVerifier, Verdict } from './verify/verdict.ts';
import type { Announcement } from './verify/worker-messages.ts';

interface NodeCheckDeps {
  readonly defined: AnyRollup;
  readonly options: LiveOptions;
  readonly proof: Value<ProofState>;
  readonly signal: AbortSignal;
  /** The newest block, with the rows that the client has. */
  shown(): Announcement | undefined;
  /** A statement was false. */
  refuse(reason: string): void;
}

/** The check of a node, which pages without it do not load. It begins once the chain of the node is known. */
export class NodeCheck {
  readonly #deps: NodeCheckDeps;
  #verifier: Promise<LiveVerifier> | undefined;

  constructor(deps: NodeCheckDeps) {
    this.#deps = deps;
    const { verify } = deps.options;
    if (typeof verify === 'object') this.#follow(Promise.resolve(verify));
  }

  /** Checks another chain from now on. */
  start({ text }: Chain): void {
    const { defined, options } = this.#deps;
    const { verify: mode, url, explorer = url, genesis = text, checkpoint, worker, fetch } = options;
    if (typeof mode !== 'string') return;
    this.close();
    const sent = { mode, url, explorer, genesis, ...(checkpoint && { checkpoint }) };
    const load = async (): Promise<LiveVerifier> => {
      if (worker !== undefined) return (await import('./verify/in-worker.ts')).verifierInWorker(worker, sent);
      const { createVerifier } = await import('#verifier');
      return createVerifier({ definition: defined, ...sent, ...(fetch && { fetch }) });
    };
    this.#follow(load());
  }

  #follow(loading: Promise<LiveVerifier>): void {
    this.#verifier = loading;
    const take = (verdict: Verdict) => this.#verifier === loading && this.#take(verdict);
    loading.then(
      (verifier) => verifier.onVerdict(take),
      (error: unknown) => take({ kind: 'unproven', reason: String(error) }),
    );
  }

  #take(verdict: Verdict): void {
    const { proof } = this.#deps;
    const { block, state: before } = proof.get();
    const known = block === undefined ? {} : { block };
    if (verdict.kind === 'false') {
      const reason = `${verdict.by}: ${verdict.problem}`;
      proof.set({ ...known, state: 'false', reason });
      this.#deps.refuse(reason);
    } else if (verdict.kind === 'unproven') proof.set({ ...known, state: 'unproven', reason: verdict.reason });
    else {
      const { kind: state, ...facts } = verdict;
      proof.set({ state, ...facts });
      const shown = this.#deps.shown();
      // Rows that were received while blocks before them were executed.
      if (before !== state && shown !== undefined) this.announced(...shown);
    }
  }

  announced(...announcement: Announcement): void {
    void this.#verifier?.then((verifier) => verifier.announced(...announcement)).catch(() => undefined);
  }

  /** Resolves when a transaction is in the signed data of a block; not at all if it is not, or without a verifier. */
  async proven(hash: string, block: bigint): Promise<void> {
    const ask = async () => {
      const verdict = await (await this.#verifier)?.proven(hash, block);
      if (verdict?.kind === 'unproven') throw new Error(verdict.reason);
      return verdict;
    };
    const verdict = await retry(ask, { signal: this.#deps.signal });
    const isVerified = verdict?.kind === 'verified';
    if (verdict !== undefined && (this.#deps.options.verify === 'headers' || !isVerified)) this.#take(verdict);
    if (!isVerified) await new Promise(() => undefined);
  }

  close(): void {
    void this.#verifier?.then((verifier) => verifier.close()).catch(() => undefined);
    this.#verifier = undefined;
  }
}
