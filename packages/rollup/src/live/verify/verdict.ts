import type { ChangedRow } from './executed-chain.ts';

/** Result of a check of something that a node shows. */
export type Verdict =
  /** `unkept` is the reason why the executed chain is not kept for the next start. */
  | { readonly kind: 'verified'; readonly block: bigint; readonly unkept?: string }
  /** It may be true; nothing shows it. `trust` accepts validators that this client does not know. */
  | { readonly kind: 'unproven'; readonly reason: string; readonly trust?: () => void }
  /** A check failed: `by` gave a false statement, or withholds a block. */
  | { readonly kind: 'false'; readonly by: string; readonly problem: string };

/** Proves outcomes; see `@switchyard/rollup/live/verify`. */
export interface LiveVerifier {
  /** Calls the listener with the newest verdict and each later one. */
  onVerdict(listener: (verdict: Verdict) => void): unknown;
  /** Is called with each block that the node announces, and rows of its state by the keys and encodings of the store. */
  announced(block: bigint, hash: string, rows?: readonly ChangedRow[]): void;
  /** Whether signed data of the sequencer holds a transaction for this block of the rollup. @param hash 64 hex digits. */
  proven(hash: string, block: bigint): Promise<Verdict>;
  close(): unknown;
}

/** Ends a check. */
export class Decided extends Error {
  constructor(readonly verdict: Verdict) {
    super(verdict.kind);
  }
}

export const unproven = (reason: string): Verdict => ({ kind: 'unproven', reason });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @throws {Decided} that names who gave the statement, if the check of it throws. */
export function by<T>(who: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw new Decided({ kind: 'false', by: who, problem: messageOf(error) });
  }
}

export const verdictOf = (check: () => Promise<Verdict>): Promise<Verdict> =>
  check().catch((error: unknown) => (error instanceof Decided ? error.verdict : unproven(messageOf(error))));
