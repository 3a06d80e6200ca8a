// biome-ignore-all lint/style/noRestrictedImports: kills a process and looks at its files on disk
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testRollup } from '../testing/test-rollup.ts';
import { GENESIS, getTransaction, programs } from './upgrade.testing.ts';

const packageDirectory = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'switchyard-upgrade-'));

// The process to be killed runs from dist, as every process does.
beforeAll(() => {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-b', packageDirectory], { stdio: 'inherit' });
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs a program until it has printed the line of a block, and kills it then, wherever it is. @returns its lines. */
async function runUntil(program: string, last: number): Promise<string[]> {
  const script = join(packageDirectory, 'dist', 'define', 'upgrade.testing.js');
  const child = spawn(process.execPath, [script, join(directory, 'store'), program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    // A node that has stopped stays there for its operator.
    if (line.startsWith('stopped') || Number.parseInt(line, 10) >= last) child.kill('SIGKILL');
  }
  return lines;
}

// Defect: Kills around an upgrade were not tried
test('an upgrade on a chain whose node is killed before, at and after its block: the roots are those of a replay from the start', async () => {
  const lines: string[] = [];
  for (const last of [3, 4, 99]) lines.push(...(await runUntil('old', last)));
  for (const last of [5, 6, 20]) lines.push(...(await runUntil('new', last)));
  const stopped = lines.filter((line) => line.startsWith('stopped'));
  const roots = lines.filter((line) => !stopped.includes(line)).map((line) => line.split(' '));
  const node = await testRollup(programs.new as never, GENESIS);
  const expected = new Map<string | undefined, string>();
  for (let number = 1n; number <= BigInt(roots.at(-1)?.[0] ?? 0); number += 1n) {
    await node.block({ data: [await getTransaction(number)] });
    expected.set(String(number), node.chain.view.block.stateRoot);
  }
  await node.stop();
  expect(roots.map(([number, root]) => [number, root])).toEqual(
    roots.map(([number]) => [number, expected.get(number)]),
  );
  expect(Number(roots.at(-1)?.[0])).toBeGreaterThanOrEqual(20);
  expect(stopped.at(-1)).toContain('an upgrade was announced for block 5, and this program lacks it');
}, 120_000);
