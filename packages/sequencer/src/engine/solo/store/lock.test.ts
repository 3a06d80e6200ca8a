import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DirectoryInUse, lockDirectory } from './lock.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('keeps a second one out until the first lets go', () => {
  const unlock = lockDirectory(directory);
  expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
  expect(() => lockDirectory(directory)).toThrow(`is in use by process ${process.pid}`);
  unlock();
  lockDirectory(directory)();
});

test('takes over from a process that was killed', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(child, 'spawn');
  lockDirectory(directory, child.pid);
  expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
  child.kill('SIGKILL');
  await once(child, 'close');
  lockDirectory(directory)();
});

test.each(['', 'nonsense', `${process.pid} 1`])('does not trust a lock file with the content %j', (content) => {
  writeFileSync(join(directory, 'lock'), content);
  lockDirectory(directory)();
});
