import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { processesUsing } from './in-use.ts';

const directory = mkdtempSync(join(tmpdir(), 'in-use-'));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A child of this process that holds a file of the directory, as every child does until it executes its program. */
function holder(seconds: string): ChildProcess {
  const file = openSync(join(directory, 'data.mdb'), 'a');
  const child = spawn('sleep', [seconds], { stdio: [file, 'ignore', 'ignore'] });
  closeSync(file);
  children.push(child);
  return child;
}

test.runIf(process.platform === 'linux')('a child that lets go of the file when it has started does not count', () => {
  const { pid } = holder('0.2');
  expect(processesUsing(directory)).not.toContain(pid);
});

test.runIf(process.platform === 'linux')('a child that keeps the file counts', () => {
  const { pid } = holder('600');
  expect(processesUsing(directory)).toEqual([pid]);
});
