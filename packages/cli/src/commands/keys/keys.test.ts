import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, composerAccount, dave, devAccounts, faucetAccount } from '@switchyard/network/accounts';
import { evmAccounts, evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { isDevelopmentKey } from '@switchyard/protocol';
import { encryptKey } from '@switchyard/service';
import { afterAll, expect, test, vi } from 'vitest';
import { accountOfKey } from '../../dev/config/composer-key.ts';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

// The key derivation that makes a guess slow takes its time here too, more of it on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const home = mkdtempSync(join(tmpdir(), 'switchyard-keys-'));
afterAll(() => rmSync(home, { recursive: true }));
const PASSPHRASE = 'a long passphrase';
const passphrase = join(home, 'passphrase');
writeFileSync(passphrase, `${PASSPHRASE}\n`, { mode: 0o600 });
const plain = join(home, 'plain');
writeFileSync(plain, alice.key, { mode: 0o600 });

const keys = (args: readonly string[], world: FakeWorld = {}) =>
  runWith((cli, connect) => switchyard(cli, ['keys', ...args], connect), ['keys', ...args], {
    ...world,
    env: { SWITCHYARD_HOME: home, ...world.env },
  });
const withFile = ['--passphrase-file', passphrase];

test('a key is made, listed, and exported again', async () => {
  const made = await keys(['new', 'mine', '--json', ...withFile]);
  expect(made).toMatchObject({ status: 0 });
  const { path, address, publicKey } = JSON.parse(made.stdout);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(accountOfKey(readFileSync(path, 'utf8'), 'astria')).toMatchObject({ address, published: false });
  expect(JSON.parse((await keys(['list', '--json'])).stdout)).toEqual([
    { name: 'mine', path, kind: 'ed25519', publicKey, address, isEncrypted: true, isDevelopment: false },
  ]);
  const output = join(home, 'exported');
  const exported = await keys(['export', 'mine', '--output', output, ...withFile]);
  expect(exported.stdout).toBe(`key mine is in ${output}, NOT encrypted: remove it after use\n`);
  expect(statSync(output).mode & 0o777).toBe(0o600);
  expect(accountOfKey(readFileSync(output, 'utf8'), 'astria')?.address).toBe(address);
  expect(readFileSync(path, 'utf8')).not.toContain(readFileSync(output, 'utf8').trim());
});

test('a name that is taken, and a file that is there, stay as they are', async () => {
  await keys(['new', 'taken', ...withFile]);
  const again = await keys(['new', 'taken', ...withFile]);
  expect([again.status, again.stderr]).toEqual([
    1,
    `${join(home, '.keys', 'taken.json')}: cannot be written: the file exists already\n`,
  ]);
  expect((await keys(['export', 'taken', '--output', plain, ...withFile])).stderr).toContain('the file exists already');
});

test('a passphrase is typed twice when it is new, once after that, and never shown', async () => {
  expect(await keys(['new', 'typed'], { secrets: [PASSPHRASE, 'another one'] })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the two passphrases differ'),
  });
  const made = await keys(['new', 'typed', '--kind', 'secp256k1'], { secrets: [PASSPHRASE, PASSPHRASE] });
  expect([made.status, made.stdout.includes(PASSPHRASE)]).toEqual([0, false]);
  const output = join(home, 'typed-out');
  expect(await keys(['export', 'typed', '--output', output], { secrets: ['wrong one'] })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the passphrase is wrong, or the file is damaged'),
  });
  expect(await keys(['export', 'typed', '--output', output], { secrets: [PASSPHRASE] })).toMatchObject({ status: 0 });
});

test.each([
  [
    'there is no terminal and no file is named',
    {},
    'give --passphrase-file PATH, or name the file in SWITCHYARD_PASSPHRASE_FILE',
  ],
  ['it is too short', { secrets: ['short', 'short'] }, 'a passphrase: expected at least 8 characters'],
  [
    'its file can be read by others',
    { env: { SWITCHYARD_PASSPHRASE_FILE: join(home, 'open') } },
    'got mode 644'.slice(4),
  ],
])('no key is made when %s', async (_, world, words) => {
  writeFileSync(join(home, 'open'), PASSPHRASE, { mode: 0o644 });
  const { status, stderr } = await keys(['new', 'unmade'], world);
  expect([status, stderr]).toEqual([2, expect.stringContaining(words)]);
  expect((await keys(['list'])).stdout).not.toContain('unmade');
});

test('a development key is kept with a warning, and not used where it is not local', async () => {
  const imported = await keys(['import', 'dev', '--private-key-file', plain, ...withFile]);
  expect(imported.stdout).toContain('This is a published development key');
  // Read as any other, at a cost of its own, which is in the file.
  const file = join(home, 'cheap.json');
  const publicKey = JSON.parse(readFileSync(join(home, '.keys', 'dev.json'), 'utf8')).publicKey;
  const secret = Buffer.from(alice.key, 'hex');
  writeFileSync(file, encryptKey(secret, PASSPHRASE, { kind: 'ed25519', publicKey, cost: 1_024 }), { mode: 0o600 });
  const args = ['sequencer', 'transfer', dave.address, '--amount', '1', '--private-key-file', file];
  const send = (more: readonly string[]) =>
    runWith(
      (cli, connect) => switchyard(cli, [...args, ...withFile, ...more], connect),
      [...args, ...withFile, ...more],
    );
  expect(await send(['--sequencer-url', 'http://sequencer.example:26657'])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(
      /is a published development key, and http:\/\/sequencer\.example:26657.* is not local/,
    ),
    urls: [],
  });
  expect((await send(['--sequencer-url', 'http://127.0.0.1:9'])).urls).toHaveLength(1);
  expect((await send(['--sequencer-url', 'http://sequencer.example:26657', '--allow-dev-key'])).urls).toHaveLength(1);
});

test('every account that this tool publishes is known as such', () => {
  const all = [...devAccounts, dave, composerAccount, faucetAccount, ...evmAccounts, evmFaucetAccount];
  const unknown = all.filter(({ key }) => !isDevelopmentKey(Buffer.from(key.replace(/^0x/, ''), 'hex')));
  expect(unknown).toEqual([]);
});
