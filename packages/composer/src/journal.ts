import type { TxHash } from '@switchyard/protocol';
import type { Chunk, Leftover, Range } from './backlog.ts';

/** A signed transaction that may have reached a sequencer, and the items in it. */
export interface Candidate {
  readonly hash: TxHash;
  readonly ranges: readonly Range[];
}

/** A nonce of the paying account and everything that was ever signed under it: at most one of them can execute. */
export interface Bundle {
  readonly nonce: number;
  /** The last one is the one that is being sent. */
  readonly candidates: readonly Candidate[];
}

/** What became of items that are no longer in the backlog. */
export interface Fate {
  /** Rises. */
  readonly id: number;
  readonly outcome:
    | { readonly kind: 'sequenced'; readonly height: bigint; readonly transaction: TxHash }
    | { readonly kind: 'refused'; readonly reason: string };
  /** Of the items: SHA-256 of their data. */
  readonly hashes: readonly TxHash[];
}

/** Everything that a settled nonce changes, written in one batch. */
export interface Settlement {
  readonly bundles: readonly { readonly nonce: number; readonly bundle: Bundle | undefined }[];
  readonly leftovers: readonly Leftover[];
  readonly fates: readonly Fate[];
  readonly forgottenFates: readonly number[];
}

export interface Recovered {
  /** In order of acceptance, with what of them is finished. */
  readonly chunks: readonly { readonly chunk: Chunk; readonly done: readonly Range[] }[];
  /** By nonce. */
  readonly bundles: readonly Bundle[];
  readonly fates: readonly Fate[];
}

/** What the composer keeps on disk. Each call resolves when its write is durable, and is atomic. */
export interface Journal {
  recover(): Recovered;
  accept(chunk: Chunk): Promise<void>;
  putBundle(bundle: Bundle): Promise<void>;
  settle(settlement: Settlement): Promise<void>;
  close(): Promise<void>;
}

/** For tests: what is kept survives as long as the object does. */
export function createMemoryJournal(): Journal {
  const chunks = new Map<number, Chunk>();
  const done = new Map<number, readonly Range[]>();
  const bundles = new Map<number, Bundle>();
  const fates = new Map<number, Fate>();
  return {
    recover: () => ({
      chunks: [...chunks.values()].map((chunk) => ({ chunk, done: done.get(chunk.id) ?? [] })),
      bundles: [...bundles.values()].sort((a, b) => a.nonce - b.nonce),
      fates: [...fates.values()],
    }),
    async accept(chunk) {
      chunks.set(chunk.id, chunk);
    },
    async putBundle(bundle) {
      bundles.set(bundle.nonce, bundle);
    },
    async settle(settlement) {
      for (const { nonce, bundle } of settlement.bundles) {
        if (bundle === undefined) bundles.delete(nonce);
        else bundles.set(nonce, bundle);
      }
      for (const { chunk, done: parts } of settlement.leftovers) {
        if (parts !== undefined) done.set(chunk, parts);
        else {
          chunks.delete(chunk);
          done.delete(chunk);
        }
      }
      for (const fate of settlement.fates) fates.set(fate.id, fate);
      for (const id of settlement.forgottenFates) fates.delete(id);
    },
    close: async () => undefined,
  };
}
