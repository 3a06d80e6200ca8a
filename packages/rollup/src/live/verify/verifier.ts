import type { HttpApiOptions } from '@switchyard/client/http-api';
import { type RollupClient, rollupClient } from '@switchyard/client/rollup';
import { SignedSource } from '@switchyard/client/signed-blocks';
import type { StateReader } from '@switchyard/machine/browser';
import { txHashOf, type Validator } from '@switchyard/protocol';
import { anySignal, sleep } from '@switchyard/service/browser';
import { blockInput } from '../../app/block-input.ts';
import type { Rules } from '../../app/definition.ts';
import { mustNameSequencer } from '../../app/genesis.ts';
import type { AnyRollup } from '../../define/definition.ts';
import { getGenesis, toRules } from '../../define/rules-of.ts';
import { Announcements } from './announcements.ts';
import { bringExecution } from './bring-execution.ts';
import { blaming, ChainFollower } from './chain-follower.ts';
import type { ChainStorage } from './chain-storage.ts';
import { type ChangedRow, ExecutedChain } from './executed-chain.ts';
import { trustEvidence } from './trust-evidence.ts';
import { by, Decided, type LiveVerifier, messageOf, unproven, type Verdict, verdictOf } from './verdict.ts';

export interface VerifierOptions {
  readonly definition: AnyRollup;
  /** Address of the node that is checked. */
  readonly url: string;
  /** Address of an explorer of the sequencer, which serves signed blocks. */
  readonly explorer: string;
  /** Text of the genesis file, which names the chain of the sequencer. */
  readonly genesis: string;
  /** `headers` proves single transactions; `execute` executes each block from the genesis on, and finds false rows and roots. */
  readonly mode: 'headers' | 'execute';
  /** A block of the sequencer that a person vouches for, with its hash in hex; the first validators seen are trusted, if absent. */
  readonly checkpoint?: { readonly height: bigint; readonly hash: string };
  /** Keeps the chain for the next start; nothing is kept, if absent. */
  readonly storage?: ChainStorage;
  /** Instead of that of the platform. */
  readonly fetch?: HttpApiOptions['fetch'];
}

/** Checks the node that a client reads from, block after block. */
export interface Verifier extends LiveVerifier {
  /** @returns a function that ends it. */
  onVerdict(listener: (verdict: Verdict) => void): () => void;
  /** State after the newest block that was executed here; undefined in the mode `headers`, and in front of a worker. */
  read(): { readonly block: bigint; readonly state: StateReader } | undefined;
  /** Resolves when the state is saved. */
  close(): Promise<void>;
}

const PAUSE_MS = 500;

/**
 * Begins to check a node. It runs in the thread of its caller: a page calls it in a worker.
 *
 * @throws {InvalidConfig} for a genesis that is not one of the definition, or does not name the chain of the sequencer.
 * @example
 * ```ts
 * const verifier = createVerifier({ definition: counter, genesis: genesisText, url, explorer: url, mode: 'execute' });
 * verifier.onVerdict((verdict) => console.log(verdict.kind));
 * ```
 */
export function createVerifier(options: VerifierOptions): Verifier {
  bringExecution();
  return new ChainVerifier(options);
}

class ChainVerifier implements Verifier {
  readonly #options: VerifierOptions;
  readonly #rules: Rules;
  readonly #node: RollupClient;
  readonly #source: SignedSource;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<(verdict: Verdict) => void>();
  readonly #names: { readonly node: string; readonly explorer: string };
  readonly #work: Promise<void>;
  #verdict: Verdict | undefined;
  #validators: readonly Validator[] | undefined;
  #chain: ExecutedChain | undefined;
  #announcements: Announcements | undefined;
  #wake = (): void => undefined;
  /** Whether the storage has all rows of this chain, of an earlier block. */
  #isSaved = false;
  #isDirty = false;
  #saving: Promise<void> | undefined;
  #unkept: string | undefined;

  constructor(options: VerifierOptions) {
    const { definition, genesis: text, url, explorer, fetch } = options;
    const genesis = getGenesis(definition, text, 'the genesis');
    mustNameSequencer(genesis, 'the genesis');
    this.#options = options;
    this.#rules = toRules(definition, genesis);
    this.#node = rollupClient({ url, fetch });
    this.#source = new SignedSource({ url: explorer, fetch }, genesis.rollup);
    this.#names = { node: `the node at ${url}`, explorer: `the explorer at ${explorer}` };
    this.#work = this.#run(this.#stop.signal);
  }

  announced(block: bigint, hash: string, rows: readonly ChangedRow[] = []): void {
    const problem = this.#announcements?.announced(block, hash, rows);
    if (problem !== undefined) this.#end({ kind: 'false', by: this.#names.node, problem });
    this.#wake();
  }

  onVerdict(listener: (verdict: Verdict) => void): () => void {
    this.#listeners.add(listener);
    if (this.#verdict !== undefined) listener(this.#verdict);
    return () => void this.#listeners.delete(listener);
  }

  proven(hash: string, block: bigint): Promise<Verdict> {
    return verdictOf(async () => {
      const { signal } = this.#stop;
      const { node, explorer } = this.#names;
      const { rollup, sequencerChainId: chainId, sequencerGenesisBlockHeight: genesisHeight } = this.#rules.genesis;
      const height = genesisHeight + block;
      const evidence = by(explorer, await this.#source.evidence(height, signal).catch(blaming(explorer)));
      const trusted = { known: this.#validators, trust: (set: readonly Validator[]) => this.#trust(set) };
      trustEvidence(evidence, { chainId, rollup, genesisHeight }, trusted, explorer);
      const isIncluded = blockInput(evidence.block, rollup).entries.some(
        (entry) => entry.kind === 'sequencedData' && txHashOf(entry.data) === hash,
      );
      if (isIncluded) return { kind: 'verified', block };
      const problem = `block ${block}: expected data of block ${height} of the sequencer, got transaction ${hash}, which it does not have`;
      return { kind: 'false', by: node, problem };
    });
  }

  read(): ReturnType<Verifier['read']> {
    return this.#chain && { block: this.#chain.head.number, state: this.#chain.state };
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the verifier is closed'));
    await this.#work;
    await this.#save();
  }

  #trust(validators: readonly Validator[]): void {
    this.#validators = validators;
    void this.#save();
  }

  #tell(verdict: Verdict): void {
    const unkept = this.#unkept;
    this.#verdict = verdict.kind === 'verified' && unkept !== undefined ? { ...verdict, unkept } : verdict;
    for (const listener of this.#listeners) listener(this.#verdict);
  }

  /** After a false statement nothing of the chain is checked any more. */
  #end(verdict: Verdict & { readonly kind: 'false' }): void {
    if (this.#verdict?.kind === 'false') return;
    this.#tell(verdict);
    this.#stop.abort(new Error('a statement was false'));
  }

  async #run(signal: AbortSignal): Promise<void> {
    try {
      await this.#load();
      if (this.#options.mode === 'headers') return;
      this.#chain ??= await ExecutedChain.begin(this.#rules);
      this.#announcements = new Announcements(this.#chain, this.#options.definition.tables ?? []);
      await new ChainFollower({
        ...{ rules: this.#rules, chain: this.#chain, announcements: this.#announcements },
        ...{ node: this.#node, source: this.#source, names: this.#names, checkpoint: this.#options.checkpoint },
        tell: (verdict) => this.#tell(verdict),
        save: () => void this.#save(),
        pause: () => this.#pause(signal),
      }).run(signal);
    } catch (error) {
      if (signal.aborted) return;
      const verdict = error instanceof Decided ? error.verdict : unproven(messageOf(error));
      if (verdict.kind === 'false') this.#end(verdict);
      else this.#tell(verdict);
    }
  }

  /** A chain that does not have its root is executed from the genesis again. */
  async #load(): Promise<void> {
    try {
      const saved = await this.#options.storage?.read();
      if (saved?.facts.chainId !== this.#rules.genesis.chainId) return;
      const { facts, rows } = saved;
      this.#validators = facts.validators;
      if (facts.head === undefined || this.#options.mode === 'headers') return;
      this.#chain = await ExecutedChain.resume(this.#rules, facts.head, rows);
      this.#isSaved = this.#chain !== undefined && saved.isOwn;
    } catch {
      // Blocked, or damaged: the next save replaces it.
    }
  }

  /** Saves the newest block, after a save that is at work. A storage that fails is not used again. */
  #save(): Promise<void> {
    this.#isDirty = true;
    this.#saving ??= this.#saveAll().finally(() => {
      this.#saving = undefined;
    });
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    const { storage } = this.#options;
    while (this.#isDirty && storage !== undefined && this.#unkept === undefined) {
      this.#isDirty = false;
      const facts = { chainId: this.#rules.genesis.chainId, head: this.#chain?.head, validators: this.#validators };
      const rows = this.#chain?.takeRows(!this.#isSaved) ?? [];
      try {
        await storage.write(facts, rows, !this.#isSaved);
        this.#isSaved = true;
      } catch (error) {
        this.#unkept = messageOf(error);
      }
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    const over = new AbortController();
    const pause = sleep(PAUSE_MS, anySignal(signal, over.signal)).catch(() => undefined);
    await Promise.race([woken, pause]);
    over.abort();
    signal.throwIfAborted();
  }
}
