import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { alice, bob, carol, composerAccount, faucetAccount } from '@switchyard/network/accounts';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { accountsCommand } from '../../commands/dev/accounts.ts';
import type { SequencerPort } from '../../connect.ts';
import { runWith } from '../../testing.ts';
import { holdInstance } from '../instance/run-file.ts';
import { scratchInstance } from '../testing.ts';

const MESSENGER = rollupIdFromName('messenger');
const node: Partial<SequencerPort> = {
  balances: async (address) => (address === alice.address ? [{ asset: 'ntia', amount: 1n << 80n }] : []),
  nonce: async (address) => ({ nonce: address === composerAccount.address ? 7 : 0, height: 9n }),
  bridgeAccount: async (address) =>
    address === carol.address
      ? { rollup: MESSENGER, asset: 'ntia', sudo: alice.address, withdrawer: alice.address }
      : undefined,
};

/** `dev accounts --json` of an instance. */
function getAccounts(paths: ReturnType<typeof scratchInstance>, sequencer?: Partial<SequencerPort>) {
  const args = ['--home', paths.home, '--instance', paths.name, '--json'];
  return runWith((cli, connect) => accountsCommand(cli, connect), args, sequencer === undefined ? {} : { sequencer });
}

test('without a running network names addresses and keys, and that the keys are public', async () => {
  const { stdout, status } = await getAccounts(scratchInstance());
  expect(status).toBe(0);
  const value: unknown = JSON.parse(stdout);
  expect(value).toMatchObject({
    warning: expect.stringContaining('PUBLIC TEST KEYS'),
    running: false,
    accounts: [
      { name: 'alice', address: alice.address, key: alice.key },
      { name: 'bob', address: bob.address, key: bob.key },
      { name: 'carol', address: carol.address, key: carol.key, bridge: {} },
      { name: 'faucet', address: faucetAccount.address, key: faucetAccount.key },
      { name: 'composer', address: composerAccount.address, key: composerAccount.key },
    ],
  });
  expect(stdout).not.toContain('"balances"');
});

test('with one shows what they hold on both layers, and what the bridge account is for', async () => {
  const server = createServer((request, response) => {
    const rich = request.url === `/v1/accounts/${bob.address}`;
    response.end(JSON.stringify({ nonce: 3, balances: rich ? [{ asset: 'nria', amount: '100' }] : [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const paths = scratchInstance();
  writeFileSync(paths.base, readFileSync(paths.base, 'utf8').replace('"127.0.0.1:3030"', `"127.0.0.1:${port}"`));
  const hold = await holdInstance(paths, 'local');
  try {
    const { stdout, stderr } = await getAccounts(paths, node);
    // The test compares its members.
    const { accounts } = JSON.parse(stdout) as { accounts: { name: string }[] };
    const find = (name: string) => accounts.find((account) => account.name === name);
    expect(stderr).toBe('');
    expect(find('alice')).toMatchObject({
      sequencer: { nonce: 0, balances: [{ asset: 'ntia', amount: String(1n << 80n) }] },
      rollup: { nonce: 3, balances: [] },
    });
    expect(find('bob')).toMatchObject({ rollup: { balances: [{ asset: 'nria', amount: '100' }] } });
    expect(find('carol')).toMatchObject({ bridge: { registered: true, rollupId: MESSENGER, asset: 'ntia' } });
    expect(find('composer')).toMatchObject({ sequencer: { nonce: 7 } });
  } finally {
    hold.release();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a layer that does not answer is reported once, and the rest is shown', async () => {
  const paths = scratchInstance();
  writeFileSync(paths.base, readFileSync(paths.base, 'utf8').replace('"127.0.0.1:3030"', '"127.0.0.1:1"'));
  const hold = await holdInstance(paths, 'local');
  const { stderr, stdout } = await getAccounts(paths, node);
  hold.release();
  expect(stderr).toMatch(/^\{"note":"the rollup does not answer: connect ECONNREFUSED [^\n]*"\}\n$/);
  expect(JSON.parse(stdout)).toMatchObject({ accounts: [{ sequencer: { nonce: 0 } }, {}, {}, {}, {}] });
});

test("a composer's key that is not the published one is never printed", async () => {
  const paths = scratchInstance();
  rmSync(paths.composerKey);
  writeFileSync(paths.composerKey, bob.key.toUpperCase(), { mode: 0o600 });
  const { stdout } = await getAccounts(paths);
  expect(JSON.parse(stdout)).toMatchObject({
    accounts: [{}, {}, {}, {}, { name: 'composer', address: bob.address, keyFile: paths.composerKey }],
  });
  expect(stdout).not.toContain(bob.key.toUpperCase());
  expect(existsSync(paths.composerKey)).toBe(true);
});
