import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterAll, afterEach, expect, test } from 'vitest';
import { processesUsing } from './in-use.ts';

const directory = mkdtempSync(join(tmpdir(), 'in-use-'));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rmSync(directory, { recursive: true }));

const options = { path: directory, noSubdir: false, encoding: 'binary' } as const;

test.runIf(process.platform === 'linux')('a child that has only inherited the file does not count', async () => {
  const db = open<Uint8Array, string>(options);
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  await db.close();
  expect(processesUsing(directory)).toEqual([]);
});

test.runIf(process.platform === 'linux')('a child that has the store open counts', async () => {
  const lmdb = JSON.stringify(createRequire(import.meta.url).resolve('lmdb'));
  const script = `require(${lmdb}).open(${JSON.stringify(options)}); console.log('open'); setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  expect(processesUsing(directory)).toEqual([child.pid]);
});
