import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { StoreFile } from './store-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'not-written-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes until the system refuses, then on and on, in shared commits and in some of their own, and prints the errors. */
const FILLS = `
  const { StoreFile } = await import(process.argv[1]);
  const file = new StoreFile(process.argv[2], 'composer-queue', { keys: 'text' });
  const put = (key, bytes) => file.main.putSync(key, Buffer.alloc(bytes));
  const seen = new Set();
  const note = ({ name, message, exitCode }) => seen.add(JSON.stringify({ name, message, exitCode }));
  const write = (at) => file.batch(() => {
    void file.main.put('first/' + at, Buffer.alloc(100));
    void file.main.put('second/' + at, Buffer.alloc(20_000));
  }).catch(note);
  let at = 0;
  for (; at < 1_000 && seen.size === 0; at += 1) await write(at);
  for (const end = at + 100; at < end; at += 1) {
    await write(at);
    try {
      file.transactionSync(() => {
        for (let id = 0; id < 1_000; id += 1) put('more/' + id, 2_000);
      });
    } catch (error) {
      note(error);
    }
  }
  const halves = Array.from(file.main.keys({})).filter((key) => key.startsWith('first/') && file.main.get(key.replace('first', 'second')) === undefined);
  await file.close();
  console.log(JSON.stringify({ seen: Array.from(seen, JSON.parse), halves }));
`;

const BUILT = new URL('../dist/index.js', import.meta.url).href;
const EXEC = 'exec "$0" --input-type=module --eval "$1" "$2" "$3"';

// Defect: A full disk ended a network of one process by damage to its heap: LMDB formats the message of a refused write
// into a buffer that is too short
test.runIf(process.platform === 'linux')('the system refuses no write of a commit: space is taken before it', () => {
  const place = join(directory, 'full');
  // A file of at most 1,000 KiB stands for a disk: the same calls fail.
  const args = ['-c', `ulimit -f 1000; ${EXEC}`, process.execPath, FILLS, BUILT, place];
  const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
  const refused = {
    name: 'StoreNotWritten',
    message: `the store at ${place} cannot be written: EFBIG: file too large, write; make room on its disk, or repair the disk`,
    exitCode: 74,
  };
  // The library prints a line of its own for a commit that fails, and the heap may be damaged by then.
  expect([stderr, stdout && JSON.parse(stdout)]).toEqual(['', { seen: [refused], halves: [] }]);
});

/** Fills a small disk up to a refusal, then makes room. */
const MAKES_ROOM = `
  const { rmSync, statfsSync, writeFileSync } = await import('node:fs');
  const { StoreFile } = await import(process.argv[1]);
  const place = process.argv[2];
  const other = place + '-other';
  writeFileSync(other, Buffer.alloc(2_000_000));
  const file = new StoreFile(place, 'composer-queue', { keys: 'text' });
  const write = (at) => file.batch(() => void file.main.put('key/' + at, Buffer.alloc(20_000))).then(() => 'written', String);
  let [at, answer] = [0, 'written'];
  for (; at < 1_000 && answer === 'written'; at += 1) answer = await write(at);
  const { bavail, bsize } = statfsSync(place);
  rmSync(other);
  console.log(JSON.stringify({ answer, free: bavail * bsize, afterwards: await write(at) }));
  await file.close();
`;
const hasMounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

// Defect: A store wrote until its disk was full to the last byte
test.runIf(hasMounts)('a store leaves some of its disk free, and writes again when there is room', () => {
  const disk = join(directory, 'disk');
  const shell = `mkdir ${disk}; mount -t tmpfs -o size=4m none ${disk}; ${EXEC}`;
  // The mount is gone with the process.
  const args = ['-rm', 'bash', '-c', shell, process.execPath, MAKES_ROOM, BUILT, join(disk, 'store')];
  const { stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
  const { answer, free, afterwards } = JSON.parse(stdout || JSON.stringify(stderr));
  expect(answer).toMatch(/^StoreNotWritten: .* cannot be written: it needs \d+ bytes, \d+ are free; make room/);
  expect([free >= 1_048_576, afterwards]).toEqual([true, 'written']);
});

test('an error of the work itself stays what it is', async () => {
  const file = new StoreFile<string>(join(directory, 'work'), 'composer-queue', { keys: 'text' });
  const fails = () => {
    throw new Error('of the work');
  };
  expect(() => file.transactionSync(fails)).toThrow(/^of the work$/);
  await expect(file.batch(fails)).rejects.toThrow(/^of the work$/);
  await file.close();
});
