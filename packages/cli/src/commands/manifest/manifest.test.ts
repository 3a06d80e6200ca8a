import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice } from '@switchyard/network/accounts';
import { rollupIdFromName } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import type { SequencerPort } from '../../connect.ts';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const FILE = 'cosmic-rollup-conf.yaml';
const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

const sequencer: Partial<SequencerPort> = {
  chainId: async () => 'sequencer-test-chain-0',
  height: async () => 120n,
  allowedFeeAssets: async () => ['ntia'],
  block: async () => ({}),
  balances: async () => [],
};

/** A directory of its own, in which commands run one after the other. */
function place(world: FakeWorld = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-manifest-'));
  const run = (args: string, more: FakeWorld = {}) => {
    const words = ['rollup', 'config', ...args.split(' ').filter((word) => word !== '')];
    return runWith((cli, connect) => switchyard(cli, words, connect), words, {
      ...{ directory, sequencer, ...world, ...more },
      env: { ...world.env, ...more.env },
    });
  };
  return { directory, run, file: join(directory, FILE), text: () => readFileSync(join(directory, FILE), 'utf8') };
}

const CREATE = `create --rollup.name cosmic --rollup.network-id 90210 --rollup.genesis-accounts ${ADDRESS}:100000000000000000000`;

test('creates a manifest from flags, and asks the sequencer for the rest', async () => {
  const { run, text, directory } = place();
  const ran = await run(CREATE);
  expect(ran).toMatchObject({ status: 0, stderr: '', urls: ['http://127.0.0.1:26657'] });
  expect(ran.stdout).toBe(
    [
      `wrote ${FILE}`,
      'rollup cosmic (cosmic-chain on the sequencer, with the id aTzDHrygkU6MDCJnQdHn3qNy_1fPf8istEh5foERVm4=), network id 90210',
      'from block 120 of sequencer-test-chain-0 at http://127.0.0.1:26657',
      'fees in ntia, which the sequencer takes',
      `check it with \`switchyard rollup config check --config ${FILE}\``,
      '',
    ].join('\n'),
  );
  expect(text()).toContain("networkId: '90210'");
  expect(text()).toContain("initialBlockHeight: '120'");
  expect(text()).toContain('chainId: sequencer-test-chain-0');
  expect(text()).toContain('feeAsset: ntia');
  expect(readdirSync(directory)).toEqual([FILE]);
});

test('states which fee asset it took where no sequencer was asked, unless one was chosen', async () => {
  const { run, text } = place();
  const alone = `${CREATE} --sequencer.initial-block-height 2 --sequencer.chain-id main`;
  const note = 'fees in nria, the default, since no sequencer was queried';
  expect((await run(alone)).stdout).toContain(note);
  expect(text()).toContain('feeAsset: nria');
  expect((await run(`${alone} --force --set config.composer.feeAsset=ntia`)).stdout).not.toContain(note);
});

test('notes balances below what is recommended', async () => {
  const { run } = place();
  const { stderr, status } = await run(
    `${CREATE.replace(':100000000000000000000', '')},${ADDRESS.replace('7', '8')}:5`,
  );
  expect(status).toBe(0);
  expect(stderr).toMatch(
    new RegExp(
      `^note: config\\.rollup\\.genesisAccounts: ${ADDRESS} and 1 other account have less than .* 100000000000000000000 wei`,
    ),
  );
});

test('creates a manifest from variables, without a sequencer where height and chain are given', async () => {
  const env = {
    ROLLUP_NAME: 'cosmic',
    ROLLUP_NETWORK_ID: '90210',
    ROLLUP_GENESIS_ACCOUNTS: `${ADDRESS}:5,${ADDRESS.replace('7', '8')}`,
    ROLLUP_SEQUENCER_INITIAL_BLOCK_HEIGHT: '7',
    ROLLUP_SEQUENCER_CHAIN_ID: 'mine',
    ROLLUP_LOG_LEVEL: 'debug',
    ROLLUP_NAMESPACE: 'elsewhere',
    ROLLUP_USE_TTY: 'false',
    ROLLUP_HOSTNAME: 'example.com',
    // Keys, which other commands read and which must not get into a manifest.
    ROLLUP_FAUCET_PRIV_KEY: KEY,
    SEQUENCER_PRIV_KEY: KEY,
  };
  const { run, text } = place({ env });
  expect(await run('create --log-level warn --set faucet.enabled=false --set storage.size=9Gi')).toMatchObject({
    status: 0,
    urls: [],
  });
  const { values } = JSON.parse((await run(`show --json --config ${FILE}`)).stdout);
  expect(values).toMatchObject({
    'global.namespace': 'elsewhere',
    'global.useTTY': false,
    'global.logLevel': 'warn',
    'config.rollup.networkId': '90210',
    'config.sequencer.initialBlockHeight': '7',
    'config.sequencer.chainId': 'mine',
    'ingress.hostname': 'example.com',
    'faucet.enabled': false,
    'storage.size': '9Gi',
  });
  expect(text()).not.toContain(KEY);
});

test('a manifest that is there is kept, unless forced', async () => {
  const { run, text, file } = place();
  writeFileSync(file, 'mine');
  const ran = await run(CREATE);
  expect(ran).toMatchObject({ status: 1, stdout: '' });
  expect(ran.stderr).toBe(`${file}: is there already: name another with --config, or replace it with --force\n`);
  expect(text()).toBe('mine');
  expect(await run(`${CREATE} --force`)).toMatchObject({ status: 0 });
  expect(text()).toContain('name: cosmic');
});

test.each([
  [
    'no name',
    `create --rollup.genesis-accounts ${ADDRESS}`,
    /^config\.rollup\.name: expected .*, got nothing: give --rollup\.name or ROLLUP_NAME, such as/,
  ],
  [
    'no accounts',
    'create --rollup.name cosmic',
    /^config\.rollup\.genesisAccounts: expected .*: give --rollup\.genesis-accounts/,
  ],
  [
    'a bad name',
    CREATE.replace('cosmic', 'Cosmic'),
    /^--rollup\.name: expected 1 to 43 lower-case letters, .*, got "Cosmic"\n$/,
  ],
  [
    'a bad balance',
    `${CREATE}x`,
    /^--rollup\.genesis-accounts\[0\]\.balance: expected a whole number of wei .*, got "100000000000000000000x"\n$/,
  ],
  [
    'a key in the place of an account',
    CREATE.replace(ADDRESS, KEY),
    /^--rollup\.genesis-accounts\[0\]\.address: expected an address .* may be a key\n$/,
  ],
  [
    'a public network id',
    CREATE.replace('90210', '137'),
    /^config\.rollup\.networkId: 137 is the chain id of Polygon: .*insist with --force\n$/,
  ],
  [
    'an unknown key',
    `${CREATE} --set fauce.enabled=no`,
    /^--set: no such key "fauce\.enabled"; did you mean "faucet\.enabled"\?/,
  ],
  ['no value', `${CREATE} --set faucet.enabled`, /^--set: expected key=value/],
])('create refuses %s, and writes nothing', async (_, args, message) => {
  const { run, directory } = place();
  const { status, stdout, stderr } = await run(args);
  expect(status).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain(KEY);
  expect(readdirSync(directory)).toEqual([]);
});

test('all flags that are wrong are named at once', async () => {
  const { stderr } = await place().run('create --rollup.name A --rollup.network-id x --hostname _');
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => line.split(':')[0]),
  ).toEqual(['--rollup.name', '--rollup.network-id', '--hostname']);
});

test('a sequencer that cannot be reached is named, with what to do', async () => {
  const height = () => Promise.reject(Object.assign(new Error('http://127.0.0.1:26657'), { code: 'ECONNREFUSED' }));
  const { stderr, status } = await place().run(CREATE, { sequencer: { ...sequencer, height } });
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /nothing listens there: check --sequencer\.rpc, or give --sequencer\.initial-block-height and --sequencer\.chain-id/,
  );
});

test('edits one value and keeps comments, mode and the rest', async () => {
  const { run, text, file } = place();
  await run(CREATE);
  writeFileSync(file, text().replace("networkId: '90210'", "networkId: '90210' # mine"), { mode: 0o600 });
  const mode = statSync(file).mode;
  const before = text();
  expect(await run(`edit --config ${FILE} config.rollup.networkId 77`)).toMatchObject({ status: 0 });
  expect(text()).toBe(before.replace("'90210'", "'77'"));
  expect(statSync(file).mode).toBe(mode);
});

test.each([
  ['config.rollup.networkID 5', /^no such key "config\.rollup\.networkID"; did you mean "config\.rollup\.networkId"\?/],
  ['config.rollup.networkId x', /: config\.rollup\.networkId: expected a number from 1/],
  ['config.rollup.networkId 1', /: 1 is the chain id of Ethereum/],
  ['config.rollup.name Cosmic', /: config\.rollup\.name: expected/],
])('an edit of %s is refused, and changes nothing', async (args, message) => {
  const { run, text } = place();
  await run(CREATE);
  const before = text();
  const { status, stderr } = await run(`edit --config ${FILE} ${args}`);
  expect([status, text()]).toEqual([1, before]);
  expect(stderr).toMatch(message);
});

test('show marks defaults, and finds the file by the variables', async () => {
  const { run } = place();
  await run(CREATE);
  for (const env of [{ ROLLUP_CONF_FILE: FILE }, { ROLLUP_NAME: 'cosmic' }]) {
    const { stdout } = await run('show', { env });
    expect(stdout).toMatch(/^config\.rollup\.networkId +90210$/m);
    expect(stdout).toMatch(/^faucet\.amount +1 +default$/m);
    expect(stdout).toMatch(new RegExp(`^config\\.rollup\\.genesisAccounts +${ADDRESS}:100000000000000000000$`, 'm'));
  }
  expect(await run('show')).toMatchObject({ status: 2, stderr: expect.stringMatching(/^--config: expected the path/) });
});

test('show notes what an old manifest is read as', async () => {
  const { run, file, text } = place();
  await run(CREATE);
  writeFileSync(file, text().replace('da-node:', 'celestia-node:'));
  const { stderr, status } = await run(`show --config ${FILE}`);
  expect([status, stderr]).toEqual([
    0,
    `${file}: celestia-node.config.labelPrefix is read as da-node.config.labelPrefix\n`,
  ]);
});

test('the manifest of a rollup of an author takes its genesis from a file, without what it states itself', async () => {
  const { run, directory } = place();
  const genesis = {
    ...{ rollup_name: 'Market', sequencer_chain_id: 'elsewhere', sequencer_genesis_block_height: 0 },
    ...{ start: 100, bridge_accounts: [{ bech32m: alice.address }] },
  };
  writeFileSync(join(directory, 'genesis.json'), JSON.stringify(genesis));
  const item = 'create --rollup.name market --rollup.kind defined --rollup.genesis-file';
  const { status, stdout, stderr } = await run(`${item} genesis.json --rollup.program bin/market.mjs`);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(/^rollup market \(Market on the sequencer, with the id \S+\)$/m),
  ]);
  expect(stderr.split('\n')).toEqual([
    'genesis.json: rollup_name is left out: config.rollup.chainId states it',
    'genesis.json: sequencer_chain_id is left out: config.sequencer.chainId states it',
    'genesis.json: sequencer_genesis_block_height is left out: config.sequencer.initialBlockHeight states it',
    '',
  ]);
  const text = readFileSync(join(directory, 'market-rollup-conf.yaml'), 'utf8');
  expect(text).toContain('    chainId: Market\n');
  expect(text).toContain(
    `    genesis: |\n      {\n        "start": 100,\n        "bridge_accounts": [{"bech32m":"${alice.address}"}]\n      }\n`,
  );
  expect(text).not.toMatch(/networkId|elsewhere/);
  const shown = (await run('show --config market-rollup-conf.yaml')).stdout;
  expect(shown).toMatch(/^config\.rollup\.genesis +\{ "start": 100, "bridge_accounts": /m);
  expect(shown).not.toMatch(/networkId|resources\.evm/);
  // Deposits to an account of another rollup would be lost, whichever kind the rollup has.
  const bridgeAccount = async () => ({ ...account, rollup: rollupIdFromName('x') });
  expect(
    await run('check --config market-rollup-conf.yaml', { sequencer: { ...sequencer, bridgeAccount } }),
  ).toMatchObject({
    ...{
      status: 1,
      stdout: expect.stringMatching(/^error: config\.rollup\.genesis: expected an account of Market, whose/m),
    },
  });
  writeFileSync(join(directory, 'genesis.json'), '[1]');
  expect(await run(`${item} genesis.json --force`)).toMatchObject({
    ...{
      status: 2,
      stderr: expect.stringMatching(/^--rollup\.genesis-file: expected a JSON object, got .*genesis\.json\n$/),
    },
  });
});

test('check passes where the sequencer fits, and can leave it out', async () => {
  const { run } = place();
  await run(CREATE);
  expect((await run(`check --config ${FILE}`)).stdout).toBe(
    'rollup cosmic: manifest OK; sequencer-test-chain-0 at http://127.0.0.1:26657 is at block 120 and has block 120\n',
  );
  expect(await run(`check --config ${FILE} --offline`)).toMatchObject({ status: 0, urls: [] });
});

/** The network id of cosmic was claimed by a rollup of another name. */
const taken: Partial<SequencerPort> = {
  balances: async (address) =>
    address === 'astria1l5utu73tglrek7djtaq3evu608drrxnmtlltyd' ? [{ asset: 'ntia', amount: 1n }] : [],
};

test('create refuses a network id that another rollup of the sequencer has claimed, unless forced', async () => {
  const { run, directory } = place({ sequencer: { ...sequencer, ...taken } });
  expect(await run(CREATE)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^config\.rollup\.networkId: expected an id of its own, .*insist with --force\n$/),
  });
  expect(readdirSync(directory)).toEqual([]);
  expect(await run(`${CREATE} --force`)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^note: /) });
});

const refusal = Object.assign(new Error('block 120 is pruned'), { name: 'JsonRpcError', code: -32_603 });
const bridged = `--rollup.bridge-address ${alice.address}`;
const account = { asset: 'nria', sudo: alice.address, withdrawer: alice.address };

test.each<[string, string, Partial<SequencerPort>, RegExp]>([
  [
    'another chain',
    '',
    { chainId: async () => 'other' },
    /^error: config\.sequencer\.chainId: expected other, which \S+ reports, got sequencer-test-chain-0$/m,
  ],
  [
    'a height in the future',
    '',
    { height: async () => 119n },
    /^error: config\.sequencer\.initialBlockHeight: expected at most 119, the newest block, got 120$/m,
  ],
  [
    'a block that is pruned',
    '',
    { block: () => Promise.reject(refusal) },
    /does not have block 120: block 120 is pruned$/m,
  ],
  [
    'another fee asset',
    '',
    { allowedFeeAssets: async () => ['nria', 'utia'] },
    /config\.composer\.feeAsset: expected one of nria, utia, which \S+ takes for fees, got ntia: change it/m,
  ],
  [
    'a network id of another rollup',
    '',
    taken,
    /^error: config\.rollup\.networkId: expected an id of its own, got 90210/m,
  ],
  ['no bridge account', bridged, { bridgeAccount: async () => undefined }, /is no bridge account: make it one with/],
  [
    "another rollup's bridge account",
    bridged,
    { bridgeAccount: async () => ({ ...account, rollup: rollupIdFromName('x') }) },
    /^error: config\.rollup\.bridgeAddress: expected an account of cosmic-chain, whose rollup id is \S+=, got/m,
  ],
  [
    'a bridge account of another asset',
    bridged,
    { bridgeAccount: async () => ({ ...account, asset: 'utia', rollup: rollupIdFromName('cosmic-chain') }) },
    /^error: config\.rollup\.bridgeAsset: expected utia/m,
  ],
])('check finds %s', async (_, more, node, message) => {
  const { run, file } = place();
  await run(`${CREATE} ${more}`);
  const { status, stdout, stderr } = await run(`check --config ${FILE}`, { sequencer: { ...sequencer, ...node } });
  expect(stdout).toMatch(message);
  expect([status, stderr]).toEqual([1, `${file}: 1 error\n`]);
});

// Defect: A manifest with a faucet or genesis coins alongside withdrawals passed without a warning
test('coins that no deposit brought are an error beside withdrawals, which a new manifest has no faucet for', async () => {
  const { run, text } = place();
  const paying = `--withdrawer.enabled true ${bridged}`;
  const made = await run(`${CREATE} ${paying}`);
  expect(made).toMatchObject({
    ...{ status: 0, stderr: expect.stringMatching(/^note: config\.rollup\.genesisAccounts: expected balances of 0/) },
  });
  expect(text()).toMatch(/faucet:\n {2}enabled: false/);
  const both = `${CREATE.replace(':100000000000000000000', ':0')} ${paying} --set faucet.enabled=true --force`;
  expect(await run(both)).toMatchObject({ stderr: expect.stringMatching(/^note: faucet\.enabled: expected false/) });
  const { status, stdout } = await run(`check --config ${FILE} --offline`);
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^error: faucet\.enabled: expected false, got true next to/),
  ]);
});

test('check warns of a public network id, which was insisted on', async () => {
  const { run } = place();
  await run(`${CREATE.replace('90210', '137')} --force`);
  expect(await run(`check --config ${FILE} --offline`)).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^warning: .*Polygon/),
  });
});

test('delete asks first, and deletes nothing but manifests', async () => {
  const { run, file, directory } = place();
  await run(CREATE);
  expect(await run(`delete --config ${FILE}`)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/repeat with --yes/),
  });
  expect(await run(`delete --config ${FILE}`, { answer: 'n' })).toMatchObject({ status: 1 });
  expect(existsSync(file)).toBe(true);
  expect(await run(`delete --config ${FILE}`, { answer: 'y' })).toMatchObject({
    status: 0,
    stdout: `deleted ${file}\n`,
  });
  writeFileSync(join(directory, 'other.yaml'), 'a: b');
  expect(await run('delete --yes --config other.yaml')).toMatchObject({ status: 1 });
  expect(await run('delete --yes --config .')).toMatchObject({
    status: 1,
    stderr: `${directory}: expected a file, got something else\n`,
  });
  expect(readdirSync(directory)).toEqual(['other.yaml']);
});

test('prints the schema as JSON', async () => {
  const { stdout, status } = await place().run('schema');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ required: ['config'], additionalProperties: false });
});
