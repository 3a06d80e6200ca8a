import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RollupRefused, type TransactionOutcome } from '@switchyard/client';
import { blocksBehind } from '@switchyard/client/rollup';
import { alice, bob } from '@switchyard/network/accounts';
import { fromHex, txHashOf } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { RollupPort } from './connect.ts';
import { rollupCli } from './rollup-cli.ts';
import { type FakeWorld, runWith } from './testing.ts';

const run = (args: readonly string[], world?: FakeWorld) => runWith(rollupCli, args, world);
const VERIFY = ['--verify', '--sequencer-rpc', 'http://s:1', '--sequencer-grpc', 'http://s:2'];
const env = { ROLLUP_PRIVATE_KEY: alice.key };

/** Answers with the nonces in turn, of a rollup whose newest block is 5. */
function asking(...nonces: readonly number[]): Pick<RollupPort, 'toSign'> {
  let wanted = 0;
  return {
    async toSign(_, validFor) {
      const nonce = nonces[Math.min(wanted++, nonces.length - 1)] ?? 0;
      const blocks = blocksBehind(5n, validFor);
      return { body: { nonce, chainId: 'chat-1', lastBlock: blocks?.last }, blocks };
    },
  };
}

/** A rollup that executes all entries in block 7, unless given another result. */
function rollup(more: Partial<RollupPort> = {}) {
  const submitted: Uint8Array[] = [];
  const node: RollupPort = {
    status: async () => ({
      name: 'chat',
      chainId: 'chat-1',
      height: 5n,
      firm: 4n,
      all: { rollup: 'chat' },
    }),
    nonce: async () => 3,
    ...asking(3),
    balance: async () => 100_000_000_000_000_000_000n,
    verifiedBalance: async () => ({
      balance: 5n,
      block: { number: 7n, hash: 'ab'.repeat(32), stateRoot: 'cd'.repeat(32) },
      header: { height: 8n, hash: 'ef'.repeat(32), validatorsHash: '12'.repeat(32) },
      agreeing: 1,
    }),
    texts: async () => [],
    submit: async (bytes) => {
      submitted.push(bytes);
      return txHashOf(bytes);
    },
    transaction: async () => undefined,
    waitUntilExecuted: async (hash) => ({ hash, state: 'executed', block: 7n, sequencerHeight: 7n }),
    ...more,
  };
  return { node, submitted };
}

test('submits a text signed by the key of the environment and prints where it was executed', async () => {
  const { node, submitted } = rollup();
  const { status, stdout, stderr, urls } = await run(['submit', 'text', 'gm', 'alice', '--chain-id', 'astria-chat'], {
    env,
    rollup: { ...node, ...asking(0) },
  });
  // The vector of the wire's sheet, with 64 blocks behind block 5 as its last one.
  const hash = '715f35e2827ff4fa9377251d253f23b2c62c4efdcfe617e73a1a1b31ac9e6fec';
  expect(txHashOf(submitted[0] ?? new Uint8Array())).toBe(hash);
  expect({ status, stderr, urls }).toEqual({ status: 0, stderr: '', urls: ['http://127.0.0.1:3030'] });
  expect(stdout).toBe(
    `sending tx from address: ${alice.address}\nText Transaction completed!\nExecuted in block: 7\nTransaction hash: ${hash}\n`,
  );
});

test('submits a transfer, and prints one JSON value with --json', async () => {
  const { node, submitted } = rollup();
  const args = ['submit', 'transfer', '--amount', '10', bob.address, '--chain-id', 'astria-chat', '--json'];
  const world = { env: { PRIVATE_KEY: alice.key }, rollup: { ...node, ...asking(1) } };
  const { status, stdout } = await run(args, world);
  const hash = '67dc241fe4880ab46c5bb037f27f2d222db8818476ea5915326d119231a851db';
  expect(txHashOf(submitted[0] ?? new Uint8Array())).toBe(hash);
  expect([status, JSON.parse(stdout)]).toEqual([
    0,
    {
      hash,
      sender: alice.address,
      nonce: 1,
      chainId: 'astria-chat',
      state: 'executed',
      block: 7,
      sequencerHeight: 7,
    },
  ]);
});

test('takes the chain id from the node, and the key from a file', async () => {
  const { node, submitted } = rollup();
  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-key-')), 'key');
  writeFileSync(file, `0x${bob.key}\n`);
  const { status, stdout } = await run(['submit', 'text', 'hi', 'bob', '--private-key-file', file], { rollup: node });
  expect([status, stdout.split('\n')[0]]).toEqual([0, `sending tx from address: ${bob.address}`]);
  expect(Buffer.from(submitted[0] ?? []).includes('chat-1')).toBe(true);
});

test('a refused transaction is reported with its reason, and fails', async () => {
  const refused: TransactionOutcome = {
    hash: 'ab',
    state: 'refused',
    block: 9n,
    reason: 'insufficient balance: held 0',
  };
  const { node } = rollup({ waitUntilExecuted: async () => refused });
  const text = await run(['submit', 'text', 'hi', 'bob'], { env, rollup: node });
  expect(text).toMatchObject({ status: 1, stdout: '' });
  expect(text.stderr).toMatch(/^Text Transaction refused in block 9: insufficient balance: held 0 \([0-9a-f]{64}\)\n$/);
  const json = await run(['submit', 'text', 'hi', 'bob', '--json'], { env, rollup: node });
  expect([json.status, JSON.parse(json.stdout)]).toMatchObject([1, { state: 'refused', block: 9 }]);
});

test('without waiting it prints that the transaction was accepted', async () => {
  const { node } = rollup({ waitUntilExecuted: () => Promise.reject(new Error('must not be asked')) });
  const { status, stdout } = await run(['submit', 'text', 'hi', 'bob', '--no-wait'], { env, rollup: node });
  expect([status, stdout.split('\n')[1]]).toEqual([0, 'Text Transaction accepted']);
});

// Defect: A transaction that was signed for later had no last block, and could be executed at any time
test('signs without sending, for a bundle', async () => {
  const { node, submitted } = rollup();
  const args = ['submit', 'text', 'gm', 'alice', '--chain-id', 'astria-chat', '--sign-only'];
  const world = { env, rollup: { ...node, ...asking(0) } };
  const { stdout: json } = await run([...args, '--json'], world);
  expect(JSON.parse(json)).toMatchObject({ sender: alice.address, nonce: 0, chainId: 'astria-chat', lastBlock: '69' });
  const { stdout } = await run([...args, '--valid-for', '0'], world);
  expect(submitted).toEqual([]);
  // The vector of the wire's sheet: nonce 0, chain astria-chat, text gm from alice.
  const hash = '1f26bb46e6685a21ab2ab2ebd2ecafa7c911ed9c4a4013962cbe3efccbd019ee';
  expect(txHashOf(fromHex(stdout.trim().slice(2)))).toBe(hash);
});

test('a wait that ends too early prints how to ask again', async () => {
  const { node } = rollup({ waitUntilExecuted: async (hash) => ({ hash, state: 'sequenced' }) });
  const { status, stderr } = await run(['submit', 'text', 'hi', 'bob', '--timeout', '1'], { env, rollup: node });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /accepted but not executed within 1 s, it is sequenced: ask again with `rollup-cli query transaction [0-9a-f]{64}`\n$/,
  );
});

test('takes another nonce when another sender used it first', async () => {
  let sent = 0;
  const { node } = rollup(asking(3, 4, 5));
  const submit: RollupPort['submit'] = async (bytes) => {
    sent += 1;
    if (sent < 3) throw new RollupRefused(409, 'nonce-taken', 'nonce taken');
    return node.submit(bytes);
  };
  const { status, stdout } = await run(['submit', 'text', 'hi', 'bob', '--json'], { env, rollup: { ...node, submit } });
  expect([status, JSON.parse(stdout)]).toMatchObject([0, { nonce: 5 }]);
  const never = await run(['submit', 'text', 'hi', 'bob'], {
    env,
    rollup: { ...node, submit: () => Promise.reject(new RollupRefused(409, 'nonce-taken', 'nonce taken: nonce 1')) },
  });
  expect(never).toMatchObject({ status: 1, stderr: 'the rollup refused: nonce taken: nonce 1\n' });
});

// Defect: Wrong chain id refused without the right one
test('a wrong chain id is answered with the right one', async () => {
  const refused = new RollupRefused(400, 'wrong-chain', 'wrong-chain', { expected: 'chat-1', got: 'astria-chat' });
  const { node } = rollup({ submit: () => Promise.reject(refused) });
  const { status, stderr } = await run(['submit', 'text', 'hi', 'bob', '--chain-id', 'astria-chat'], {
    env,
    rollup: node,
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/its chain id is chat-1, .* give --chain-id chat-1/)]);
});

// Defect: Refusal named its asset by a hash and its account by bytes
test('a refusal names the asset and the account that it is about as people know them', async () => {
  const id = '704031c868fd3d3c84a1cfa8cb45deba4ea746b44697f7f4a6ed1b8f6c239b82';
  const reason = `insufficient balance: account 2269aca7b7c03c7d07345f83db4fabbd51a056a8, asset ${id}, held 1`;
  const { node } = rollup({ submit: () => Promise.reject(new RollupRefused(422, 'insufficient-balance', reason)) });
  const { stderr } = await run(['submit', 'text', 'hi', 'bob'], { env, rollup: node });
  expect(stderr).toMatch(/^the rollup refused: insufficient balance: account astria1\w{38}, asset nria, held 1\n$/);
});

test('an unclear outcome is cleared up with the same bytes, not with another transaction', async () => {
  const sent: string[] = [];
  const submit: RollupPort['submit'] = async (bytes) => {
    sent.push(txHashOf(bytes));
    if (sent.length < 3) throw new RollupRefused(503, 'outcome-unknown', 'the composer does not answer');
    return txHashOf(bytes);
  };
  const { node } = rollup({ submit, ...asking(3, 4) });
  const { status } = await run(['submit', 'text', 'hi', 'bob'], { env, rollup: node });
  expect([status, sent.length, new Set(sent).size]).toEqual([0, 3, 1]);
});

// Defect: `rollup-cli query texts`, also with `--json`: hidden characters were printed unescaped
test('shows texts with what strangers wrote made harmless', async () => {
  const { node } = rollup({
    texts: async (page) => {
      expect(page).toEqual({ after: 4n, limit: 2 });
      const common = { block: 1n, time: 't', address: alice.address, hash: undefined };
      return [
        { ...common, id: 5n, sender: 'alice', message: 'hello' },
        { ...common, id: 6n, sender: '\u001b[2J', message: 'a\nb\u202e' },
        { ...common, id: 7n, sender: 'al\u200bi\u061cc\u00ade', message: '\ufeff\u2060\u3164' },
      ];
    },
  });
  const { stdout } = await run(['query', 'texts', '--after', '4', '--limit', '2'], { rollup: node });
  expect(stdout.split('\n')).toEqual([
    'Sender: alice, Message: hello',
    'Sender: \\u{1b}[2J, Message: a\\nb\\u{202e}',
    'Sender: al\\u{200b}i\\u{61c}c\\u{ad}e, Message: \\u{feff}\\u{2060}\\u{3164}',
    '',
  ]);
  const { stdout: json } = await run(['query', 'texts', '--after', '4', '--limit', '2', '--json'], { rollup: node });
  expect(json).not.toMatch(/[^\n -~]/);
  expect(JSON.parse(json)[2]).toMatchObject({ sender: 'al\u200bi\u061cc\u00ade' });
});

test.each([
  [['query', 'balance', bob.address], 'Balance: 100000000000000000000 nria\n'],
  [['query', 'balance', '--asset', 'ntia', bob.address], 'Balance: 100000000000000000000 ntia\n'],
  [
    ['query', 'balance', bob.address, ...VERIFY, '--compare-with', 'http://a:1', '--compare-with', 'http://b:1'],
    `Balance: 5 nria\n  in the state of rollup block 7 with hash ${'ab'.repeat(32)}; 1 of 2 other nodes have the same block\n  made from sequencer block 8 with hash ${'ef'.repeat(32)}\n  which validators with hash ${'12'.repeat(32)} have signed\n`,
  ],
  [['query', 'nonce', bob.address], 'Nonce: 3\n'],
  [['status'], 'Rollup: chat\nChain id: chat-1\nBlock: 5\nFirm block: 4\n'],
])('%j prints %j', async (args, expected) => {
  expect(await run(args, { rollup: rollup().node })).toMatchObject({ status: 0, stdout: expected, stderr: '' });
});

test('amounts are texts in JSON, so that no reader rounds them', async () => {
  const { stdout } = await run(['query', 'balance', bob.address, '--json'], { rollup: rollup().node });
  expect(JSON.parse(stdout)).toEqual({ address: bob.address, asset: 'nria', balance: '100000000000000000000' });
});

test('the URL comes from the flag, else from the environment', async () => {
  const args = ['query', 'nonce', bob.address];
  const world = { env: { ROLLUP_URL: 'http://a:1/' }, rollup: rollup().node };
  expect((await run(args, world)).urls).toEqual(['http://a:1']);
  expect((await run([...args, '--rollup-url', 'https://b/x'], world)).urls).toEqual(['https://b/x']);
});

const key = ['--private-key', alice.key];
// Defect: Texts and names of invisible characters paid for
test.each([
  [
    ['query', 'balance', `${bob.address.slice(0, -1)}q`],
    `address: "${bob.address.slice(0, -1)}q": its checksum does not fit, so a character is wrong or missing`,
  ],
  [['query', 'balance', 'astria1nope'], 'address: expected an address in bech32m form, got "astria1nope"'],
  [
    ['query', 'balance', bob.address, '--asset', 'a b'],
    '--asset: expected an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>, got "a b"',
  ],
  [
    ['query', 'balance', bob.address, '--verify'],
    '--verify: expected --sequencer-rpc and --sequencer-grpc, the addresses of a sequencer node',
  ],
  [
    ['query', 'balance', bob.address, '--compare-with', 'http://a:1'],
    '--sequencer-rpc, --sequencer-grpc, --validators-hash and --compare-with need --verify',
  ],
  [
    ['query', 'balance', bob.address, ...VERIFY, '--validators-hash', 'abc'],
    '--validators-hash: expected 64 hex digits, got "abc"',
  ],
  [
    ['query', 'nonce', bob.address, '--rollup-url', 'localhost:3030'],
    '--rollup-url: expected a URL such as http://127.0.0.1:3030, got "localhost:3030"',
  ],
  [['query', 'texts', '--limit', '0'], '--limit: expected a whole number from 1 to 1000000, got "0"'],
  [['query', 'transaction', 'xyz'], 'hash: expected 64 hex digits, got "xyz"'],
  [
    ['submit', 'transfer', '--amount', '1.5', bob.address, ...key],
    '--amount: expected a whole number above 0 and below 2^128, in the smallest unit, got "1.5"',
  ],
  [
    ['submit', 'transfer', '--amount', '0', bob.address, ...key],
    '--amount: expected a whole number above 0 and below 2^128, in the smallest unit, got "0"',
  ],
  [
    ['submit', 'transfer', '--amount', '1,500', bob.address, ...key],
    '--amount: expected 1500 or 1.500, written without commas, in the smallest unit, got "1,500"',
  ],
  [
    ['submit', 'transfer', '--amount', `${1n << 128n}`, bob.address, ...key],
    `--amount: expected a whole number above 0 and below 2^128, in the smallest unit, got "${1n << 128n}"`,
  ],
  [
    ['submit', 'transfer', '--amount', '1', bob.address, ...key, '--prefix', 'cosmos'],
    `address: expected an address in bech32m form with the prefix cosmos (see --prefix), got "${bob.address}"`,
  ],
  [
    ['submit', 'transfer', bob.address, ...key],
    "required option '--amount <n>' not specified: see `rollup-cli submit transfer --help`",
  ],
  [
    ['submit', 'text', 'hi', 'bob'],
    'no signing key: give --private-key-file PATH, or ROLLUP_PRIVATE_KEY in the environment, or --private-key HEX',
  ],
  [
    ['submit', 'text', 'hi', 'bob', '--private-key', 'abc123'],
    '--private-key: expected a key of 64 hex digits, got 6 characters',
  ],
  [['submit', 'text', 'hi', 'bob', '--private-key-file', '/no/such'], '/no/such: the key cannot be read: ENOENT'],
  [
    ['submit', 'text', 'hi', 'bob', ...key, '--private-key-file', '/x'],
    'the signing key: expected --private-key or --private-key-file, got both',
  ],
  [['submit', 'text', '', 'bob', ...key], 'text: expected 1 to 2000 bytes of UTF-8, got 0'],
  [['submit', 'text', 'x'.repeat(2001), 'bob', ...key], 'text: expected 1 to 2000 bytes of UTF-8, got 2001'],
  [['submit', 'text', 'hi', 'b'.repeat(65), ...key], 'username: expected 1 to 64 bytes of UTF-8, got 65'],
  [['submit', 'text', 'hi', '', ...key], 'username: expected 1 to 64 bytes of UTF-8, got 0'],
  [['submit', 'text', ' \u200b\n', 'bob', ...key], 'text: expected a character that can be seen, got " \\u{200b}\\n"'],
  [['submit', 'text', 'hi', '\u3164', ...key], 'username: expected a character that can be seen, got "\\u{3164}"'],
  [['submit', 'txet'], "unknown command 'txet' (Did you mean text?): see `rollup-cli submit --help`"],
  [
    ['query', 'nonce', bob.address, '--privat-key=abc'],
    "unknown option '--privat-key': see `rollup-cli query nonce --help`",
  ],
  [['query', 'nonce'], "missing required argument 'address': see `rollup-cli query nonce --help`"],
])('%j is refused with one line', async (args, line) => {
  const ran = await run(args, { rollup: rollup().node });
  expect(ran).toMatchObject({ status: 2, stdout: '', stderr: `${line}\n` });
});

test('a node that is not there is one line, and so is a fault of our own', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:3030'), { code: 'ECONNREFUSED' });
  const absent = {
    nonce: () => Promise.reject(new Error('http://127.0.0.1:3030 does not answer', { cause: refused })),
  };
  expect(await run(['query', 'nonce', bob.address], { rollup: absent })).toMatchObject({
    status: 1,
    stderr:
      'http://127.0.0.1:3030 does not answer: nothing listens there: start a network with `switchyard dev init` and `switchyard dev start`, or give its URL\n',
  });
  const broken = await run(['query', 'nonce', bob.address], { rollup: {} });
  expect(broken).toMatchObject({ status: 1, stdout: '' });
  expect(broken.stderr).toMatch(/^unexpected TypeError: .*: this is a fault of the program, please report it\n$/);
});

test('help and version are no errors', async () => {
  const help = await run(['--help']);
  expect([help.status, help.stderr, help.stdout.includes('submit')]).toEqual([0, '', true]);
  expect(await run(['--version'])).toMatchObject({ status: 0, stdout: '0.1.0\n' });
});
