import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTextFile } from './read-text-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'read-text-file-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'genesis.json');
writeFileSync(file, '{"é":1}');

test('reads a file up to its bound', async () => {
  expect(await readTextFile(file, 'FILE', 'a genesis file', 8)).toBe('{"é":1}');
});

test.each([
  [file, 7, 'FILE: expected a genesis file that can be read, got 8 bytes are too many; '],
  [join(directory, 'absent'), 8, 'FILE: expected a genesis file that can be read, got ENOENT'],
])('names the setting, and why %s cannot be used', async (path, maxBytes, message) => {
  await expect(readTextFile(path, 'FILE', 'a genesis file', maxBytes)).rejects.toThrow(message);
});
