import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { UndoDatabase } from './undo-database.ts';

const key = fc.integer({ min: 1, max: 8 }).map((value) => Uint8Array.of(value));
const value = fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined });
interface Write {
  readonly table: string;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

const table = fc.constantFrom('one', 'two');
const writes = fc.array(fc.array(fc.record({ table, key, value }), { maxLength: 6 }), { maxLength: 10 });

test('a rollback brings back all rows, whatever was written in between', () => {
  fc.assert(
    fc.property(writes, writes, (before, after) => {
      const database = new UndoDatabase(openMemoryDatabase());
      apply(database, before);
      const [moment, expected] = [database.mark(), getRows(database)];
      apply(database, after);
      database.rollback(moment);
      expect(getRows(database)).toEqual(expected);
      expect(database.mark()).toBe(moment);
    }),
  );
});

function apply(database: UndoDatabase, all: readonly (readonly Write[])[]): void {
  for (const each of all) {
    const rows = each.map((write) => ({ ...write, table: database.table(write.table) }));
    database.write((writer) => {
      for (const { table, key: at, value: bytes } of rows) {
        if (bytes === undefined) writer.remove(table, at);
        else writer.put(table, at, bytes);
      }
    });
  }
}

const getRows = (database: UndoDatabase) => ['one', 'two'].map((name) => database.table(name).range());

test('a rewind brings back all rows too, and every moment can still be gone back to', () => {
  fc.assert(
    fc.property(fc.array(writes, { minLength: 3, maxLength: 5 }), fc.nat(), fc.nat(), (steps, first, second) => {
      const database = new UndoDatabase(openMemoryDatabase());
      const moments = steps.map((step) => {
        apply(database, step);
        return { moment: database.mark(), rows: getRows(database) };
      });
      const [to, then] = [first % moments.length, second % moments.length].map((at) => moments[at]);
      database.rewind(to?.moment ?? 0);
      expect(getRows(database)).toEqual(to?.rows);
      const after = { moment: database.mark(), rows: getRows(database) };
      database.rewind(then?.moment ?? 0);
      expect(getRows(database)).toEqual(then?.rows);
      database.rollback(after.moment);
      expect(getRows(database)).toEqual(after.rows);
      for (const { moment, rows } of moments.toReversed()) {
        database.rollback(moment);
        expect(getRows(database)).toEqual(rows);
      }
    }),
  );
});

test('where moments are forgotten, the others can still be gone back to', () => {
  fc.assert(
    fc.property(fc.array(writes, { minLength: 4, maxLength: 6 }), (steps) => {
      const database = new UndoDatabase(openMemoryDatabase());
      const moments = steps.map((step) => {
        const before = { moment: database.mark(), rows: getRows(database) };
        apply(database, step);
        return before;
      });
      const [first, second, third, last] = moments;
      if (!first || !second || !third || !last) throw new Error('there are four at least');
      database.forgetBetween(first.moment, last.moment);
      const kept = [first.moment, last.moment];
      for (const { moment } of [second, third]) {
        if (!kept.includes(moment)) expect(() => database.rewind(moment)).toThrow('is forgotten');
      }
      database.rollback(last.moment);
      expect(getRows(database)).toEqual(last.rows);
      database.rollback(first.moment);
      expect(getRows(database)).toEqual(first.rows);
    }),
  );
});

test('a write that fails leaves nothing to take back', () => {
  const database = new UndoDatabase(openMemoryDatabase());
  const one = database.table('one');
  const failing = () =>
    database.write((writer) => {
      writer.put(one, Uint8Array.of(1), Uint8Array.of(2));
      throw new Error('failed');
    });
  expect(failing).toThrow('failed');
  expect(database.mark()).toBe(0);
});
