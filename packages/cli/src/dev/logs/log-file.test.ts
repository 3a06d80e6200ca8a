import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from './write.ts';

const directory = () => mkdtempSync(join(tmpdir(), 'switchyard-log-'));
const fail = (error: unknown) => {
  throw error;
};
/** Lines of the file without their times. */
const formatLines = (path: string) => readFileSync(path, 'utf8').replaceAll(/^\S+Z /gm, '');

test('appends to what is there, each line behind its time', () => {
  const path = join(directory(), 'logs', 'a.log');
  for (const line of ['one', 'two']) {
    const file = openLogFile(path, fail);
    file.write(line);
    file.close();
  }
  expect(readFileSync(path, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z one\n\S+Z two\n$/);
});

test('sets a file that has grown aside, and keeps two of them', () => {
  const path = join(directory(), 'a.log');
  for (const line of ['one', 'two', 'three']) {
    const file = openLogFile(path, fail, { maxBytes: 40, keep: 2 });
    file.write(line);
    file.close();
  }
  expect([path, `${path}.1`].map(formatLines)).toEqual(['three\n', 'one\ntwo\n']);
  for (const line of ['555', '666', '777']) {
    const file = openLogFile(path, fail, { maxBytes: 3, keep: 2 });
    file.write(line);
    file.close();
  }
  expect([path, `${path}.1`, `${path}.2`].map(formatLines)).toEqual(['777\n', '666\n', '555\n']);
  expect(existsSync(`${path}.3`)).toBe(false);
});

test('a place that cannot be written costs lines, which is reported once and noted where they are missing', () => {
  const blocked = join(directory(), 'file');
  writeFileSync(blocked, '');
  const errors: unknown[] = [];
  const file = openLogFile(join(blocked, 'a.log'), (error) => errors.push(error));
  for (const line of ['lost', 'lost too']) {
    file.write(line);
    file.close();
  }
  expect(errors).toHaveLength(1);
  rmSync(blocked);
  file.write('back');
  file.close();
  expect(formatLines(join(blocked, 'a.log'))).toBe('\nswitchyard: 2 lines are lost here\nback\n');
});
