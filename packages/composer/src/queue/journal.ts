import type { Chunk, Leftover } from './backlog.ts';
import type { Range } from './ranges.ts';
import {
  type Bundle,
  decodeBundle,
  decodeChunk,
  decodeOutcome,
  decodeRanges,
  encodeBundle,
  encodeChunk,
  encodeOutcome,
  encodeRanges,
  type OutcomeRecord,
} from './records.ts';

/** Everything that one decision changes. */
export interface Settlement {
  /** Nonces whose bundles are over. */
  readonly nonces?: readonly number[];
  readonly leftovers?: readonly Leftover[];
  readonly outcomes?: readonly OutcomeRecord[];
  readonly forgottenOutcomes?: readonly number[];
}

export interface Recovered {
  /** In order of acceptance, with their finished parts. */
  readonly chunks: readonly { readonly chunk: Chunk; readonly done: readonly Range[] }[];
  /** Bundles by nonce. */
  readonly bundles: readonly Bundle[];
  readonly outcomes: readonly OutcomeRecord[];
}

export type Journal = ReturnType<typeof createJournal>;

export type Kind = 'chunk' | 'done' | 'bundle' | 'outcome';

/** A record to be written, or to be removed if there is no value. */
export interface Change {
  readonly kind: Kind;
  readonly id: number;
  readonly value: Uint8Array | undefined;
}

/** Storage of the records. */
export interface Records {
  /** Reads values by rising id. */
  read(kind: Kind): Iterable<readonly [id: number, value: Uint8Array]>;
  /**
   * All of it or nothing; later calls never overtake earlier ones, and fail when one of those has. Resolves when it is
   * durable.
   */
  write(changes: readonly Change[]): Promise<void>;
  close(): Promise<void>;
}

/** Durable state of the composer. Each write is atomic, and when it resolves it is durable, with all that were begun before. */
export function createJournal(records: Records) {
  return {
    recover(): Recovered {
      const done = new Map(Array.from(records.read('done'), ([id, bytes]) => [id, decodeRanges(bytes)]));
      return {
        chunks: Array.from(records.read('chunk'), ([id, bytes]) => ({
          chunk: decodeChunk(id, bytes),
          done: done.get(id) ?? [],
        })),
        bundles: Array.from(records.read('bundle'), ([nonce, bytes]) => decodeBundle(nonce, bytes)),
        outcomes: Array.from(records.read('outcome'), ([id, bytes]) => decodeOutcome(id, bytes)),
      };
    },
    accept: (chunk: Chunk) => records.write([{ kind: 'chunk', id: chunk.first, value: encodeChunk(chunk) }]),
    putBundle: (bundle: Bundle) => records.write([{ kind: 'bundle', id: bundle.nonce, value: encodeBundle(bundle) }]),
    async settle({ nonces = [], leftovers = [], outcomes = [], forgottenOutcomes = [] }: Settlement): Promise<void> {
      const changes: Change[] = nonces.map((id) => ({ kind: 'bundle', id, value: undefined }));
      for (const { chunk: id, done } of leftovers) {
        if (done === undefined) changes.push({ kind: 'chunk', id, value: undefined });
        changes.push({ kind: 'done', id, value: done === undefined ? undefined : encodeRanges(done) });
      }
      for (const record of outcomes) changes.push({ kind: 'outcome', id: record.id, value: encodeOutcome(record) });
      for (const id of forgottenOutcomes) changes.push({ kind: 'outcome', id, value: undefined });
      if (changes.length > 0) await records.write(changes);
    },
    close: () => records.close(),
  };
}
