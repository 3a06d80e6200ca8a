import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, bob, carol } from '@switchyard/network/accounts';
import { type Action, rollupIdFromName, txHashFromHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { SequencerPort } from './connect.ts';
import { switchyard } from './switchyard.ts';
import { type FakeWorld, runWith } from './testing.ts';

const run = (args: readonly string[], world?: FakeWorld) =>
  runWith((cli, connect) => switchyard(cli, args, connect), args, world);
const HASH = txHashFromHex('ab'.repeat(32));
const env = { SEQUENCER_PRIVATE_KEY: alice.key };

/** A sequencer that takes everything into block 12. */
function sequencer(more: Partial<SequencerPort> = {}) {
  const taken: { chainId: string; action: Action | undefined }[] = [];
  const node: SequencerPort = {
    chainId: async () => 'sequencer-test-chain-0',
    height: async () => 12n,
    balances: async () => [
      { asset: 'ntia', amount: 62n },
      { asset: 'transfer/channel-0/utia', amount: 1n << 100n },
    ],
    nonce: async () => ({ nonce: 4, height: 12n }),
    block: async (height) => ({ block: { header: { height: String(height ?? 12n) } } }),
    allowedFeeAssets: async () => ['ntia'],
    validators: async () =>
      [3n, 1n].map((power) => ({ power, address: new Uint8Array(20).fill(0xab), publicKey: new Uint8Array(32) })),
    bridgeAccount: async (address) =>
      address === carol.address
        ? { rollup: rollupIdFromName('messenger-rollup'), asset: 'ntia', sudo: alice.address, withdrawer: bob.address }
        : undefined,
    fees: async () => [{ asset: 'ntia', amount: 12n }],
    submitAndWait: async (_, { chainId, actions }) => {
      taken.push({ chainId, action: actions[0] });
      return { hash: HASH, height: 12n, nonce: 4, fees: [{ asset: 'ntia', amount: 12n }] };
    },
    ...more,
  };
  return { node, taken };
}

test('transfers, and prints hash, height and fee', async () => {
  const { node, taken } = sequencer();
  const ran = await run(['sequencer', 'transfer', carol.address, '--amount', '50'], { env, sequencer: node });
  expect(ran).toMatchObject({ status: 0, stderr: '', urls: ['http://127.0.0.1:26657'] });
  expect(ran.stdout).toBe(
    [
      `sending tx from address: ${alice.address}`,
      'Transfer completed!',
      'Included in block: 12',
      `Transaction hash: ${'ab'.repeat(32)}`,
      'Fee: 12 ntia',
      '',
    ].join('\n'),
  );
  expect(taken).toMatchObject([
    {
      chainId: 'sequencer-test-chain-0',
      action: { kind: 'transfer', amount: 50n, asset: { text: 'ntia' }, feeAsset: { text: 'ntia' } },
    },
  ]);
});

test('flags take precedence over the answers of the node', async () => {
  const { node, taken } = sequencer({ chainId: () => Promise.reject(new Error('must not be asked')) });
  const held = [{ asset: 'utia', amount: 1n }];
  Object.assign(node, { balances: async () => held, fees: async () => [] });
  const flags = ['--sequencer.chain-id', 'mine', '--asset', 'utia', '--fee-asset', 'nria', '-u', 'http://localhost:1/'];
  const args = ['sequencer', 'transfer', carol.address, '--amount', '1', '--private-key', bob.key, ...flags, '--json'];
  const { stdout, urls } = await run(args, { env, sequencer: node });
  expect(urls).toEqual(['http://localhost:1']);
  expect(taken).toMatchObject([{ chainId: 'mine', action: { asset: { text: 'utia' }, feeAsset: { text: 'nria' } } }]);
  expect(JSON.parse(stdout)).toEqual({
    from: bob.address,
    to: carol.address,
    amount: '1',
    nonce: 4,
    txHash: 'ab'.repeat(32),
    height: 12,
    fees: [{ asset: 'ntia', amount: '12' }],
  });
});

test('what the signer cannot pay is refused before it is sent', async () => {
  const { node, taken } = sequencer();
  const transfer = ['sequencer', 'transfer', carol.address, '--amount'];
  expect(await run([...transfer, '51'], { env, sequencer: node })).toMatchObject({
    status: 1,
    stderr: `not enough ntia: ${alice.address} holds 62, needs 63 (51 to send, 12 fee)\n`,
  });
  expect(await run([...transfer, '1', '--asset', 'utia'], { env, sequencer: node })).toMatchObject({
    stderr: `not enough utia: ${alice.address} holds 0, needs 1 (1 to send, 0 fee)\n`,
  });
  expect(taken).toEqual([]);
});

test('makes a bridge account, locks and unlocks', async () => {
  const { node, taken } = sequencer();
  const world = { env, sequencer: node };
  const made = await run(['sequencer', 'init-bridge-account', '--rollup-name', 'messenger-rollup'], world);
  expect(made.stdout).toContain('InitBridgeAccount completed!\nIncluded in block: 12\n');
  expect(made.stdout).toContain(
    '\nRollup name: messenger-rollup\nRollup ID: vGCF7LvXt76sN7mOc89XTWU4aSzVkbM4gBLzzWcqxdY=\n',
  );
  const locked = await run(
    ['sequencer', 'bridge-lock', carol.address, '--amount', '1', '--destination-chain-address', bob.address],
    world,
  );
  expect(locked.stdout).toContain('\nRollup ID: vGCF7LvXt76sN7mOc89XTWU4aSzVkbM4gBLzzWcqxdY=\n');
  const unlock = ['--bridge-address', carol.address, '--rollup-block-number', '7', '--event-id', 'e1', '--memo', 'm'];
  await run(['sequencer', 'bridge-unlock', bob.address, '--amount', '2', ...unlock], world);
  await run(['sequencer', 'bridge-sudo-change', carol.address, '--new-withdrawer-address', bob.address], world);
  expect(taken.map(({ action }) => action)).toMatchObject([
    { kind: 'initBridgeAccount', sudo: undefined, withdrawer: undefined, asset: { text: 'ntia' } },
    { kind: 'bridgeLock', amount: 1n, destination: bob.address },
    { kind: 'bridgeUnlock', amount: 2n, rollupBlockNumber: 7n, withdrawalEvent: 'e1', memo: 'm' },
    { kind: 'bridgeSudoChange', newSudo: undefined, newWithdrawer: { prefix: 'astria' }, disableDeposits: false },
  ]);
  const empty = await run(['sequencer', 'bridge-sudo-change', carol.address], world);
  expect(empty).toMatchObject({ status: 2, stderr: expect.stringContaining('got none of them') });
});

// Defect: `bridge-lock` locked funds for good in an account of another rollup
test('nothing is locked in an account of another rollup than the one that is meant, unless forced', async () => {
  const { node, taken } = sequencer();
  const lock = (address: string, ...more: string[]) =>
    run(['sequencer', 'bridge-lock', address, '--amount', '1', '--destination-chain-address', bob.address, ...more], {
      env: { ...env, SWITCHYARD_HOME: home },
      sequencer: node,
    });
  const home = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
  expect(await lock(bob.address)).toMatchObject({ status: 1, stderr: expect.stringContaining('is no bridge account') });
  expect(await lock(carol.address, '--rollup-name', 'cosmic')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/of the rollup id vGCF7L\S+=, expected that of cosmic \(\S+=\), which would not get/),
  });
  expect(await lock(carol.address, '--rollup-name', 'messenger-rollup')).toMatchObject({ status: 0 });
  // The messenger of this instance names the account, and has another name than the account's rollup.
  const instance = ['dev', 'init', '--instance', 'default', '--rollup-name', 'parlour'];
  expect(await run(instance, { env: { SWITCHYARD_HOME: home } })).toMatchObject({ status: 0 });
  expect(await lock(carol.address)).toMatchObject({ status: 1, stderr: expect.stringContaining('that of parlour (') });
  expect(taken).toHaveLength(1);
  expect(await lock(carol.address, '--force')).toMatchObject({ status: 0, stderr: expect.stringMatching(/^note: /m) });
  expect(taken).toHaveLength(2);
});

// Defect: `init-bridge-account` took the manifest's name, whose id belongs to another rollup
test('a bridge account is not made for the name that a manifest has for its objects alone', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-manifest-'));
  const { node, taken } = sequencer();
  const create = ['rollup', 'config', 'create', '--rollup.name', 'cosmic', '--rollup.genesis-accounts'];
  expect(await run([...create, `0x${'11'.repeat(20)}:5`], { directory, sequencer: node })).toMatchObject({ status: 0 });
  const init = (name: string, ...more: string[]) =>
    run(['sequencer', 'init-bridge-account', '--rollup-name', name, ...more], { env, directory, sequencer: node });
  expect(await init('cosmic')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^--rollup-name: expected cosmic-chain, the name of this rollup on the sequencer/),
  });
  expect(taken).toEqual([]);
  expect(await init('cosmic-chain')).toMatchObject({ status: 0 });
  expect(await init('cosmic', '--force')).toMatchObject({ status: 0 });
});

test.each([
  [
    ['balance', 'get', carol.address],
    `Balances for address: ${carol.address}\n    62 ntia\n    ${1n << 100n} transfer/channel-0/utia\n`,
  ],
  [
    ['account', 'balance', carol.address],
    `Balances for address: ${carol.address}\n    62 ntia\n    ${1n << 100n} transfer/channel-0/utia\n`,
  ],
  [['nonce', 'get', carol.address], `Nonce for address ${carol.address}\n    4 at height 12\n`],
  [
    ['account', 'nonce', carol.address, '--json'],
    `{\n  "address": "${carol.address}",\n  "nonce": 4,\n  "height": 12\n}\n`,
  ],
  [['blockheight', 'get'], 'Block Height:\n    12\n'],
  [['blockheight', 'get', '--json'], '{\n  "blockheight": 12\n}\n'],
  [
    ['bridge-account', 'get', carol.address],
    `Bridge account ${carol.address}\n    Rollup Id: vGCF7LvXt76sN7mOc89XTWU4aSzVkbM4gBLzzWcqxdY=\n    Asset: ntia\n    Sudo Address: ${alice.address}\n    Withdrawer Address: ${bob.address}\n`,
  ],
  [
    ['validators'],
    `2 validators, power 4 in all; a block needs more than two thirds of it\n  ${'AB'.repeat(20)}  power 3  75.00 %  ${'A'.repeat(43)}=\n  ${'AB'.repeat(20)}  power 1  25.00 %  ${'A'.repeat(43)}=\n`,
  ],
  [['fee-assets', 'get'], 'Allowed fee assets:\n    ntia\n'],
  [['block', 'get', '3', '--json'], '{\n  "block": {\n    "header": {\n      "height": "3"\n    }\n  }\n}\n'],
])('sequencer %j prints what the wire has', async (args, expected) => {
  const ran = await run(['sequencer', ...args], { sequencer: sequencer().node });
  expect(ran).toMatchObject({ status: 0, stdout: expected, stderr: '' });
});

// Defect: `sequencer balances`, `nonce ADDRESS`, `block HEIGHT` and `blockheight` of the reference's tool unknown
test.each([
  [
    ['balances', carol.address, '--json'],
    ['balance', 'get', carol.address, '--json'],
  ],
  [
    ['nonce', carol.address],
    ['nonce', 'get', carol.address],
  ],
  [
    ['block', '3', '--json'],
    ['block', 'get', '3', '--json'],
  ],
  [
    ['blockheight', '--sequencer-url', 'http://127.0.0.1:1', '--json'],
    ['blockheight', 'get', '--json'],
  ],
])('sequencer %j is the same as %j', async (args, same) => {
  const { node } = sequencer();
  const { status, stdout } = await run(['sequencer', ...same], { sequencer: node });
  expect(status).toBe(0);
  expect(await run(['sequencer', ...args], { sequencer: node })).toMatchObject({ status, stdout, stderr: '' });
});

// Defect: `SEQUENCER_ACCOUNT_ADDRESS` not read
test.each([
  ['account', 'balance'],
  ['balance', 'get'],
  ['account', 'nonce'],
])('sequencer %s %s asks for the account of SEQUENCER_ACCOUNT_ADDRESS without an argument', async (...args) => {
  const { node } = sequencer();
  const given = await run(['sequencer', ...args, carol.address], { sequencer: node });
  const env = { SEQUENCER_ACCOUNT_ADDRESS: carol.address };
  expect(await run(['sequencer', ...args], { sequencer: node, env })).toEqual(given);
  expect(await run(['sequencer', ...args], { sequencer: node })).toMatchObject({
    status: 2,
    stderr: 'expected an address, got none: give ADDRESS, or set SEQUENCER_ACCOUNT_ADDRESS\n',
  });
});

test('makes keys that sign for the address it shows, and keeps one in a file on request', async () => {
  const { stdout } = await run(['sequencer', 'account', 'create', '--json']);
  const made: { address: string; private_key: string } = JSON.parse(stdout);
  const { node } = sequencer();
  const world = { env: { SEQUENCER_PRIVATE_KEY: made.private_key }, sequencer: node };
  const sent = await run(['sequencer', 'transfer', carol.address, '--amount', '1'], world);
  expect(sent.stdout.split('\n')[0]).toBe(`sending tx from address: ${made.address}`);

  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-key-')), 'key');
  const kept = await run(['sequencer', 'account', 'create', '--out', file]);
  expect(kept.stdout).not.toContain(readFileSync(file, 'utf8'));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const again = await run(['sequencer', 'account', 'create', '--out', file]);
  expect(again).toMatchObject({ status: 1, stderr: `${file}: cannot be written: the file exists already\n` });
});

/** An instance whose network is not at the usual place, and takes fees in another asset than it hands out. */
async function instanceElsewhere() {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
  const world = { env: { ...env, SWITCHYARD_HOME: home } };
  await run(['dev', 'init', '--instance', 'chat', '--port-offset', '40', '--local-network-name', 'chat-1'], world);
  await run(['dev', 'setconfig', 'feeasset', 'nria', '--instance', 'chat'], world);
  return { home, env: world.env };
}

test('a named network gives URL, chain id and assets', async () => {
  const elsewhere = await instanceElsewhere();
  const never = () => Promise.reject(new Error('must not be asked'));
  const { node, taken } = sequencer({ chainId: never, allowedFeeAssets: never });
  const world = { env: elsewhere.env, sequencer: node };
  const transfer = ['sequencer', 'transfer', carol.address, '--amount', '50', '--instance', 'chat'];
  for (const more of [[], ['--network', 'local']]) {
    expect(await run([...transfer, ...more], world)).toMatchObject({ status: 0, urls: ['http://127.0.0.1:26697'] });
  }
  expect(taken).toMatchObject(
    [1, 2].map(() => ({ chainId: 'chat-1', action: { asset: { text: 'ntia' }, feeAsset: { text: 'nria' } } })),
  );
});

test('flags win over the environment, and that over the network', async () => {
  const elsewhere = await instanceElsewhere();
  const { node, taken } = sequencer();
  const variables = { ...elsewhere.env, SEQUENCER_URL: 'http://localhost:1', ROLLUP_SEQUENCER_CHAIN_ID: 'from-env' };
  const transfer = ['sequencer', 'transfer', carol.address, '--amount', '1', '--instance', 'chat'];
  const byEnvironment = await run(transfer, { env: variables, sequencer: node });
  expect(byEnvironment).toMatchObject({
    urls: ['http://localhost:1'],
    stderr: 'SEQUENCER_URL = http://localhost:1 is used, and not http://127.0.0.1:26697 of network local\n',
  });
  const flags = ['-u', 'http://127.0.0.1:1', '--sequencer.chain-id', 'mine', '--asset', 'ntia', '--fee-asset', 'ntia'];
  const byFlag = await run([...transfer, ...flags], { env: variables, sequencer: node });
  expect(byFlag).toMatchObject({ urls: ['http://127.0.0.1:1'], stderr: '' });
  expect(taken).toMatchObject([
    { chainId: 'from-env', action: { feeAsset: { text: 'nria' } } },
    { chainId: 'mine', action: { feeAsset: { text: 'ntia' } } },
  ]);
});

test('an unknown network or instance is named with the nearest', async () => {
  const elsewhere = await instanceElsewhere();
  const get = ['sequencer', 'blockheight', 'get'];
  const world = { env: elsewhere.env, sequencer: sequencer().node };
  expect(await run([...get, '--instance', 'chat', '--network', 'locla'], world)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no network "locla", there is local; did you mean "local"?'),
  });
  expect(await run([...get, '--instance', 'caht'], world)).toMatchObject({
    status: 1,
    stderr: `no instance caht in ${elsewhere.home}; did you mean "chat"? Make it with \`switchyard dev init --instance caht --home ${elsewhere.home}\`\n`,
  });
});

test('a sequencer that names no fee asset is reported', async () => {
  const { node } = sequencer({ allowedFeeAssets: async () => [] });
  const ran = await run(['sequencer', 'transfer', carol.address, '--amount', '1'], { env, sequencer: node });
  expect(ran).toMatchObject({
    status: 1,
    stderr: 'the sequencer names no asset that pays fees: give one with --fee-asset\n',
  });
});

const transfer = ['sequencer', 'transfer'];
test.each([
  [
    [...transfer, 'astria1x', '--amount', '1'],
    'to: expected an address in bech32m form with the prefix astria, got "astria1x"',
  ],
  [
    [...transfer, carol.address, '--amount', '-1'],
    '--amount: expected a whole number above 0 and below 2^128, in the smallest unit, got "-1"',
  ],
  [
    [...transfer, carol.address, '--amount', '1', '--fee-asset', ''],
    '--fee-asset: expected an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>, got ""',
  ],
  [
    [...transfer, carol.address, '--amount', '1', '--sequencer-url', 'ftp://x'],
    '--sequencer-url: expected a URL such as http://127.0.0.1:3030, got "ftp://x"',
  ],
  [
    [...transfer, carol.address, '--amount', '1', '--prefix', 'A!'],
    '--prefix: expected 1 to 30 lower-case letters and digits, got "A!"',
  ],
  [['sequencer', 'block', 'get', 'latest'], 'height: expected a whole number from 0 to 2^64 - 1, got "latest"'],
  [['sequencer', 'init-bridge-account', '--rollup-name', ''], '--rollup-name: expected a name, got nothing'],
  [
    ['sequencer', 'bridge-lock', carol.address, '--amount', '1', '--destination-chain-address', ''],
    '--destination-chain-address: expected an address, got nothing',
  ],
  [
    ['sequencer', 'account', 'create', '--prefix', 'A!'],
    '--prefix: expected 1 to 30 lower-case letters and digits, got "A!"',
  ],
  [
    ['dev', 'init', '--instance', '../up'],
    'instance name: expected lower-case letters, digits and inner dashes, at most 50, got "../up"',
  ],
  [['dev', 'init', '--port-offset', 'ten'], '--port-offset: expected a whole number, got "ten"'],
])('%j is refused with one line', async (args, line) => {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-home-'));
  const ran = await run(args, { env: { ...env, SWITCHYARD_HOME: home }, sequencer: sequencer().node });
  expect(ran).toMatchObject({ status: 2, stdout: '' });
  expect(ran.stderr.startsWith(line)).toBe(true);
  expect(ran.stderr.split('\n')).toHaveLength(2);
});

test('the help of the whole names both halves, and each half its commands', async () => {
  const whole = await run(['--help']);
  expect([whole.status, whole.stdout.match(/^ {2}(dev|sequencer) /gm)]).toEqual([0, ['  dev ', '  sequencer ']]);
  const half = await run(['sequencer', '--help']);
  expect([half.status, half.stdout.includes('bridge-lock [options] <to>')]).toEqual([0, true]);
  expect(await run(['seqencer'])).toMatchObject({
    status: 2,
    stderr: "unknown command 'seqencer' (Did you mean sequencer?): see `switchyard --help`\n",
  });
});

// Defect: Help of commands with subcommands shown as a mistake
test.each([[[]], [['dev']], [['sequencer', 'account']]])(
  '%j shows its help on standard output, and is no mistake',
  async (args) => {
    expect(await run(args)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: switchyard .*\n/),
      stderr: '',
    });
    expect(await run([...args, 'nothing'])).toMatchObject({ status: 2, stdout: '' });
  },
);

test('a message of the parser has no full stop before what follows', async () => {
  expect((await run(['version', 'one'])).stderr).toBe(
    "too many arguments for 'version'. Expected 0 arguments but got 1: see `switchyard version --help`\n",
  );
});
