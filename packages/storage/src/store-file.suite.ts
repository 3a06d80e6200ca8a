import { describe, expect, test } from 'vitest';
import { StoreFile } from './store-file.ts';
import type { StoreRange } from './store-table.ts';

const bytes = (...item: number[]) => Uint8Array.from(item);
const ONE = bytes(1);
const TWO = bytes(2);

/** A turn later, and with the time of an asynchronous write. */
const later = () => new Promise((resolve) => setTimeout(resolve, 50));

/** @param newDirectory A place for one store. */
export function storeFileSuite(name: string, newDirectory: () => string): void {
  const open = (directory = newDirectory()) => new StoreFile<string>(directory, 'composer-queue', { keys: 'text' });
  /** Keys without that of the format. */
  const getKeys = (file: StoreFile<string>) => Array.from(file.main.keys({})).filter((key) => key !== 'format');

  describe(`store in ${name}`, () => {
    test('keeps what was written in every table until the next process', async () => {
      const directory = newDirectory();
      const first = open(directory);
      first.main.putSync('a', ONE);
      first.transactionSync(() => first.table('other').putSync('a', TWO));
      await first.main.put('b', bytes());
      expect(first.table('other')).toBe(first.table('other'));
      await first.close();
      const second = open(directory);
      expect([second.main.get('a'), second.main.get('b'), second.main.get('c')]).toEqual([ONE, bytes(), undefined]);
      expect([...second.table('other').entries({})]).toEqual([['a', TWO]]);
      second.main.removeSync('a');
      await second.main.remove('b');
      await second.main.remove('never there');
      expect([second.main.get('a'), second.main.get('b'), second.table('other').count()]).toEqual([
        undefined,
        undefined,
        1,
      ]);
      await second.close();
    });

    test('takes a transaction whole or not at all', async () => {
      const file = open();
      file.main.putSync('a', ONE);
      const fails = () =>
        file.transactionSync(() => {
          file.main.putSync('a', TWO);
          void file.main.put('b', TWO);
          file.table('').removeSync('a');
          throw new Error('of the work');
        });
      expect(fails).toThrow('of the work');
      expect([...file.main.entries({ end: 'c' })]).toEqual([['a', ONE]]);
      await file.close();
    });

    test('undoes a transaction inside another one alone', async () => {
      const file = open();
      file.transactionSync(() => {
        file.main.putSync('a', ONE);
        expect(() =>
          file.transactionSync(() => {
            file.main.putSync('a', TWO);
            file.main.putSync('b', TWO);
            throw new Error('of the work');
          }),
        ).toThrow('of the work');
        file.transactionSync(() => file.main.putSync('c', ONE));
      });
      expect([getKeys(file), file.main.get('a')]).toEqual([['a', 'c'], ONE]);
      await file.close();
    });

    test('shows a transaction its own writes, of either kind', async () => {
      const file = open();
      let done: Promise<void> | undefined;
      file.transactionSync(() => {
        file.main.putSync('a', ONE);
        void file.main.put('b', ONE);
        done = file.batch(() => void file.main.put('c', ONE));
        expect(getKeys(file)).toEqual(['a', 'b', 'c']);
        void file.main.remove('b');
        expect(file.main.get('b')).toBeUndefined();
      });
      expect(getKeys(file)).toEqual(['a', 'c']);
      await done;
      await file.close();
    });

    test('runs the work of a batch at once, and shows its writes when they are done', async () => {
      const file = open();
      let ran = false;
      const batch = file.batch(() => {
        ran = true;
        void file.main.put('a', ONE);
        expect(file.main.get('a')).toBeUndefined();
      });
      expect([ran, file.main.get('a')]).toEqual([true, undefined]);
      await batch;
      expect(file.main.get('a')).toEqual(ONE);
      await file.close();
    });

    test('is done in the order of the calls, and a transaction is before what was put in its turn', async () => {
      const file = open();
      const order: string[] = [];
      const note = (what: string) => () => void order.push(what);
      const puts = [
        file.main.put('a', ONE).then(note('put')),
        file.batch(() => void file.main.put('a', TWO)).then(note('batch')),
      ];
      file.main.putSync('b', ONE);
      file.transactionSync(() => file.main.putSync('a', bytes(3)));
      expect([...file.main.entries({ end: 'c' })]).toEqual([
        ['a', bytes(3)],
        ['b', ONE],
      ]);
      puts.push(file.main.remove('b').then(note('remove')));
      await Promise.all(puts);
      expect([file.main.get('a'), file.main.get('b'), order[0]]).toEqual([TWO, undefined, 'put']);
      await file.close();
    });

    test('writes what a batch has put before its work fails', async () => {
      const file = open();
      const batch = file.batch(() => {
        void file.main.put('a', ONE);
        throw new Error('of the work');
      });
      await expect(batch).rejects.toThrow('of the work');
      await later();
      expect(getKeys(file)).toEqual(['a']);
      await file.close();
    });

    test('has values of its own', async () => {
      const file = open();
      const given = [bytes(1, 2, 3), new Uint8Array(100).fill(1)] as const;
      const put = Promise.all([file.main.put('a', given[0]), file.batch(() => void file.main.put('b', given[1]))]);
      for (const each of given) each.fill(9);
      await put;
      file.main.get('a')?.fill(8);
      for (const [, value] of file.main.entries({ end: 'c' })) value.fill(8);
      expect([file.main.get('a'), file.main.get('b')]).toEqual([bytes(1, 2, 3), new Uint8Array(100).fill(1)]);
      const large = new Uint8Array(100_000).map((_, at) => at);
      file.main.putSync('c', large);
      expect(file.main.get('c')).toEqual(large);
      await file.close();
    });

    test('reads a range of the version at its beginning', async () => {
      const file = open();
      for (const key of ['a', 'b', 'c']) file.main.putSync(key, ONE);
      const seen: string[] = [];
      for (const [key] of file.main.entries({ end: 'e' })) {
        seen.push(key);
        file.main.removeSync('c');
        file.main.putSync('d', ONE);
      }
      expect([seen, getKeys(file)]).toEqual([
        ['a', 'b', 'c'],
        ['a', 'b', 'd'],
      ]);
      await file.close();
    });

    test.each([
      {},
      { reverse: true },
      { start: 5, end: 256 },
      { start: 5, end: 256, inclusiveEnd: true, exclusiveStart: true },
      { start: 2, end: 300 },
      { start: 256, end: 1, reverse: true },
      { start: 256, end: 1, reverse: true, exclusiveStart: true, inclusiveEnd: true },
      { start: 0xffff, reverse: true, limit: 2 },
      { start: 0x1_0000, exclusiveStart: true },
      { end: 256, limit: 2 },
      { end: 256, reverse: true },
      { start: 256, end: 1 },
      { start: 1, end: 256, reverse: true },
      { start: 5, end: 5 },
      { start: 5, end: 5, inclusiveEnd: true },
      { start: 5, end: 5, inclusiveEnd: true, exclusiveStart: true },
      { limit: 0 },
      { exclusiveStart: true, inclusiveEnd: true },
      { exclusiveStart: true, inclusiveEnd: true, reverse: true, limit: 3 },
      { start: undefined, end: undefined, limit: undefined },
    ] satisfies StoreRange<number>[])('gives the range %j by keys of each kind', async (range) => {
      const numbers = [0, 1, 5, 255, 256, 0xffff, 0x1_0000, 0x8000_0000, 0xffff_ffff];
      const getBinary = (item: number) => bytes(item >>> 24, item >>> 16, item >>> 8, item);
      const toText = (item: number) => item.toString(16).padStart(8, '0');
      const { start, end } = range as StoreRange<number>;
      const bounds = <K>(getKey: (item: number) => K): StoreRange<K> => ({
        ...range,
        start: start === undefined ? undefined : getKey(start),
        end: end === undefined ? undefined : getKey(end),
      });
      const byNumber = new StoreFile<number>(newDirectory(), 'signed-headers', { keys: 'uint32' }).main;
      const byBytes = new StoreFile<Uint8Array>(newDirectory(), 'evm', { keys: 'binary' }).table('rows');
      const byText = open().table('rows');
      for (const item of numbers.toReversed()) {
        byNumber.putSync(item, getBinary(item));
        byBytes.putSync(getBinary(item), getBinary(item));
        byText.putSync(toText(item), getBinary(item));
      }
      const follows = (item: number, bound: number) => ('reverse' in range ? item < bound : item > bound);
      const expected = ('reverse' in range ? numbers.toReversed() : numbers)
        .filter(
          (item) => start === undefined || follows(item, start) || (item === start && !('exclusiveStart' in range)),
        )
        .filter((item) => end === undefined || follows(end, item) || (item === end && 'inclusiveEnd' in range))
        .slice(0, (range as StoreRange<number>).limit);
      expect(Array.from(byNumber.keys(bounds((item) => item)))).toEqual(expected);
      expect(Array.from(byBytes.keys(bounds(getBinary)), (key) => [...key])).toEqual(
        expected.map((item) => [...getBinary(item)]),
      );
      expect(Array.from(byText.keys(bounds(toText)))).toEqual(expected.map(toText));
      expect(Array.from(byNumber.entries(bounds((item) => item)))).toEqual(
        expected.map((item) => [item, getBinary(item)]),
      );
    });

    test('orders keys by their bytes, the longer of two that begin alike last', async () => {
      const file = new StoreFile<Uint8Array>(newDirectory(), 'evm', { keys: 'binary' });
      const rows = file.table('rows');
      const keys = [[0], [0, 0], [0, 255], [1], [127, 1], [128], [255], [255, 0]].map((each) => bytes(...each));
      for (const key of keys.toReversed()) rows.putSync(key, ONE);
      expect(Array.from(rows.keys({}), (key) => Uint8Array.from(key))).toEqual(keys);
      expect(rows.get(bytes(0, 0))).toEqual(ONE);
      await file.close();
    });

    test('refuses a key that is too long, and one without bytes', async () => {
      const file = open();
      const rows = new StoreFile<Uint8Array>(newDirectory(), 'evm', { keys: 'binary' }).table('rows');
      file.main.putSync('k'.repeat(1_978), ONE);
      rows.putSync(new Uint8Array(1_978), ONE);
      expect(() => file.main.putSync('k'.repeat(1_979), ONE)).toThrow(/^(a key is too long|Key size is larger)/);
      expect(() => rows.putSync(new Uint8Array(1_979), ONE)).toThrow(/^(a key is too long|Key size is larger)/);
      expect(() => rows.putSync(bytes(), ONE)).toThrow(/^(a key has no bytes|Invalid key or zero length key)/);
      await file.close();
    });

    test('counts records and the pages that they take', async () => {
      const file = open();
      const table = file.table('rows');
      expect([table.count(), table.usedBytes()]).toEqual([0, 0]);
      const used = file.usedBytes();
      file.transactionSync(() => {
        for (let at = 0; at < 1_000; at += 1) table.putSync(`key ${at}`, new Uint8Array(100));
      });
      for (const each of [table.usedBytes(), file.usedBytes() - used, file.size()]) {
        expect(each).toBeGreaterThan(100_000);
        expect(each).toBeLessThan(300_000);
        expect(each % 4_096).toBe(0);
      }
      expect(table.count()).toBe(1_000);
      file.transactionSync(() => {
        for (let at = 0; at < 1_000; at += 1) table.removeSync(`key ${at}`);
      });
      expect([table.count(), table.usedBytes()]).toEqual([0, 0]);
      await file.close();
    });

    test('is mapped anew, and cleared, with nothing else lost', async () => {
      const file = new StoreFile<number>(newDirectory(), 'signed-headers', { keys: 'uint32' });
      file.main.putSync(7, ONE);
      file.remap();
      expect(file.main.get(7)).toEqual(ONE);
      file.clear();
      expect([...file.main.keys({})]).toEqual([0]);
      await file.close();
    });

    test('ends the writes that are under way, and then takes none', async () => {
      const directory = newDirectory();
      const file = open(directory);
      void file.main.put('a', ONE);
      const batch = file.batch(() => void file.main.put('b', ONE));
      const closed = file.close();
      expect(() => file.main.putSync('c', ONE)).toThrow();
      await Promise.all([closed, batch]);
      expect(() => file.main.get('a')).toThrow();
      await expect(file.batch(() => undefined)).rejects.toThrow();
      const again = open(directory);
      expect(getKeys(again)).toEqual(['a', 'b']);
      await again.close();
    });

    test('is not opened as a store of another kind', async () => {
      const directory = newDirectory();
      await open(directory).close();
      expect(() => new StoreFile<string>(directory, 'faucet-ledger', { keys: 'text' })).toThrow(
        `${directory} holds a store of kind composer-queue, expected faucet-ledger`,
      );
    });
  });
}
