import type { ChangedRow } from './executed-chain.ts';
import type { Verdict } from './verdict.ts';
import type { VerifierOptions } from './verifier.ts';

/** Options that a page sends to its worker, which has the definition itself. */
export type SentOptions = Omit<VerifierOptions, 'definition' | 'storage' | 'fetch'>;

/** A block that a node has announced, with rows of its state. */
export type Announcement = readonly [block: bigint, hash: string, rows: readonly ChangedRow[]];

/** Messages of a page to its worker, and the answers of that. The worker holds the lock as long as it lives. */
export type ToWorker =
  | { readonly kind: 'start'; readonly options: SentOptions; readonly lock: string }
  | { readonly kind: 'announced'; readonly announcement: Announcement }
  | { readonly kind: 'proven'; readonly id: number; readonly hash: string; readonly block: bigint };
export type FromWorker =
  | { readonly kind: 'started' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'proven'; readonly id: number; readonly verdict: Verdict };

/** The part of a `Worker`, or of the global scope within one, that both sides need. */
export interface MessageTarget {
  postMessage(message: unknown): void;
  addEventListener(
    type: string,
    listener: (event: { readonly data?: unknown; readonly message?: string }) => void,
  ): void;
}
