import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { WITHDRAWER_ADDRESS } from '@switchyard/evm/client';
import { alice, carol, dave } from '@switchyard/network/accounts';
import { evmAccounts } from '@switchyard/network/evm-accounts';
import { type Action, parseDenom, rollupIdFromName, txHashFromHex } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { EvmPort, SequencerPort } from '../../connect.ts';
import { scratchInstance } from '../../dev/testing.ts';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

const EVM = rollupIdFromName('evm');
const HASH = txHashFromHex('ab'.repeat(32));
const RECIPIENT = evmAccounts[1]?.address ?? '0x';

const run = (args: readonly string[], world?: FakeWorld) =>
  runWith((cli, connect) => switchyard(cli, args, connect), args, world);

function instance(template = 'evm') {
  const paths = scratchInstance({ template, portOffset: 10 });
  return { paths, flags: ['--home', paths.home, '--instance', paths.name] };
}

/** A sequencer that takes everything into block 12, and its transactions. */
function sequencer(more: Partial<SequencerPort> = {}) {
  const taken: Action[] = [];
  const node: Partial<SequencerPort> = {
    balances: async () => [{ asset: 'ntia', amount: 10n ** 18n }],
    bridgeAccount: async () => undefined,
    fees: async () => [{ asset: 'ntia', amount: 48n }],
    submitAndWait: async (_, { actions }) => {
      taken.push(...actions);
      return { hash: HASH, height: 12n, nonce: 0, fees: [] };
    },
    ...more,
  };
  return { node, taken };
}

const block = {
  number: 12n,
  hash: `0x${'12'.repeat(32)}`,
  timestamp: 1_700_000_000n,
  gasLimit: 30_000_000n,
  baseFee: 7n,
  transactions: 0,
  withdrawals: [{ address: RECIPIENT.toLowerCase(), gwei: 5n }],
};
const evm: Partial<EvmPort> = {
  block: async (number) => (number === 12n ? block : undefined),
  refusals: async () => [],
};

test('the first deposit makes the bridge account, locks, and tells the block that credits', async () => {
  const { flags } = instance();
  const { node, taken } = sequencer();
  const ran = await run(['evm', 'deposit', RECIPIENT, '--amount', '5', ...flags, '--json'], { sequencer: node, evm });
  expect(ran.stderr).toBe(`{"note":"${dave.address} is the bridge account of evm now"}\n`);
  expect(ran.urls).toEqual(['http://127.0.0.1:26667', 'http://127.0.0.1:8555']);
  expect(taken).toMatchObject([
    { kind: 'initBridgeAccount', rollup: EVM, asset: parseDenom('ntia') },
    { kind: 'bridgeLock', amount: 5n, destination: RECIPIENT.toLowerCase(), asset: parseDenom('ntia') },
  ]);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    from: alice.address,
    bridge: dave.address,
    wei: '5000000000',
    block: 12,
  });
});

test('where the account is one already, only the deposit is made', async () => {
  const { flags } = instance();
  const owner = { sudo: dave.address, withdrawer: dave.address };
  const { node, taken } = sequencer({ bridgeAccount: async () => ({ rollup: EVM, asset: 'ntia', ...owner }) });
  const ran = await run(['evm', 'deposit', RECIPIENT, '--amount', '5', ...flags], { sequencer: node, evm });
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  expect(ran.stdout).toContain(`credited 5000000000 wei to ${RECIPIENT.toLowerCase()} in block 12 of evm\n`);
  expect(taken.map(({ kind }) => kind)).toEqual(['bridgeLock']);
});

test('a bridge account without funds for its fee gets what it lacks', async () => {
  const { flags } = instance();
  const balances = async (address: string) => [{ asset: 'ntia', amount: address === dave.address ? 8n : 10n ** 18n }];
  const { node, taken } = sequencer({ balances });
  await run(['evm', 'deposit', RECIPIENT, '--amount', '5', ...flags], { sequencer: node, evm });
  expect(taken).toMatchObject([
    { kind: 'transfer', amount: 40n },
    { kind: 'initBridgeAccount' },
    { kind: 'bridgeLock' },
  ]);
});

const other = { asset: 'ntia', sudo: dave.address, withdrawer: dave.address };

test.each<[string, string[], Partial<SequencerPort>, Partial<EvmPort>, string]>([
  ['a recipient with a wrong checksum', [RECIPIENT.replace('C', 'c')], {}, {}, 'recipient: expected 20 bytes as hex'],
  ['to the contract for withdrawals', [WITHDRAWER_ADDRESS], {}, {}, 'which gives no coins back'],
  ['nothing', [RECIPIENT, '--amount', '0'], {}, {}, '--amount: expected a whole number above 0 and below 2^128'],
  [
    "another rollup's bridge account",
    [RECIPIENT],
    { bridgeAccount: async () => ({ ...other, rollup: rollupIdFromName('x') }) },
    {},
    'is the bridge account of another rollup',
  ],
  [
    'a bridge account for something else',
    [RECIPIENT],
    { bridgeAccount: async () => ({ ...other, asset: 'utia', rollup: EVM }) },
    {},
    "takes utia, the rollup's genesis expects ntia",
  ],
  [
    'more than the payer has',
    [RECIPIENT],
    { balances: async (address) => [{ asset: 'ntia', amount: address === dave.address ? 50n : 2n }] },
    {},
    'not enough ntia',
  ],
  [
    'what the rollup refuses',
    [RECIPIENT],
    {},
    {
      block: async () => ({ ...block, withdrawals: [] }),
      refusals: async () => [{ kind: 'deposit', hash: '0x', reason: 'the amount does not fit' }],
    },
    'the rollup refused a deposit of block 12',
  ],
  [
    'what the rollup never gets to',
    [RECIPIENT, '--timeout', '1'],
    {},
    { block: async () => undefined },
    'has no block 12 after 1 s',
  ],
])('reports in one line that it does not deposit %s', async (_, args, more, node, message) => {
  const { flags } = instance();
  const amount = args.includes('--amount') ? [] : ['--amount', '5'];
  const world = { sequencer: sequencer(more).node, evm: { ...evm, ...node } };
  const ran = await run(['evm', 'deposit', ...args, ...amount, ...flags], world);
  expect(ran.status).not.toBe(0);
  expect(ran.stderr.trimEnd().split('\n').at(-1)).toContain(message);
});

test('a bridge account of whom no key is known has to be made by its owner', async () => {
  const { paths, flags } = instance();
  writeFileSync(paths.evmGenesis, readFileSync(paths.evmGenesis, 'utf8').replace(dave.address, carol.address));
  const world = { sequencer: sequencer().node, evm };
  const deposit = ['evm', 'deposit', RECIPIENT, '--amount', '5', ...flags];
  const ran = await run(deposit, world);
  expect(ran.stderr).toBe(
    `${carol.address} is no bridge account yet, and its key is needed once: give --bridge-private-key-file PATH\n`,
  );
  writeFileSync(`${paths.config}/key`, dave.key);
  const wrong = await run([...deposit, '--bridge-private-key-file', `${paths.config}/key`], world);
  expect(wrong.stderr).toContain(`the key of ${dave.address}, expected that of ${carol.address}`);
  writeFileSync(`${paths.config}/key`, carol.key);
  expect(await run([...deposit, '--bridge-private-key-file', `${paths.config}/key`], world)).toMatchObject({
    status: 0,
  });
});

test('prints the genesis as it is, and names an instance without one', async () => {
  const { paths, flags } = instance('evm,messenger');
  const { stdout } = await run(['evm', 'genesis', ...flags]);
  expect(stdout).toBe(readFileSync(paths.evmGenesis, 'utf8'));
  const without = instance('messenger');
  const { stderr } = await run(['evm', 'genesis', ...without.flags]);
  expect(stderr).toContain(
    `network local has no EVM rollup: add one with \`switchyard dev init --template evm --instance test --home ${without.paths.home}\``,
  );
});

test('writes blocks one after another into a new file, or leaves none', async () => {
  const { paths } = instance();
  const file = `${paths.directory}/blocks.rlp`;
  const node: Partial<EvmPort> = {
    block: async () => ({ ...block, number: 40n }),
    rawBlock: async (number) => (number <= 38n ? Uint8Array.of(0xc1, Number(number)) : undefined),
  };
  const world = { evm: node, env: { ETH_RPC_URL: 'http://node:1' } };
  const ran = await run(['evm', 'export', file, '--first', '3', '--last', '38', '--json'], world);
  expect(JSON.parse(ran.stdout)).toEqual({ file, first: 3, last: 38, bytes: 72 });
  expect([...readFileSync(file)].filter((_, index) => index % 2 === 1)).toEqual(
    Array.from({ length: 36 }, (_, n) => n + 3),
  );
  const again = await run(['evm', 'export', file], world);
  expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('cannot be written') });
  const short = await run(['evm', 'export', `${file}.2`], world);
  expect(short).toMatchObject({ status: 1, stderr: 'the node has no block 39\n' });
  expect(existsSync(`${file}.2`)).toBe(false);
  const beyond = await run(['evm', 'export', `${file}.2`, '--last', '41'], world);
  expect(beyond).toMatchObject({ status: 2, stderr: '--last: the newest block is 40, got 41\n' });
});

test('tells what became of a transaction', async () => {
  const node = { transactionStatus: async () => ({ status: 'held', missing: '0x4' }) };
  const ran = await run(['evm', 'transaction', `0x${HASH}`, '--json'], {
    evm: node,
    env: { ETH_RPC_URL: 'http://node:1' },
  });
  expect(JSON.parse(ran.stdout)).toEqual({ hash: `0x${HASH}`, status: 'held', missing: 4 });
  const { stderr } = await run(['evm', 'transaction', '0x12'], { evm: node });
  expect(stderr).toBe('hash: expected 64 hex digits, got "0x12"\n');
});

const CANCELLED = `0x${'cd'.repeat(32)}`;
const [mine] = evmAccounts;

test('a held transaction is cancelled by the key of its sender', async () => {
  const sent: Uint8Array[] = [];
  const raw = Uint8Array.of(2, 1);
  const node: Partial<EvmPort> = {
    transactionStatus: async () => ({ status: 'held', missing: '0x4' }),
    cancellation: async (_, secret) =>
      Buffer.from(secret).toString('hex') === mine?.key
        ? { sender: '0xaa', cancellation: { raw, hash: '0xcd', from: '0xaa', nonce: 6n, cost: 1n } }
        : { sender: '0xaa', cancellation: undefined },
    send: async (bytes) => {
      sent.push(bytes);
      return CANCELLED;
    },
  };
  const cancel = ['evm', 'cancel', `0x${HASH}`];
  const env = { ETH_RPC_URL: 'http://127.0.0.1:1', ETH_PRIVATE_KEY: `0x${mine?.key}` };
  const ran = await run([...cancel, '--json'], { evm: node, env });
  expect(JSON.parse(ran.stdout)).toEqual({ hash: `0x${HASH}`, cancelledBy: CANCELLED, from: '0xaa', nonce: 6 });
  expect(sent).toEqual([raw]);
  const foreign = await run([...cancel, '--private-key', 'ab'.repeat(32)], { evm: node, env });
  expect(foreign).toMatchObject({ status: 2, stderr: expect.stringContaining('expected that of 0xaa, who signed') });
  const queued = { ...node, transactionStatus: async () => ({ status: 'queued' }) };
  expect((await run(cancel, { evm: queued, env })).stderr).toContain('is queued: only a held one can be cancelled');
  const elsewhere = await run(cancel, { evm: node, env: { ...env, ETH_RPC_URL: 'http://node.example:1' } });
  expect(elsewhere.stderr).toContain('published development key');
  expect(sent).toHaveLength(1);
});

test('tells where the chain is', async () => {
  const status = {
    client: 'switchyard/1',
    chainId: 1337n,
    latest: block,
    safe: 11n,
    finalized: undefined,
    pending: 2,
    queued: 1,
  };
  const node = { status: async () => status };
  const ran = await run(['evm', 'status', '--json'], { evm: node, env: { ETH_RPC_URL: 'http://node:1/' } });
  expect(ran.urls).toEqual(['http://node:1']);
  expect(JSON.parse(ran.stdout)).toMatchObject({ chainId: 1337, latest: { number: 12 }, safe: 11, pending: 2 });
  const named = await run(['evm', 'status', ...instance().flags], {
    evm: node,
    env: { ETH_RPC_URL: 'http://node:1/' },
  });
  expect(named.urls).toEqual(['http://127.0.0.1:8555']);
  const { stdout } = await run(['evm', 'status'], { evm: node, env: { SWITCHYARD_HOME: '/nowhere' } });
  expect(stdout).toMatch(/^Chain id: +1337$/m);
  expect(stdout).toMatch(/^Finalized block: +none yet$/m);
});

test('evm dev takes any chain id of 64 bits', async () => {
  const problem = async (chainId: string) =>
    (await run(['evm', 'dev', '--chain-id', chainId, '--accounts', '1001'])).stderr.split(/[:,]/, 2);
  expect(await problem('18446744073709551615')).toContain(' expected a whole number from 0 to 1000');
  for (const wrong of ['18446744073709551616', '0', '1.5', '0x1', ''])
    expect(await problem(wrong)).toContain(' expected a whole number from 1 to 2^64 - 1');
});

test.each([
  [['--mixed-mining'], '--mixed-mining: expected --block-time with it'],
  [['--no-mining', '--block-time', '2'], '--no-mining: expected no --block-time with it'],
  [['--state', 'a.json', '--state-dir', 'a'], '--state: expected no --state-dir with it, which keeps the whole chain'],
  [
    ['--fork-url', 'https://rpc.example'],
    '--fork-url: there is no fork mode: load the accounts that a test needs, with --state or anvil_loadState',
  ],
  [['--host', 'a b'], '--host: expected a host name or an address, got "a b"'],
  [['--balance', '1.5'], '--balance: expected a whole number from 0 to 2^64 - 1, got "1.5"'],
  [['--code-size-limit', '0'], '--code-size-limit: expected a whole number from 1 to 131072, got "0"'],
])('evm dev %j is refused in one line', async (options, line) => {
  expect(await run(['evm', 'dev', ...options])).toMatchObject({ status: 2, stderr: `${line}\n` });
});
