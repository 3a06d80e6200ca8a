import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory, replaceFiles, systemReason } from './files.ts';

test('a failed call is reported without its path', () => {
  expect(systemReason(new Error("ENOENT: no such file or directory, open '/x'"))).toBe(
    'ENOENT: no such file or directory',
  );
});

function scratchFiles() {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-files-'));
  const [a, b] = [join(directory, 'a'), join(directory, 'b')];
  writeFileSync(a, 'old a', { mode: 0o640 });
  writeFileSync(b, 'old b', { mode: 0o600 });
  const next = [a, b].map((path) => ({ path, text: 'new', mode: statSync(path).mode }));
  return { directory, a, b, next };
}

test('several files are replaced together, with their modes, and links stay links', () => {
  const { directory, a, b, next } = scratchFiles();
  const link = join(directory, 'link');
  symlinkSync(b, link);
  replaceFiles(next.map((file) => (file.path === b ? { ...file, path: link } : file)));
  expect([a, b].map((path) => [readFileSync(path, 'utf8'), statSync(path).mode & 0o777])).toEqual([
    ['new', 0o640],
    ['new', 0o600],
  ]);
  expect(readdirSync(directory)).toEqual(['a', 'b', 'link']);
});

test('when one cannot be written, none is changed and nothing is left behind', () => {
  const { directory, a, b, next } = scratchFiles();
  mkdirSync(`${b}.new`);
  expect(() => replaceFiles(next)).toThrow(`${b}: cannot be written: EISDIR`);
  expect([a, b].map((path) => readFileSync(path, 'utf8'))).toEqual(['old a', 'old b']);
  expect(readdirSync(directory)).toEqual(['a', 'b', 'b.new']);
});

test('a directory is made with those above it, and where that is refused, it is reported at once', () => {
  const { directory, a } = scratchFiles();
  const deep = join(directory, 'x', 'y', 'z');
  makeDirectory(deep);
  makeDirectory(deep);
  expect(statSync(deep).isDirectory()).toBe(true);
  expect(() => makeDirectory(join(a, 'below'))).toThrow(/below: cannot be made: ENOTDIR/);
  expect(() => makeDirectory(a)).toThrow(`${a}: cannot be made: ENOTDIR: a file of this name is there`);
});

test.runIf(existsSync('/proc/self'))(
  'a file system that takes no directories is refused, and not asked for ever',
  () => {
    expect(() => makeDirectory('/proc/no/such')).toThrow('/proc/no/such: cannot be made: ENOENT');
  },
);
