import type { StateReader } from '@switchyard/machine/browser';

/** Result of a check of something that a node shows. */
export type Verdict =
  | { readonly kind: 'verified'; readonly block: bigint }
  /** It may be true; nothing shows it. `trust` accepts validators that this client does not know. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly trust?: () => void }
  /** A check failed: `by` gave a false statement, or withholds a block. */
  | { readonly kind: 'false'; readonly by: string; readonly problem: string };

/** Checks the node that a client reads from, block after block. */
export interface Verifier {
  /** Compares a block that the node has announced with the one that follows from the sequencer's data. */
  announced(block: bigint, hash: string): void;
  /** Calls the listener with each new verdict on the node. @returns a function that ends it. */
  onVerdict(listener: (verdict: Verdict) => void): () => void;
  /** Whether signed data of the sequencer holds a transaction for this block of the rollup. @param hash 64 hex digits. */
  proven(hash: string, block: bigint): Promise<Verdict>;
  /** State after the newest block that was executed here; undefined in the mode `headers`, and in front of a worker. */
  read(): { readonly block: bigint; readonly state: StateReader } | undefined;
  /** Resolves when the state is saved. */
  close(): Promise<void>;
}
