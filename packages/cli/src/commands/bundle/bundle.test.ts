import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundleEntry, SubmissionState } from '@switchyard/client';
import { rollupIdFromName, toHex, txHashFromHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { scratchInstance } from '../../dev/testing.ts';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

const ID = txHashFromHex('ab'.repeat(32));
const TRANSACTION = txHashFromHex('cd'.repeat(32));
const SEQUENCED: SubmissionState = { kind: 'sequenced', height: 7n, transaction: TRANSACTION };

const run = (args: readonly string[], world?: FakeWorld) =>
  runWith((cli, connect) => switchyard(cli, ['bundle', ...args], connect), ['bundle', ...args], world);

/** A composer that takes everything, of which this is the outcome. */
function composer(state: SubmissionState | undefined) {
  const taken: string[][] = [];
  const node: FakeWorld['composer'] = {
    submitBundle: async (entries: readonly BundleEntry[]) => {
      taken.push(entries.map(({ rollup, transaction }) => `${rollup} ${toHex(transaction)}`));
      return ID;
    },
    bundle: async () => state,
    waitUntilSequenced: async () => state,
  };
  return { node, taken };
}

const directory = mkdtempSync(join(tmpdir(), 'bundle-'));
function file(name: string, text: string): string {
  writeFileSync(join(directory, name), text);
  return name;
}
const EXPECTED = [`${rollupIdFromName('chat')} 0a0b`, `${'11'.repeat(32)} ff`];

test.each([
  [
    'a file',
    () => [
      file(
        'all.json',
        `[{"rollup":"chat","transaction":"0x0a0b"},{"rollup":"${'11'.repeat(32)}","transaction":"0xff"}]`,
      ),
    ],
  ],
  [
    'options',
    () => ['--entry', `chat=${file('one.hex', '0x0A0b\n')}`, '--entry', `${'11'.repeat(32)}=${file('two.hex', 'ff')}`],
  ],
])('takes entries from %s, in their order, and prints the block', async (_, args) => {
  const { node, taken } = composer(SEQUENCED);
  const ran = await run(['submit', ...args()], { composer: node, directory });
  expect(ran).toMatchObject({ status: 0, stderr: '', urls: ['http://127.0.0.1:50052'] });
  expect(ran.stdout).toBe(
    `Bundle: ${ID}\nState: sequenced\nIncluded in block: 7\nSequencer transaction: ${TRANSACTION}\n`,
  );
  expect(taken).toEqual([EXPECTED]);
});

test('asks the composer of the instance that was named', async () => {
  const { home, name } = scratchInstance({ template: 'messenger', portOffset: 10 });
  const { node } = composer({ kind: 'refused', reason: 'code 19: bad' });
  const flags = ['--home', home, '--instance', name];
  expect(await run(['status', ID, ...flags, '--json'], { composer: node })).toEqual({
    status: 0,
    stdout: `${JSON.stringify({ id: ID, state: 'refused', reason: 'code 19: bad' }, null, 2)}\n`,
    stderr: '',
    urls: ['http://127.0.0.1:50062'],
  });
});

test.each<[string, SubmissionState | undefined, string]>([
  ['refused', { kind: 'refused', reason: 'code 19: bad' }, 'the bundle is in no block: code 19: bad\n'],
  [
    'in no block in time',
    { kind: 'queued' },
    `the bundle was accepted and is in no block after 60 s: ask again with \`switchyard bundle status ${ID}\`\n`,
  ],
])('one that is %s ends with status 1', async (_, state, stderr) => {
  const { node } = composer(state);
  const args = ['submit', '--entry', `chat=${file('one.hex', 'aa')}`];
  expect(await run(args, { composer: node, directory })).toMatchObject({ status: 1, stderr });
});

test('does not wait where that is asked for', async () => {
  const { node } = composer(SEQUENCED);
  const args = ['submit', '--no-wait', '--entry', `chat=${file('one.hex', 'aa')}`];
  expect((await run(args, { composer: node, directory })).stdout).toBe(`Bundle: ${ID}\nState: queued\n`);
});

test.each<[string, string[], string]>([
  ['neither a file nor entries', [], 'expected either FILE or --entry'],
  ['both', ['all.json', '--entry', 'a=b'], 'expected either FILE or --entry'],
  ['an entry without a file', ['--entry', 'chat'], '--entry: expected ROLLUP=FILE, got chat'],
  ['a file that is absent', ['absent.json'], `${directory}/absent.json: cannot be read: ENOENT`],
  [
    'bytes that are not hex',
    ['--entry', 'chat=text.hex'],
    `${directory}/text.hex: expected the bytes of a transaction in hex`,
  ],
  ['a file of another shape', ['shape.json'], `${directory}/shape.json: [1].transaction: expected`],
])('%s is refused with one line', async (_, args, line) => {
  file('text.hex', 'hello');
  file('shape.json', '[{"rollup":"a","transaction":"0x01"},{"rollup":"a","transaction":"text"}]');
  const { stderr, status } = await run(['submit', ...args], { directory });
  expect([stderr.startsWith(line), stderr.split('\n').length, status !== 0]).toEqual([true, 2, true]);
});

test('a bundle that the composer does not know is a failure', async () => {
  const { node } = composer(undefined);
  expect(await run(['status', ID], { composer: node })).toMatchObject({
    status: 1,
    stderr: `the composer does not know bundle ${ID}, or not any more\n`,
  });
});
