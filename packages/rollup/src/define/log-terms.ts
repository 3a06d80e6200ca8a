import { bytes, decodeValue, list, struct, u32, u64 } from '@switchyard/machine/browser';
import { equalBytes } from '@switchyard/protocol';
import { typeByBlock } from '#rows';
import type { Fields, RecordType } from '../schema/shapes.ts';

/** Entries of a block in the store, some at a time. */
export const logRow = struct({ block: u64, time: struct({ seconds: u64, nanos: u32 }), entries: list(bytes) });

/** Fields by which an entry of a log is found. */
export type Terms = Readonly<Record<string, unknown>>;

/** Rows of a log whose terms are kept until an index has them. */
const MOST_ROWS = 64;

/** Terms of the entries that were appended last, which are not decoded again as long as a store has their bytes. */
export class RecentTerms {
  readonly #rows = new Map<bigint, { readonly stored: Uint8Array; readonly terms: readonly Terms[] }>();
  readonly #typeNow: () => RecordType<Fields>;

  constructor(
    readonly fields: readonly string[],
    readonly newest: RecordType<Fields>,
    readonly decode: (entry: Uint8Array) => Terms,
  ) {
    this.#typeNow = typeByBlock(newest);
  }

  /** Terms as they are decoded: the caller may change its bytes. */
  of(entry: Terms): Terms {
    const own = (value: unknown): unknown => (value instanceof Uint8Array ? value.slice() : value);
    return Object.fromEntries(this.fields.map((name) => [name, own(entry[name])]));
  }

  /** @param first Id of the first entry of a row. */
  remember(first: bigint, stored: Uint8Array, terms: readonly Terms[]): void {
    if (this.fields.length > 0 && this.#typeNow() === this.newest) this.#rows.set(first, { stored, terms });
    for (const each of this.#rows.keys()) if (this.#rows.size > MOST_ROWS) this.#rows.delete(each);
  }

  /** Terms of a row, which another node of the process may have with other entries. */
  read(first: bigint, stored: Uint8Array | undefined): readonly Terms[] {
    if (stored === undefined) return [];
    const known = this.#rows.get(first);
    if (known !== undefined && equalBytes(known.stored, stored)) return known.terms;
    return decodeValue(logRow, stored).entries.map(this.decode);
  }
}
