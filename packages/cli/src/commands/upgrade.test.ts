import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { action, defineRollup, since, table, text, u32, u64 } from '@switchyard/rollup';
import { expect, test } from 'vitest';
import { switchyard } from '../switchyard.ts';
import { runWith } from '../testing.ts';

const put = action({ fields: { id: u32 }, execute: () => undefined });
const things = (value: Parameters<typeof table>[0]['value']) => [table({ name: 'things', key: u32, value })];
const short = text({ maxBytes: 8 });
const long = text({ maxBytes: 9 });
const first = defineRollup({ name: 'shop', tables: things(short), actions: { put } });
const planned = defineRollup({
  name: 'shop',
  tables: things(since(1_200n, long, short)),
  actions: { put, sell: { ...put, from: 1_200n } },
});

function check(next: { readonly document: object }, ...options: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-upgrade-'));
  writeFileSync(join(directory, 'old.json'), JSON.stringify(first.document));
  writeFileSync(join(directory, 'new.json'), JSON.stringify(next.document));
  const args = ['upgrade', 'check', '--from', 'old.json', '--to', 'new.json', ...options];
  return runWith((cli, connect) => switchyard(cli, args, connect), args, { directory });
}

// Defect: The plan of an upgrade was known to its author alone
test('changes with a block are the plan, with the fingerprint that is announced', async () => {
  const { stdout, status } = await check(planned, '--executed', '57');
  expect([stdout, status]).toEqual([
    expect.stringMatching(
      /^planned: action sell is new from block 1200 on\nplanned: table things has another type from block 1200 on\nfrom block 1200 on the definition is [0-9a-f]{64}\n$/,
    ),
    0,
  ]);
});

test('changes without a block, and those that cannot have one, end with status 1 and what to do', async () => {
  const open = await check(defineRollup({ name: 'shop', tables: things(long), actions: { put } }), '--executed', '57');
  expect(open).toMatchObject({
    stdout: expect.stringMatching(/^open: table things maxBytes is 9, was 8; give it a block after 57: since\(/),
    stderr: '1 of 1 changes have no block, or cannot have one\n',
    status: 1,
  });
  const refused = await check(defineRollup({ name: 'shop', tables: things(u64), actions: { put } }));
  expect(refused.stdout).toMatch(/^refused: table things is "u64", was "text"; put it back/);
  const late = await check(planned, '--executed', '1200');
  expect(late.stdout).toContain('refused: action sell is new from block 1200 on, but blocks up to 1200 are executed');
});

test.each([
  [['--executed', 'x'], '--executed: expected a block, got x'],
  [['--to', 'absent.json'], '--to: absent.json: ENOENT'],
])('%j is refused with one line', async (options, line) => {
  const { stderr, status } = await check(planned, ...options);
  expect([stderr.startsWith(line), stderr.trim().split('\n').length, status]).toEqual([true, 1, 2]);
});
