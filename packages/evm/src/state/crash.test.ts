import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../database/lmdb.ts';
import { StateStore } from './store.ts';

const packageDirectory = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'evm-crash-'));

// The process to be killed runs from dist, as every process does.
beforeAll(() => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-b', packageDirectory], { stdio: 'inherit' });
}, 240_000);
afterAll(() => rmSync(directory, { recursive: true }));

interface Acknowledged {
  /** Root by number, of every block that was sealed. */
  readonly sealed: Map<bigint, string>;
  written: bigint;
}

/** Lets the child write until it has printed `lines` lines, and kills it then, wherever it is. */
async function runAndKill(path: string, lines: number, acknowledged: Acknowledged): Promise<void> {
  const child = spawn(process.execPath, [join(packageDirectory, 'dist', 'state', 'crash.testing.js'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  let printed = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, number = '', root = ''] = line.split(' ');
    if (what === 'sealed') acknowledged.sealed.set(BigInt(number), root);
    else acknowledged.written = BigInt(number);
    if (++printed === lines) child.kill('SIGKILL');
  }
  expect(await closed).toBe('SIGKILL');
}

test('a kill at any moment leaves whole writes, and never less than what was acknowledged', async () => {
  const path = join(directory, 'state');
  const acknowledged: Acknowledged = { sealed: new Map(), written: 0n };
  // Five kills, from the first line to where batches follow each other: each takes the start of a process.
  for (const lines of [1, 2, 5, 31, 200]) {
    await runAndKill(path, lines, acknowledged);
    const database = openDatabase(path);
    // Throws if the values on disk do not give the root on disk.
    const store = new StateStore(database);
    const { headNumber, headRoot } = store;
    expect(headNumber % 2n).toBe(0n);
    expect(headNumber).toBeGreaterThanOrEqual(acknowledged.written);
    if (headNumber > 0n) expect(headRoot).toBe(acknowledged.sealed.get(headNumber));
    // The whole trie is there too: an incomplete one could not be proved.
    const { nodes } = store.proof(headNumber, `0x${'00'.repeat(20)}`, []);
    expect(nodes.length).toBeGreaterThan(0);
    await database.close();
  }
  expect(acknowledged.written).toBeGreaterThan(0n);
}, 240_000);
