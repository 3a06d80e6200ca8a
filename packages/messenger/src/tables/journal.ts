import {
  accountId,
  assetId,
  list,
  type Snapshot,
  type StateReader,
  type StateWriter,
  struct,
  table,
  txHash,
  u32,
  u32Key,
  u64,
  u64Key,
  u128,
  type ValueCodec,
  type ValueOf,
} from '@switchyard/machine';
import { parseDenom } from '@switchyard/protocol';
import { type BlockRecord, TermIndex, termHash } from '@switchyard/rollup/node';
import type { MessengerEvent } from '../events.ts';

const KINDS = ['transfer', 'deposit', 'withdrawal'] as const;

/** One byte. */
const kind: ValueCodec<(typeof KINDS)[number]> = {
  size: () => 1,
  write(target, at, value) {
    target[at] = KINDS.indexOf(value);
  },
  read: (reader) => KINDS[reader.u8()] ?? 'transfer',
};

/**
 * A transfer, a credited deposit or a withdrawal. Messages are kept on their own. `transaction` of a deposit is on the sequencer and
 * `from` its bridge account; `to` of a withdrawal is an account of the sequencer.
 */
const entry = struct({ kind, transaction: txHash, from: accountId, to: accountId, asset: assetId, amount: u128 });
const chunk = struct({ block: u64, time: struct({ seconds: u64, nanos: u32 }), entries: list(entry) });
type Entry = ValueOf<typeof entry>;

/** An entry with its block, and its id, which is consecutive from 0. */
export type JournalEntry = Entry & { readonly id: bigint } & Pick<ValueOf<typeof chunk>, 'block' | 'time'>;

/** Entries of one block, some at a time, under the id of the first. */
const chunks = table({ prefix: 'index/journal/', key: u64Key, value: chunk });
const counts = table({ prefix: 'index/journal-count/', key: u32Key, value: u64, absent: 0n });

const CHUNK_ENTRIES = 64;

const journalCount = (state: StateReader): bigint => counts.get(state, 0);

/** Which entries are an account's. */
export function journalIndex(keep: bigint | undefined): TermIndex {
  const termsAt = (state: StateReader, first: bigint) =>
    (chunks.get(state, first)?.entries ?? []).map(({ from, to }) => [termHash(from), termHash(to)]);
  return new TermIndex('index/journal-terms/', { count: journalCount, chunk: termsAt }, keep);
}

/** Writes the movements of a block. */
export function writeJournal(state: StateWriter, block: BlockRecord<MessengerEvent>): void {
  const entries = entriesOf(block);
  if (entries.length === 0) return;
  let next = journalCount(state);
  for (let start = 0; start < entries.length; start += CHUNK_ENTRIES) {
    const some = entries.slice(start, start + CHUNK_ENTRIES);
    chunks.put(state, next, { block: block.number, time: block.time, entries: some });
    next += BigInt(some.length);
  }
  counts.put(state, 0, next);
}

function entriesOf({ events, deposits }: BlockRecord<MessengerEvent>): Entry[] {
  const entries = deposits.map(
    ({ deposit, account }): Entry => ({
      kind: 'deposit',
      transaction: deposit.sourceTransaction,
      from: deposit.bridge.account,
      to: account,
      asset: parseDenom(deposit.asset).id,
      amount: deposit.amount,
    }),
  );
  for (const { event, signer, transaction } of events) {
    if (event.kind === 'transfer' || event.kind === 'withdrawal') entries.push({ ...event, transaction, from: signer });
  }
  return entries;
}

export function journalEntry(snapshot: Snapshot, id: bigint): JournalEntry | undefined {
  const [holding] = chunks.range(snapshot, { before: id + 1n, reverse: true, limit: 1 });
  if (holding === undefined) return undefined;
  const [first, { block, time, entries }] = holding;
  const found = entries[Number(id - first)];
  return found && { ...found, id, block, time };
}
