import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { rolldown } from 'rolldown';
import { expect, onTestFinished, test } from 'vitest';
import { history } from './playground/history.testing.ts';
import { pageModules } from './playground/page-modules.ts';

const PLAYGROUND = join(import.meta.dirname, 'playground');

/** Begins as the worker of the page does, and sends the result or the error. */
const PROGRAM = `
import { parentPort } from 'node:worker_threads';
const send = (result) => parentPort.postMessage(result);
import(GLOBALS)
  .then(() => import(HISTORY))
  .then(({ history, prepare }) => {
    prepare('0.1.0', import.meta.url);
    return history('one');
  })
  .then(send, (error) => send([String(error?.stack)]));
`;

test('a network of a page makes the blocks that a network of Node makes', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-page-network-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const here = (name: string) => JSON.stringify(join(PLAYGROUND, name));
  const entries = {
    globals: join(PLAYGROUND, 'node', 'globals.ts'),
    history: join(directory, 'history.ts'),
  };
  writeFileSync(
    entries.history,
    `export { history } from ${here('history.testing.ts')}; export { prepare } from ${here('page-network.ts')};`,
  );
  const bundle = await rolldown({
    input: entries,
    plugins: [pageModules],
    platform: 'browser',
    shimMissingExports: true,
    checks: { shimmedExport: false },
    resolve: { conditionNames: ['switchyard-source', 'browser', 'import', 'module', 'default'] },
    transform: { target: 'es2023' },
    logLevel: 'silent',
  });
  const out = join(directory, 'a', 'b');
  await bundle.write({ dir: out, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  const program = join(out, 'main.mjs');
  writeFileSync(program, PROGRAM.replace('GLOBALS', `'./globals.mjs'`).replace('HISTORY', `'./history.mjs'`));
  const worker = new Worker(program);
  onTestFinished(async () => void (await worker.terminate()));
  const made = await new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  const expected = await history('one');
  expect(made).toEqual(expected);
  expect(expected.at(-1)).toBe('23');
  expect(await history('another')).not.toEqual(expected);
});
