import { action, address, defineRollup, fallback, query, Rejected, single, table, u32, u64 } from '@switchyard/rollup';

/** How often each note was added, by its number. */
export const notes = table({ name: 'notes', key: u64, value: u32 });
const total = single({ name: 'total', value: u64, absent: 0n });
const cells = table({ name: 'cells', key: u32, value: u64 });
const authors = table({ name: 'authors', key: address, value: u32 });

/** A rollup for pages that follow it: notes that are added once each, and a table that is as large as a page copies. */
export const board = defineRollup({
  name: 'board',
  genesis: { cells: fallback(u32, 0) },
  tables: [notes, total, cells, authors],
  initialState(state, genesis) {
    for (let cell = 0; cell < genesis.cells; cell += 1) cells.put(state, cell, 0n);
  },
  actions: {
    add: action({
      fields: { note: u64 },
      execute({ note }, { state, signer }) {
        if (note === 0n) throw new Rejected('empty', { field: 'note' });
        notes.put(state, note, (notes.get(state, note) ?? 0) + 1);
        authors.put(state, signer, (authors.get(state, signer) ?? 0) + 1);
        total.put(state, total.get(state) + 1n);
      },
    }),
    /** Changes so many cells in a row. */
    paint: action({
      fields: { from: u32, count: u32, value: u64 },
      execute({ from, count, value }, { state }) {
        for (let cell = from; cell < from + count; cell += 1) cells.put(state, cell, value);
      },
    }),
  },
  queries: {
    total: query({ answer: { total: u64 }, handle: (_, { state }) => ({ total: total.get(state) }) }),
    cell: query({
      parameters: { cell: u32 },
      answer: { value: u64 },
      handle: ({ cell }, { state }) => ({ value: cells.get(state, cell) ?? 0n }),
    }),
  },
});
