import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { StoreFile } from './store-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'not-written-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Writes until the system refuses, first in shared commits and then in one of its own, and prints the errors. */
const FILLS = `
  const { StoreFile } = await import(process.argv[1]);
  const file = new StoreFile(process.argv[2], 'composer-queue', { keys: 'text' });
  const put = (key) => file.main.putSync(key, Buffer.alloc(20_000));
  const seen = [];
  for (let at = 0; at < 1_000 && seen.length === 0; at += 1) {
    const key = 'chunk/' + String(at).padStart(16, '0');
    await file.batch(() => void file.main.put(key, Buffer.alloc(20_000))).catch((error) => seen.push(error));
  }
  try {
    file.transactionSync(() => {
      for (let at = 0; at < 1_000; at += 1) put('more/' + at);
    });
  } catch (error) {
    seen.push(error);
  }
  console.log(JSON.stringify(seen.map(({ name, message, exitCode }) => ({ name, message, exitCode }))));
  process.exit();
`;

test.runIf(process.platform === 'linux')('what the disk has no room for fails with the store and the reason', () => {
  const program = new URL('../dist/index.js', import.meta.url).href;
  const place = join(directory, 'full');
  // A file of at most 1,000 KiB stands for a disk: the same calls fail.
  const shell = `ulimit -f 1000; exec "$0" --input-type=module --eval "$1" "$2" "$3"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', shell, process.execPath, FILLS, program, place], {
    encoding: 'utf8',
  });
  const refused = {
    name: 'StoreNotWritten',
    message: expect.stringMatching(
      new RegExp(`^the store at ${place} cannot be written: (Input/output error|File too large); make room`),
    ),
    exitCode: 74,
  };
  expect(JSON.parse(stdout || JSON.stringify(stderr))).toEqual([refused, refused]);
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
