import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openMemoryDatabase } from '../database/memory.ts';
import { UndoDatabase } from './undo-database.ts';

const key = fc.integer({ min: 1, max: 8 }).map((value) => Uint8Array.of(value));
const value = fc.option(fc.uint8Array({ maxLength: 3 }), { nil: undefined });
const table = fc.constantFrom('one', 'two');
const writes = fc.array(fc.array(fc.record({ table, key, value }), { maxLength: 6 }), { maxLength: 10 });

test('a rollback brings back all rows, whatever was written in between', () => {
  fc.assert(
    fc.property(writes, writes, (before, after) => {
      const database = new UndoDatabase(openMemoryDatabase());
      const write = (all: typeof before) => {
        for (const each of all) {
          database.write((writer) => {
            for (const { table: name, key: at, value: bytes } of each) {
              if (bytes === undefined) writer.remove(database.table(name), at);
              else writer.put(database.table(name), at, bytes);
            }
          });
        }
      };
      const rows = () => ['one', 'two'].map((name) => database.table(name).range());
      write(before);
      const [moment, expected] = [database.mark(), rows()];
      write(after);
      database.rollback(moment);
      expect(rows()).toEqual(expected);
      expect(database.mark()).toBe(moment);
    }),
  );
});

test('a write that fails leaves nothing to take back', () => {
  const database = new UndoDatabase(openMemoryDatabase());
  const failing = () =>
    database.write((writer) => {
      writer.put(database.table('one'), Uint8Array.of(1), Uint8Array.of(2));
      throw new Error('failed');
    });
  expect(failing).toThrow('failed');
  expect(database.mark()).toBe(0);
});
