// biome-ignore-all lint/style/noRestrictedImports: kills a process and looks at its files on disk
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { toHex } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLmdbStore } from './lmdb.ts';
import { oracleRoot } from './oracle.testing.ts';

const packageDirectory = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'crash-'));

// The process to be killed runs from dist, as every process does.
beforeAll(() => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-b', packageDirectory], { stdio: 'inherit' });
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

interface Seen {
  /** Root by height, of every block that was sealed. */
  readonly sealed: Map<bigint, string>;
  committed: bigint;
}

/** Lets the child commit until it has printed `lines` lines, and kills it then, wherever it is. */
async function runAndKill(path: string, lines: number, seen: Seen): Promise<void> {
  const child = spawn(process.execPath, [join(packageDirectory, 'dist', 'store', 'crash.testing.js'), path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', (_, signal) => resolve(signal)));
  let printed = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, height = '', root = ''] = line.split(' ');
    if (what === 'sealed') seen.sealed.set(BigInt(height), root);
    else seen.committed = BigInt(height);
    if (++printed === lines) child.kill('SIGKILL');
  }
  expect(await closed).toBe('SIGKILL');
}

test('a kill at any moment leaves one whole commit, and never less than what was acknowledged', async () => {
  const path = join(directory, 'store');
  const seen: Seen = { sealed: new Map(), committed: 0n };
  // Five kills, from the first line to where commits follow each other: each takes the start of a process.
  for (const lines of [1, 2, 7, 20, 150]) {
    await runAndKill(path, lines, seen);
    const store = openLmdbStore(path);
    const { height, root } = store.snapshot();
    const contents = new Map(store.snapshot().range({ prefix: '', limit: 100_000 }));
    await store.close();
    if (height === undefined) {
      expect([seen.committed, contents.size]).toEqual([0n, 0]);
      continue;
    }
    expect(height % 2n).toBe(0n);
    expect(height).toBeGreaterThanOrEqual(seen.committed);
    expect(toHex(root)).toBe(seen.sealed.get(height));
    expect(toHex(oracleRoot(contents))).toBe(toHex(root));
    const blocks = [...contents.keys()].filter((key) => key.startsWith('index/block/'));
    expect(BigInt(blocks.length)).toBe(height);
  }
  expect(seen.committed).toBeGreaterThan(0n);
}, 120_000);
