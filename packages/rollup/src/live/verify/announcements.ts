import { INDEX_PREFIX } from '@switchyard/machine/browser';
import { equalBytes, toHex } from '@switchyard/protocol';
import { rowCodec } from '../../define/row-codec.ts';
import type { AnyTable } from '../../define/table.ts';
import type { ChainHead, ChangedRow, ExecutedChain } from './executed-chain.ts';

/** Blocks whose hashes are kept, and announcements that may be ahead of the execution. */
const MOST_BLOCKS = 4_096;
const MOST_AHEAD = 256;
/** Changed keys that are kept with the block that changed them last. */
const MOST_KEYS = 100_000;

interface Announced {
  readonly hash: string;
  readonly rows: readonly ChangedRow[];
}

/** Statements of a node on blocks, compared with the chain that was executed here. */
export class Announcements {
  readonly #chain: ExecutedChain;
  readonly #tables: readonly (ReturnType<typeof rowCodec<unknown>> & { readonly prefix: string })[];
  /** Hashes of executed blocks by number. */
  readonly #hashes = new Map<bigint, string>();
  readonly #ahead = new Map<bigint, Announced>();
  readonly #changedAt = new Map<string, bigint>();
  /** Rows of earlier blocks are not compared: a later change of theirs may be forgotten. */
  #rowsSince = 0n;

  constructor(chain: ExecutedChain, tables: readonly AnyTable[]) {
    this.#chain = chain;
    this.#tables = tables.map(({ prefix, value }) => ({ prefix, ...rowCodec<unknown>(value) }));
    this.#hashes.set(chain.head.number, chain.head.hash);
  }

  /** @returns the contradiction, if there is one; later blocks are compared when they are executed. */
  announced(number: bigint, hash: string, rows: readonly ChangedRow[]): string | undefined {
    if (number <= this.#chain.head.number) return this.#compare(number, { hash, rows });
    this.#ahead.set(number, { hash, rows: [...(this.#ahead.get(number)?.rows ?? []), ...rows] });
    dropFirst(this.#ahead, MOST_AHEAD);
    return undefined;
  }

  /** @returns a contradiction to what was announced of the block. */
  executed({ number, hash }: ChainHead, changed: Iterable<string>): string | undefined {
    this.#hashes.set(number, hash);
    for (const key of changed) {
      this.#changedAt.delete(key);
      this.#changedAt.set(key, number);
    }
    dropFirst(this.#hashes, MOST_BLOCKS);
    this.#rowsSince = dropFirst(this.#changedAt, MOST_KEYS) ?? this.#rowsSince;
    const announced = this.#ahead.get(number);
    this.#ahead.delete(number);
    return announced && this.#compare(number, announced);
  }

  #compare(number: bigint, { hash, rows }: Announced): string | undefined {
    const expected = this.#hashes.get(number);
    if (expected === undefined) return undefined;
    if (hash !== expected) return `block ${number}: expected the hash ${expected}, got ${hash}`;
    const { state } = this.#chain;
    for (const [key, value] of number < this.#rowsSince ? [] : rows) {
      // A later block has changed it, whose announcement has the value of now; indexes and derived tables are not executed.
      if ((this.#changedAt.get(key) ?? 0n) > number || key.startsWith(INDEX_PREFIX)) continue;
      const executed = this.#asNewest(key, state.get(key));
      if (executed === undefined ? value === undefined : value !== undefined && equalBytes(executed, value)) continue;
      return `block ${number}: expected ${shown(executed)} as row ${key}, got ${shown(value)}`;
    }
    return undefined;
  }

  /** A row that was written by earlier types as a client has it. */
  #asNewest(key: string, row: Uint8Array | undefined): Uint8Array | undefined {
    const table = this.#tables.find(({ prefix }) => key.startsWith(prefix));
    return row && table ? table.encode(table.decode(row)) : row;
  }
}

const shown = (value: Uint8Array | undefined): string =>
  value === undefined ? 'none' : `${toHex(value.subarray(0, 64))}${value.length > 64 ? '...' : ''}`;

/** @returns the last of the values that were dropped. */
function dropFirst<K, V>(from: Map<K, V>, most: number): V | undefined {
  let dropped: V | undefined;
  for (const [key, value] of from) {
    if (from.size <= most) break;
    from.delete(key);
    dropped = value;
  }
  return dropped;
}
