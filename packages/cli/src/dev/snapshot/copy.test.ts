import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildTree, copyTree, hashOfFile } from './copy.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
const live = new AbortController().signal;

/** Copies `data` of a new directory that `fill` has filled. */
async function copied(fill: (data: string) => void) {
  const [from, to] = [scratch(), scratch()];
  mkdirSync(join(from, 'data'));
  fill(join(from, 'data'));
  const tree = buildTree(from, ['data', 'absent']);
  await copyTree(from, to, tree, live);
  return { tree, from: join(from, 'data'), to: join(to, 'data') };
}

test('files, links, empty directories and modes are as they were; lock files of databases are left out', async () => {
  const { tree, to } = await copied((data) => {
    mkdirSync(join(data, 'app', 'empty'), { recursive: true });
    writeFileSync(join(data, 'app', 'data.mdb'), 'pages');
    writeFileSync(join(data, 'app', 'lock.mdb'), 'readers');
    writeFileSync(join(data, 'lock.mdb'), 'no database beside it');
    writeFileSync(join(data, 'key'), 'secret', { mode: 0o600 });
    writeFileSync(join(data, 'fixed'), 'read only', { mode: 0o400 });
    symlinkSync('app/data.mdb', join(data, 'latest'));
  });
  expect({ ...buildTree(join(to, '..'), ['data']), storedBytes: tree.storedBytes }).toEqual(tree);
  expect(tree.files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
    ['data/app/data.mdb', '644'],
    ['data/fixed', '400'],
    ['data/key', '600'],
    ['data/lock.mdb', '644'],
  ]);
  expect(readlinkSync(join(to, 'latest'))).toBe('app/data.mdb');
  expect(statSync(join(to, 'app', 'empty')).isDirectory()).toBe(true);
});

test('holes stay holes', async () => {
  const { from, to } = await copied((data) => {
    const file = openSync(join(data, 'sparse'), 'w');
    writeSync(file, 'begin', 0);
    writeSync(file, 'end', 30_000_000);
    closeSync(file);
    truncateSync(join(data, 'sparse'), 64_000_000);
  });
  const [before, after] = [statSync(join(from, 'sparse')), statSync(join(to, 'sparse'))];
  expect(after.size).toBe(64_000_000);
  expect(after.blocks).toBeLessThanOrEqual(before.blocks + 512);
  expect(await hashOfFile(join(to, 'sparse'), live)).toBe(await hashOfFile(join(from, 'sparse'), live));
});

test('any bytes come out as they went in', async () => {
  const piece = fc.record({ zeros: fc.integer({ min: 0, max: 200_000 }), bytes: fc.uint8Array({ maxLength: 50 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 4 }), async (pieces) => {
      const all = Buffer.concat(pieces.flatMap(({ zeros, bytes }) => [Buffer.alloc(zeros), bytes]));
      const { to } = await copied((data) => writeFileSync(join(data, 'file'), all));
      expect(readFileSync(join(to, 'file')).equals(all)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('a socket is named and left out', async () => {
  const root = scratch();
  mkdirSync(join(root, 'data'));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(join(root, 'data', 's'), resolve));
  expect(buildTree(root, ['data'])).toMatchObject({ files: [], skipped: ['data/s'] });
  await new Promise((resolve) => server.close(resolve));
});

test('ends between two files when asked', async () => {
  const from = scratch();
  writeFileSync(join(from, 'a'), 'a');
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(copyTree(from, scratch(), buildTree(from, ['a']), signal)).rejects.toThrow('enough');
});
