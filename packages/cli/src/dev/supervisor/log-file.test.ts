import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from './log-file.ts';

const directory = () => mkdtempSync(join(tmpdir(), 'switchyard-log-'));
const fail = (error: unknown) => {
  throw error;
};

test('appends to what is there, and sets a file that has grown aside', () => {
  const path = join(directory(), 'logs', 'a.log');
  for (const line of ['one', 'two', 'three', 'four']) {
    const file = openLogFile(path, fail, { maxBytes: 8, keep: 2 });
    file.write(line);
    file.close();
  }
  expect([path, `${path}.1`].map((name) => readFileSync(name, 'utf8'))).toEqual(['four\n', 'one\ntwo\nthree\n']);
  for (const line of ['555555', '666666', '777777']) {
    const file = openLogFile(path, fail, { maxBytes: 3, keep: 2 });
    file.write(line);
    file.close();
  }
  expect([path, `${path}.1`, `${path}.2`].map((name) => readFileSync(name, 'utf8'))).toEqual([
    '777777\n',
    '666666\n',
    '555555\n',
  ]);
  expect(existsSync(`${path}.3`)).toBe(false);
});

test('a place that cannot be written costs lines, and is told once', () => {
  const blocked = join(directory(), 'file');
  writeFileSync(blocked, '');
  const errors: unknown[] = [];
  const file = openLogFile(join(blocked, 'a.log'), (error) => errors.push(error));
  file.write('lost');
  file.close();
  file.close();
  expect(errors).toHaveLength(1);
});
