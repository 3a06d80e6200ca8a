import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open } from 'lmdb';
import { afterAll, expect, test } from 'vitest';
import { sealCheck } from './examine.ts';
import { StoreFile } from './index.ts';
import { inspectFile } from './pages/inspect.ts';
import { PageFile } from './pages/page-file.ts';

const root = mkdtempSync(join(tmpdir(), 'inspect-'));
afterAll(() => rmSync(root, { recursive: true }));
let directories = 0;
const newPath = () => join(root, String(directories++));

function inspect(directory: string, check = sealCheck) {
  const file = new PageFile(join(directory, 'data.mdb'));
  try {
    return inspectFile(file, check);
  } finally {
    file.close();
  }
}

test('finds nothing wrong in what LMDB has written, whatever was put, removed and reused', async () => {
  const change = fc.record({
    key: fc.integer({ min: 0, max: 300 }),
    size: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 2_000, max: 20_000 })),
    gone: fc.boolean(),
    named: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(change, { maxLength: 120, size: 'max' }), { maxLength: 12 }),
      async (commits) => {
        const path = newPath();
        const db = open<Uint8Array, Uint8Array>({
          path,
          noSubdir: false,
          encoding: 'binary',
          keyEncoding: 'binary',
          overlappingSync: false,
        });
        const table = db.openDB<Uint8Array, Uint8Array>('named', { encoding: 'binary', keyEncoding: 'binary' });
        const expected = new Set<string>();
        for (const changes of commits) {
          db.transactionSync(() => {
            for (const { key, size, gone, named } of changes) {
              const [target, bytes] = [named ? table : db, Buffer.from(`key ${key}`)];
              if (gone) target.removeSync(bytes);
              else target.putSync(bytes, Buffer.alloc(size, key));
              expected[gone ? 'delete' : 'add'](`${named} ${key}`);
            }
          });
          expect(inspect(path, () => undefined)).toMatchObject({ problems: [], records: expected.size });
        }
        await db.close();
      },
    ),
    { numRuns: 12 },
  );
}, 60_000);

test.each([1, 2, 5, 6])(
  'finds nothing wrong in a compacted copy of a file of %i transactions, nor after more transactions',
  async (commits) => {
    const [path, copy] = [newPath(), newPath()];
    const options = { noSubdir: false, encoding: 'binary', overlappingSync: false } as const;
    const db = open<Uint8Array, string>({ path, ...options });
    for (let commit = 0; commit < commits; commit += 1) {
      db.transactionSync(() => {
        for (let id = commit; id < 200; id += 1) db.putSync(`key ${id}`, Buffer.alloc(id === 77 ? 9_000 : 90, commit));
      });
    }
    mkdirSync(copy);
    await db.backup(copy, true);
    await db.close();
    expect(inspect(copy, () => undefined)).toMatchObject({ problems: [], records: 200 });
    const again = open<Uint8Array, string>({ path: copy, ...options });
    for (let id = 0; id < 3; id += 1) {
      again.putSync(`more ${id}`, Buffer.alloc(10));
      expect(inspect(copy, () => undefined)).toMatchObject({ problems: [], records: 201 + id });
    }
    await again.close();
  },
);

/** A store of some hundred records, small and large, with pages that are free again. */
async function filled(): Promise<string> {
  const path = newPath();
  const file = new StoreFile<string>(path, 'composer-queue', { keys: 'text' });
  for (let round = 0; round < 4; round += 1) {
    file.transactionSync(() => {
      for (let id = round; id < 400; id += 1)
        file.main.putSync(`chunk/${id}`, Buffer.alloc((id * 37) % (id % 40 === 0 ? 9_000 : 200), id));
      for (let id = 0; id < round * 50; id += 1) file.main.removeSync(`chunk/${id}`);
    });
  }
  await file.close();
  // Without the space for further commits, in which nothing can be damaged.
  const pages = new PageFile(join(path, 'data.mdb'));
  truncateSync(pages.path, (pages.meta().lastPage + 1) * 4096);
  pages.close();
  return path;
}

/** The contents of the file, to tell damage that matters from damage in unused bytes. */
function contents(path: string): string {
  const lines: string[] = [];
  inspect(path, (table, key, value) => {
    lines.push(`${table} ${key.toString('latin1')} ${value.toString('base64')}`);
    return undefined;
  });
  return lines.join('\n');
}

test('a damaged byte anywhere is found, or changes nothing', async () => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  const before = contents(path);
  let found = 0;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: whole.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ change;
      writeFileSync(file, damaged);
      if (inspect(path).problems.length > 0) found += 1;
      else expect(contents(path)).toBe(before);
    }),
    { numRuns: 400 },
  );
  expect(found).toBeGreaterThan(50);
}, 60_000);

test('a zeroed, exchanged or missing page is found, or was free', async () => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  const before = contents(path);
  const pages = whole.length / 4096;
  const page = fc.integer({ min: 0, max: pages - 1 });
  const damage = fc.oneof(
    page.map((at) => (bytes: Buffer) => bytes.fill(0, at * 4096, (at + 1) * 4096)),
    fc.tuple(page, page).map(([a, b]) => (bytes: Buffer) => {
      bytes.set(whole.subarray(a * 4096, (a + 1) * 4096), b * 4096);
      return bytes;
    }),
    page.map((at) => (bytes: Buffer) => bytes.subarray(0, at * 4096)),
  );
  let found = 0;
  fc.assert(
    fc.property(damage, (apply) => {
      writeFileSync(file, apply(Buffer.from(whole)));
      if (inspect(path).problems.length > 0) found += 1;
      else expect(contents(path)).toBe(before);
    }),
    { numRuns: 200 },
  );
  expect(found).toBeGreaterThan(50);
}, 60_000);

test('continues behind a damaged page and reports which keys are in it', async () => {
  const path = await filled();
  const file = join(path, 'data.mdb');
  const whole = readFileSync(file);
  const records = inspect(path).records;
  const leaf = Array.from({ length: whole.length / 4096 }, (_, at) => at).find((at) => {
    writeFileSync(file, Buffer.from(whole).fill(0, at * 4096, (at + 1) * 4096));
    const { problems } = inspect(path);
    return problems.length === 1 && problems[0]?.table === '' && problems[0].range.after !== undefined;
  });
  expect(leaf).toBeDefined();
  const damaged = inspect(path);
  expect(damaged.records).toBeLessThan(records);
  expect(damaged.records).toBeGreaterThan(records / 2);
  expect(damaged.problems[0]?.range.after?.toString()).toMatch(/^chunk\//);
});
