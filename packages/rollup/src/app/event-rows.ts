import {
  accountId,
  bytes,
  list,
  pair,
  type Snapshot,
  type StateWriter,
  struct,
  table,
  u32,
  u32Key,
  u64Key,
} from '@switchyard/machine/browser';
import { type AccountId, merkleRoot, Rejected, sha256 } from '@switchyard/protocol';

/*
 * Events of executed transactions, in the form that is stored and that a block commits to. A row holds those of some
 * transactions of a block, so that one look-up reads little of a large block, and one write serves many small ones.
 */

export interface TransactionEvents {
  /** Position of the transaction among those of its block, refused ones included. */
  readonly index: number;
  readonly signer: AccountId;
  readonly events: Uint8Array;
}

/** Rules of the chain. */
const MOST_OF_TRANSACTION = { events: 256, bytes: 65_536 };
const MOST_OF_BLOCK = { events: 65_536, bytes: 8 * 1_048_576 };

const ROW_BYTES = 32_768;
/** More than a block has. */
const MOST_ROWS = 1_024;

/** The key is a block and the first transaction of the row. */
const rows = table({
  prefix: 'index/events/',
  key: pair(u64Key, u32Key),
  value: list(struct({ index: u32, signer: accountId, events: bytes })),
});

/** Counts the events of a block, and refuses the transaction that emits one more than the rules allow. */
export class EventBounds {
  readonly #block = { events: 0, bytes: 0 };
  readonly #own = { events: 0, bytes: 0 };

  /** Begins a transaction. */
  begin(): void {
    this.#own.events = 0;
    this.#own.bytes = 0;
  }

  take(size: number): void {
    this.#own.events += 1;
    this.#own.bytes += size;
    const { events, bytes } = this.#own;
    mustFit('transaction', events, bytes, MOST_OF_TRANSACTION);
    mustFit('block', this.#block.events + events, this.#block.bytes + bytes, MOST_OF_BLOCK);
  }

  /** The transaction was executed: its events count for the block. */
  keep(): void {
    this.#block.events += this.#own.events;
    this.#block.bytes += this.#own.bytes;
  }
}

function mustFit(item: string, events: number, size: number, most: typeof MOST_OF_BLOCK): void {
  if (events > most.events) throw new Rejected('limit-reached', { field: `events of a ${item}`, limit: most.events });
  if (size > most.bytes)
    throw new Rejected('limit-reached', { field: `bytes of events of a ${item}`, limit: most.bytes });
}

/**
 * Commitment of a block to its events: a tree with a leaf for each transaction that has some, so that those of one are proven by
 * a short path.
 */
export function eventsRoot(all: readonly TransactionEvents[]): Uint8Array {
  return merkleRoot(
    all.map(({ index, events }) => {
      const leaf = new Uint8Array(4 + events.length);
      for (let at = 0; at < 4; at += 1) leaf[at] = index >>> (24 - 8 * at);
      leaf.set(events, 4);
      return leaf;
    }),
  );
}

const EVENTS = Uint8Array.of(2);

/** Part of the hash of the receipts. */
export const encodeEvents = (all: readonly TransactionEvents[]): Uint8Array => sha256(EVENTS, eventsRoot(all));

export function writeEvents(state: StateWriter, block: bigint, all: readonly TransactionEvents[]): void {
  for (let first = 0; first < all.length; ) {
    let next = first;
    for (let size = 0; next < all.length && (next === first || size < ROW_BYTES); next += 1)
      size += all[next]?.events.length ?? 0;
    const row = all.slice(first, next);
    rows.put(state, [block, row[0]?.index ?? 0], row);
    first = next;
  }
}

/** Events of a transaction; none if it had none, or they are deleted. */
export function eventsAt(snapshot: Snapshot, block: bigint, index: number): Uint8Array | undefined {
  return rowHolding(snapshot, [block, index])?.[1].find((each) => each.index === index)?.events;
}

/** Events of the transactions of a block, in their order. */
export function getEvents(snapshot: Snapshot, block: bigint): readonly TransactionEvents[] {
  return [...rows.range(snapshot, { within: withinBlock(block), limit: MOST_ROWS })].flatMap(([, found]) => found);
}

/** Place of a transaction in the events of all blocks. */
export type EventPlace = readonly [block: bigint, index: number];

/** Rows in order: the row with the place, if there is one, and those behind it. */
export function eventRowsFrom(snapshot: Snapshot, place: EventPlace, limit: number) {
  const first = rowHolding(snapshot, place);
  const found = first === undefined ? [] : [first];
  return [...found, ...rows.range(snapshot, { after: first?.[0] ?? place, limit: limit - found.length })];
}

/** Rows back from the row with the place, or from the one before it. */
export const eventRowsBefore = (snapshot: Snapshot, [block, index]: EventPlace, limit: number) =>
  rows.range(snapshot, { before: [block, index + 1], reverse: true, limit });

function rowHolding(snapshot: Snapshot, [block, index]: EventPlace) {
  const before = [block, index + 1] as const;
  const [found] = rows.range(snapshot, { within: withinBlock(block), before, reverse: true, limit: 1 });
  return found;
}

const withinBlock = (block: bigint): string => `${u64Key.toKey(block)}/`;

/** @param snapshot Holds the rows. */
export function deleteEvents(state: StateWriter, snapshot: Snapshot, block: bigint): void {
  for (const [key] of rows.range(snapshot, { within: withinBlock(block), limit: MOST_ROWS })) rows.delete(state, key);
}
