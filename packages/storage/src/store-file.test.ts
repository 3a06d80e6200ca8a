import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { findStores, MemoryDisk, StoreFile, StoreScrub } from './index.ts';
import { storeFileSuite } from './store-file.suite.ts';

const root = mkdtempSync(join(tmpdir(), 'store-file-'));
const mounted = join(root, 'memory');
const unmount = new MemoryDisk().mount(mounted);
const timed = join(root, 'timed');
const clock = { after: (ms: number, fire: () => void) => setTimeout(fire, ms) };
const unmountTimed = new MemoryDisk({ clock, flushMs: () => 2 }).mount(timed);
let places = 0;

afterAll(() => {
  unmount();
  unmountTimed();
  rmSync(root, { recursive: true });
});

storeFileSuite('LMDB', () => join(root, 'files', String(places++)));
storeFileSuite('memory', () => join(mounted, String(places++)));
storeFileSuite('memory, with flushes that take time', () => join(timed, String(places++)));

test('a store in memory makes no file, and has nothing to scrub', async () => {
  const directory = join(mounted, 'alone');
  const file = new StoreFile<string>(directory, 'composer-queue', { keys: 'text' });
  await file.main.put('a', new Uint8Array(1));
  expect([existsSync(mounted), findStores(root).filter((each) => each.directory.startsWith(mounted))]).toEqual([
    false,
    [],
  ]);
  expect(new StoreScrub(directory, 'composer-queue').step(1_000)).toEqual({ bytes: 0, records: 0, done: true });
  await file.close();
});

test('a store that is to be open elsewhere is not made', () => {
  const directory = join(root, 'elsewhere');
  const open = () => new StoreFile<string>(directory, 'composer-queue', { keys: 'text', isOpenElsewhere: true });
  expect(open).toThrow(`cannot open the store at ${directory}: there is no file`);
  expect(existsSync(directory)).toBe(false);
});

test('a store that is only read keeps its label, has the tables of the file, and no others', async () => {
  const directory = join(root, 'read-only');
  const file = new StoreFile<string>(directory, 'composer-queue', { keys: 'text' });
  file.table('rows').putSync('a', Uint8Array.of(1));
  const label = readFileSync(join(directory, 'store.json'), 'utf8');
  const reader = new StoreFile<string>(directory, 'composer-queue', { keys: 'text', isReadOnly: true });
  const [rows, others] = [reader.table('rows'), reader.table('others')];
  expect([...rows.entries({})]).toEqual([['a', Uint8Array.of(1)]]);
  expect([others.get('a'), [...others.entries({})], [...others.keys({})]]).toEqual([undefined, [], []]);
  expect(() => others.putSync('a', new Uint8Array())).toThrow('the file has no table others');
  await reader.close();
  expect(readFileSync(join(directory, 'store.json'), 'utf8')).toBe(label);
  await file.close();
});

type Write = readonly [key: string, value: number | undefined];
type Step =
  | { readonly kind: 'put' | 'putSync'; readonly write: Write }
  | { readonly kind: 'batch' | 'transaction' | 'nested'; readonly writes: readonly Write[]; readonly fails: boolean }
  | { readonly kind: 'wait' };

const anyWrite: fc.Arbitrary<Write> = fc.tuple(
  fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  fc.option(fc.nat(255), { nil: undefined }),
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('put' as const, 'putSync' as const), write: anyWrite }),
  fc.record({
    kind: fc.constantFrom('batch' as const, 'transaction' as const, 'nested' as const),
    writes: fc.array(anyWrite, { maxLength: 4 }),
    fails: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('wait' as const) }),
);

/** @returns The results of the reads after each step. */
async function readAfter(file: StoreFile<string>, steps: readonly Step[]): Promise<unknown[]> {
  const rows = file.table('rows');
  const writeSync = ([key, value]: Write) =>
    value === undefined ? rows.removeSync(key) : rows.putSync(key, Uint8Array.of(value));
  const write = ([key, value]: Write) => (value === undefined ? rows.remove(key) : rows.put(key, Uint8Array.of(value)));
  let pending: Promise<unknown>[] = [];
  const seen: unknown[] = [];
  const look = () => seen.push(Array.from(rows.entries({}), ([key, value]) => `${key}=${value}`).join());
  const attempt = (work: () => void) => {
    try {
      work();
    } catch (error) {
      seen.push(String(error));
    }
  };
  for (const step of [...steps, { kind: 'wait' as const }]) {
    if ('write' in step) {
      if (step.kind === 'put') pending.push(write(step.write));
      else writeSync(step.write);
    } else if (step.kind === 'wait') {
      // A failing batch does not wait for its earlier writes.
      pending.push(rows.remove('none'));
      seen.push(await Promise.allSettled(pending));
      pending = [];
    } else {
      const work = () => {
        for (const each of step.writes) {
          if (step.kind === 'batch') void write(each);
          else writeSync(each);
          look();
        }
        if (step.fails) throw new Error('of the work');
      };
      if (step.kind === 'batch') pending.push(file.batch(work));
      else if (step.kind === 'transaction') attempt(() => file.transactionSync(work));
      else
        file.transactionSync(() => {
          writeSync(['a', 1]);
          attempt(() => file.transactionSync(work));
        });
    }
    look();
  }
  return seen;
}

test('any steps give the same reads from LMDB and from memory', async () => {
  const open = (directory: string) => new StoreFile<string>(directory, 'composer-queue', { keys: 'text' });
  const own = [join(root, 'steps'), join(mounted, 'steps'), join(timed, 'steps')].map(open);
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      const [lmdb, ...memory] = await Promise.all(own.map((file) => readAfter(file, steps)));
      for (const each of memory) expect(each).toEqual(lmdb);
      for (const file of own)
        file.transactionSync(() => {
          for (const key of 'abcde') file.table('rows').removeSync(key);
        });
    }),
    { numRuns: 100 },
  );
  await Promise.all(own.map((file) => file.close()));
});
