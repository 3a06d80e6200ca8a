import { alice, bob } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { connections } from './connect.ts';
import { rollupCli } from './rollup-cli.ts';
import { runProgram } from './run.ts';
import { switchyard } from './switchyard.ts';

/** Runs a command line that reaches nodes as users' ones do. */
async function run(program: 'switchyard' | 'rollup-cli', args: readonly string[]) {
  let stderr = '';
  const status = await runProgram(
    (cli) => (program === 'switchyard' ? switchyard(cli, args, connections) : rollupCli(cli, connections)),
    args,
    {
      env: { SWITCHYARD_HOME: '/dev/null/none' },
      directory: '/',
      stdout: { write() {} },
      stderr: { write: (text) => (stderr += text) },
      ask: async () => undefined,
      onStop() {},
    },
  );
  return { status, stderr };
}

const good = ['--private-key', alice.key];

test.each([
  ['an address', 'rollup-cli', ['query', 'balance', 'astria1nonsense']],
  ['a denomination', 'rollup-cli', ['query', 'balance', alice.address, '--asset', 'a/b']],
  ['a key', 'rollup-cli', ['submit', 'text', 'hi', 'alice', '--private-key', 'zz']],
  ['an amount', 'rollup-cli', ['submit', 'transfer', bob.address, '--amount', '-1', ...good]],
  ['a URL', 'rollup-cli', ['query', 'texts', '--rollup-url', 'nonsense']],
  ['an address without a listener', 'rollup-cli', ['query', 'texts', '--rollup-url', 'http://127.0.0.1:1']],
  ['an address', 'switchyard', ['sequencer', 'balance', 'get', 'no-account']],
  ['an amount', 'switchyard', ['sequencer', 'transfer', bob.address, '--amount', 'much', ...good]],
  [
    'a sequencer that is absent',
    'switchyard',
    ['sequencer', 'blockheight', 'get', '--sequencer-url', 'http://127.0.0.1:1'],
  ],
] as const)('what is wrong with %s is named in one line: %s', async (_, program, args) => {
  const { status, stderr } = await run(program, args);
  expect(status).not.toBe(0);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).not.toMatch(/ at .*\.[jt]s:\d+|undefined|\[object/);
  expect(stderr).not.toContain(alice.key.slice(0, 8));
});
