import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { holdDirectory, temporaryDirectory } from './directory.ts';

/** Id of a process that has ended. */
const deadPid = () => spawnSync(process.execPath, ['--version']).pid;

test('removes what a killed process left, and nothing of one that lives', () => {
  const first = temporaryDirectory();
  const left = `${first.directory.replace(new RegExp(`-${process.pid}-\\w+$`), '')}-${deadPid()}-abcdef`;
  mkdirSync(join(left, 'data'), { recursive: true });
  const second = temporaryDirectory();
  expect([left, first.directory, second.directory].map((directory) => existsSync(directory))).toEqual([
    false,
    true,
    true,
  ]);
  for (const each of [first, second]) each.release();
  expect(existsSync(first.directory)).toBe(false);
});

test('a directory belongs to one network until that is closed, or its process has ended', () => {
  const directory = mkdtempSync(join(tmpdir(), 'held-'));
  const held = holdDirectory(directory);
  expect(() => holdDirectory(directory)).toThrow(`a network of process ${process.pid} has ${directory}`);
  held.release();
  writeFileSync(join(directory, 'held-by'), String(deadPid()));
  holdDirectory(directory).release();
  rmSync(directory, { recursive: true });
});
