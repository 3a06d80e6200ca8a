import { Rejected } from '@switchyard/protocol';
import { action, defineRollup, fallback, query } from '../define/definition.ts';
import { single, table } from '../define/table.ts';
import { address, asset, bool, text, u32, u64, u128 } from '../schema/scalars.ts';
import { list, option, record, union } from '../schema/shapes.ts';
import { described } from '../schema/type.ts';

const note = record({
  owner: address,
  text: text({ maxBytes: 32 }),
  tags: list(text({ maxBytes: 8 }), { maxItems: 4 }),
});

export const notes = table({
  name: 'notes',
  help: 'Notes by their number',
  key: u64,
  value: note,
  indexes: { owner: { key: [address], of: ({ owner }) => [owner] } },
  search: ['text'],
});
export const count = single({ name: 'count', value: u64, absent: 0n });
/** Seconds of the times of blocks: for queries alone. */
export const times = table({ name: 'times', key: u64, value: u64, derived: true });

/** A rollup of notes, with every kind of table and field: for tests. */
export const notesRollup = defineRollup({
  name: 'notes',
  help: 'notes with an owner',
  genesis: {
    firstNote: fallback(text({ maxBytes: 32 }), ''),
    firstOwner: option(address),
    maxNotes: fallback(u32, 100),
  },
  tables: [notes, count, times],
  onBlock: ({ number, time }, state) => times.put(state, number, time.seconds),
  initialState(state, { firstNote, firstOwner }) {
    if (firstOwner === undefined) return;
    notes.put(state, 0n, { owner: firstOwner, text: firstNote, tags: [] });
    count.put(state, 1n);
  },
  actions: {
    post: action({
      help: 'writes a note',
      fields: {
        text: described(text({ maxBytes: 32 }), 'The words'),
        tags: list(text({ maxBytes: 8 }), { maxItems: 4 }),
      },
      check({ text: written }) {
        if (written === '') throw new Rejected('empty', { field: 'text' });
      },
      execute({ text: written, tags }, { state, signer }) {
        const id = count.get(state);
        notes.put(state, id, { owner: signer, text: written, tags });
        count.put(state, id + 1n);
      },
    }),
    remove: action({
      fields: { id: u64 },
      execute({ id }, { state, signer }) {
        const found = notes.get(state, id);
        if (found === undefined) throw new Rejected('not-found', { note: id });
        if (found.owner !== signer) throw new Rejected('unauthorized', { note: id });
        notes.delete(state, id);
      },
    }),
    give: action({
      fields: {
        id: u64,
        to: address,
        price: option(record({ asset, amount: u128 })),
        how: union({ quietly: {}, loudly: { times: u32, again: bool } }),
      },
      execute({ id, to, price, how }, { state, signer }) {
        const found = notes.get(state, id);
        if (found?.owner !== signer) throw new Rejected('unauthorized', { note: id });
        const times = how.kind === 'loudly' ? how.times : 0;
        notes.put(state, id, { ...found, owner: to, tags: [String(times), String(price?.amount ?? 0n).slice(0, 8)] });
      },
    }),
  },
  queries: {
    note: query({
      help: 'One note',
      parameters: { id: u64 },
      answer: { id: u64, note },
      handle({ id }, { state }) {
        const found = notes.get(state, id);
        return found && { id, note: found };
      },
    }),
    notesOf: query({
      parameters: { owner: address, limit: fallback(u32, 50), newest: option(bool) },
      answer: { block: u64, ids: list(u64, { maxItems: 100 }) },
      handle({ owner, limit, newest = false }, { state, block }) {
        const found = notes.by(state, 'owner', [owner], { limit, reverse: newest });
        return { block, ids: [...found].map(([id]) => id) };
      },
    }),
  },
});
