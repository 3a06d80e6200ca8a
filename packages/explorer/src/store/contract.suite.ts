import { expect, test } from 'vitest';
import { advance, insert, START } from './statements.ts';
import { type IndexStore, Superseded } from './store.ts';

/** Contract of every store. @param open Gives an empty one, or the same one again. */
export function storeContract(open: (which: 'empty' | 'same') => Promise<IndexStore>): void {
  const rows = (store: IndexStore) => store.read('SELECT name, height, hash FROM cursors ORDER BY name');
  const [first, second] = [
    { height: 1, hash: 'aa' },
    { height: 2, hash: 'bb' },
  ];

  test('keeps a batch as a whole, also for the next process', async () => {
    const store = await open('empty');
    await store.write([advance('sequencer', undefined, START), ...insert('meta', ['key', 'value'], [['a', 'b']])]);
    await store.write([advance('sequencer', START, first)]);
    await store.close();
    const again = await open('same');
    expect(await rows(again)).toMatchObject([{ name: 'sequencer', height: 1, hash: 'aa' }]);
    expect(await again.read("SELECT value FROM meta WHERE key = 'a'")).toMatchObject([{ value: 'b' }]);
    await again.close();
  });

  test('keeps nothing of a batch in which one statement fails', async () => {
    const store = await open('empty');
    await store.write([advance('sequencer', undefined, first)]);
    const broken = { sql: 'INSERT INTO meta (key, value) VALUES (?, ?)', params: ['a', null] };
    await expect(store.write([advance('sequencer', first, second), broken])).rejects.toThrow();
    expect(await rows(store)).toMatchObject([{ height: 1 }]);
    // After any failure, the next batch works.
    await store.write([advance('sequencer', first, second)]);
    expect(await rows(store)).toMatchObject([{ height: 2 }]);
    await store.close();
  });

  test('of two writers that advance the same cursor, one is refused with all of its batch', async () => {
    const [one, other] = [await open('empty'), await open('same')];
    await one.write([advance('sequencer', undefined, START)]);
    await one.write([advance('sequencer', START, first)]);
    const late = [...insert('meta', ['key', 'value'], [['late', '1']]), advance('sequencer', START, second)];
    await expect(other.write(late)).rejects.toThrow(Superseded);
    expect(await rows(one)).toMatchObject([{ height: 1, hash: 'aa' }]);
    expect(await one.read("SELECT value FROM meta WHERE key = 'late'")).toEqual([]);
    await expect(other.write([advance('sequencer', undefined, START)])).rejects.toThrow(Superseded);
    await one.close();
    await other.close();
  });

  test('adds up counters where a row is there already', async () => {
    const store = await open('empty');
    const conflict =
      'ON CONFLICT (account) DO UPDATE SET transactions = accounts.transactions + excluded.transactions, last_height = excluded.last_height';
    const columns = ['account', 'first_height', 'last_height', 'transactions'];
    for (const height of [1, 2]) {
      const batch = Array.from({ length: 300 }, (_, at) => [`account ${at}`, height, height, 2]);
      await store.write(insert('accounts', columns, batch, conflict));
    }
    const sql =
      'SELECT COUNT(*) AS number, MIN(transactions) AS least, MAX(last_height) AS last, MAX(first_height) AS first FROM accounts';
    expect(await store.read(sql)).toMatchObject([{ number: 300, least: 4, last: 2, first: 1 }]);
    await store.close();
  });

  test('keeps text of strangers: NUL is replaced, everything else is kept, and none of it is a statement', async () => {
    const store = await open('empty');
    const texts = ["'); DROP TABLE meta; --", 'a\0b', '? $1', '\u202eabc\u200b', '\u{1f600}', 'x'.repeat(100_000)];
    await store.write(
      insert(
        'meta',
        ['key', 'value'],
        texts.map((text, at) => [`text ${at}`, text]),
      ),
    );
    const found = await store.read("SELECT value FROM meta WHERE key LIKE 'text %' ORDER BY key");
    expect(found.map(({ value }) => value)).toEqual(texts.map((text) => text.replace('\0', '\ufffd')));
    await store.close();
  });

  test('returns whole numbers up to 2^53 as numbers, and sums of them', async () => {
    const store = await open('empty');
    const big = Number.MAX_SAFE_INTEGER;
    await store.write([advance('a', undefined, { height: big, hash: '' })]);
    const found = await store.read('SELECT height, COUNT(*) AS number FROM cursors GROUP BY height');
    expect(found).toMatchObject([{ height: big, number: 1 }]);
    await store.close();
  });
}
