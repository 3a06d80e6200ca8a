import { expect, test } from 'vitest';
import { scratchInstance } from '../dev/testing.ts';
import { switchyard } from '../switchyard.ts';
import { runWith } from '../testing.ts';

const run = (...args: readonly string[]) =>
  runWith((cli, connect) => switchyard(cli, ['replay', ...args], connect), ['replay', ...args]);

test.each([
  [[], 'expected one of --block, --tx, and --from with --to'],
  [['--block', '1', '--to', '2'], 'expected one of --block, --tx, and --from with --to'],
  [['--block', '0'], '--block: expected a block from 1 on, got 0'],
  [['--from', '5', '--to', '4'], '--to: expected at least 5, got 4'],
  [['--tx', 'abc'], '--tx: expected 64 hex digits, got "abc"'],
])('%j is refused with one line', async (args, line) => {
  const ran = await run(...args);
  expect([ran.stderr, ran.status !== 0]).toEqual([`${line}\n`, true]);
});

test('an instance without a rollup that can be replayed is named', async () => {
  const { home, name } = scratchInstance({ template: 'evm', portOffset: 10 });
  const { stderr } = await run('--block', '1', '--home', home, '--instance', name);
  expect(stderr).toBe(`instance ${name} has no rollup without a virtual machine\n`);
});
