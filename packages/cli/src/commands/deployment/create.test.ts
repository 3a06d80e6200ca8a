import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alice, bob } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { switchyard } from '../../switchyard.ts';
import { type FakeWorld, runWith } from '../../testing.ts';

const FAUCET_KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const SEQUENCER_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';
const FILE = 'cosmic-rollup-conf.yaml';

const MANIFEST = `config:
  rollup:
    name: cosmic
    genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }]
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
`;

function place(manifest = MANIFEST) {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-deployment-'));
  const file = join(directory, FILE);
  writeFileSync(file, manifest);
  for (const [name, key] of Object.entries({ 'faucet.key': FAUCET_KEY, 'sequencer.key': SEQUENCER_KEY }))
    writeFileSync(join(directory, name), key, { mode: 0o600 });
  const type = (line: string, world: FakeWorld = {}) => {
    const words = ['rollup', 'deployment', ...line.split(' ').filter((word) => word !== '')];
    return runWith((cli, connect) => switchyard(cli, words, connect), words, { directory, ...world });
  };
  const run = (args: string, world: FakeWorld = {}) => type(`create --config ${FILE} ${args}`, world);
  return { directory, file, run, type };
}

const env = { ROLLUP_FAUCET_PRIV_KEY: FAUCET_KEY, SEQUENCER_PRIV_KEY: SEQUENCER_KEY };

test('prints the objects without their keys, in the same order each time', async () => {
  const { run } = place();
  const { status, stdout, stderr } = await run('--dry-run', { env });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).not.toContain(FAUCET_KEY);
  expect(stdout).not.toContain(SEQUENCER_KEY);
  const kinds = [...stdout.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind);
  expect(kinds).toEqual([
    ...['Namespace', 'ServiceAccount', 'Secret', 'Secret'],
    ...Array(6).fill('ConfigMap'),
    ...Array(3).fill('Service'),
    ...Array(3).fill('NetworkPolicy'),
    ...Array(3).fill('PodDisruptionBudget'),
    ...Array(3).fill('StatefulSet'),
    'Ingress',
  ]);
  expect(stdout.match(/^ {4}- host: \S+$/gm)?.map((line) => line.slice('    - host: '.length))).toEqual([
    'blockscout.cosmic.localhost',
    'faucet.cosmic.localhost',
    'executor.cosmic.localhost',
    'ws-executor.cosmic.localhost',
  ]);
  expect((await run('--dry-run', { env })).stdout).toBe(stdout);
});

test('prints the keys where that is asked for, from files and from variables', async () => {
  const { run, directory } = place();
  const files = `--faucet-private-key-file ${directory}/faucet.key --sequencer-private-key-file ${directory}/sequencer.key`;
  const fromFiles = await run(`--dry-run --show-secrets ${files}`);
  expect(fromFiles).toMatchObject({ status: 0, stderr: '' });
  for (const key of [FAUCET_KEY, SEQUENCER_KEY])
    expect(fromFiles.stdout.match(new RegExp(`^ {2}private-key: "?${key}"?$`, 'gm'))).toHaveLength(1);
  expect((await run('--dry-run --show-secrets', { env })).stdout).toBe(fromFiles.stdout);
});

// Defect: Documented keys of `rollup deployment create` were unknown options
test('takes keys as arguments, with a note of who can read them there', async () => {
  const { run } = place();
  const keys = `--faucet-private-key 0x${FAUCET_KEY} --sequencer-private-key ${SEQUENCER_KEY}`;
  const { status, stdout, stderr } = await run(`--dry-run --show-secrets ${keys}`);
  expect(status).toBe(0);
  expect(stdout).toBe((await run('--dry-run --show-secrets', { env })).stdout);
  expect(stderr.split('\n')).toEqual([
    expect.stringMatching(
      /other users .* --sequencer-private-key-file .* SEQUENCER_PRIV_KEY and ROLLUP_FAUCET_PRIV_KEY/,
    ),
    '',
  ]);
  const hidden = await run(`--dry-run ${keys}`);
  for (const key of [FAUCET_KEY, SEQUENCER_KEY]) expect(hidden.stdout + hidden.stderr).not.toContain(key);
});

test('a dry run can be chosen by its variable', async () => {
  const { run } = place();
  const plain = await run('--dry-run');
  expect((await run('', { env: { ROLLUP_DRY_RUN: 'true' } })).stdout).toBe(plain.stdout);
  expect(await run('', { env: { ROLLUP_DRY_RUN: 'yes' } })).toMatchObject({
    status: 2,
    stderr: 'ROLLUP_DRY_RUN: expected true or false, got "yes"\n',
  });
});

// Defect: `status`, `logs` and `delete` of a deployment did not accept its manifest
test('status, logs and delete find a rollup by its manifest', async () => {
  const { type } = place();
  const absent = { status: 1, stderr: expect.stringMatching(/^no rollup cosmic was deployed on this machine/) };
  const at = '--target local --home .';
  for (const line of [
    `status --config ${FILE}`,
    `logs --config ${FILE} evm`,
    `delete --config ${FILE}`,
    'status cosmic',
  ])
    expect(await type(`${line} ${at}`)).toMatchObject(absent);
  for (const variables of [{ ROLLUP_CONF_FILE: FILE }, { ROLLUP_NAME: 'cosmic' }])
    expect(await type(`delete ${at}`, { env: variables })).toMatchObject(absent);
  expect(await type(`status other --config ${FILE} ${at}`)).toMatchObject({
    status: 2,
    stderr: '--config: expected the manifest of rollup other, got that of cosmic\n',
  });
  expect(await type(`status ${at}`)).toMatchObject({
    status: 2,
    stderr: 'expected the name of a rollup or its manifest, got neither: give NAME or --config FILE\n',
  });
});

test.each([
  [
    'two sequencer keys',
    '--sequencer-private-key aa --sequencer-private-key-file sequencer.key',
    /expected --sequencer-private-key or --sequencer-private-key-file, got both/,
  ],
  [
    'a key that is none',
    '--sequencer-private-key secret',
    /^--sequencer-private-key: expected a key of 64 hex digits, got (?!.*secret)/m,
  ],
])('refuses %s', async (_, args, message) => {
  const { status, stderr } = await place().run(`--dry-run --show-secrets ${args}`, { env });
  expect(status).toBe(2);
  expect(stderr).toMatch(message);
});

test.each([
  ['without keys', '', {}, MANIFEST, /^no signing key: give --sequencer-private-key-file PATH, or SEQUENCER_PRIV_KEY /],
  [
    'without a kubeconfig',
    '--kubeconfig none.conf',
    env,
    MANIFEST,
    /none\.conf: cannot be read: .*: make a cluster, .* or name its kubeconfig with --kubeconfig\n$/,
  ],
  [
    'with a time that is none',
    '--timeout soon',
    env,
    MANIFEST,
    /^--timeout: expected a whole number from 1 to 86400, got "soon"/,
  ],
  [
    'without a key that is to be shown',
    '--dry-run --show-secrets',
    {},
    MANIFEST,
    /^no signing key: give --sequencer-private-key-file PATH, or SEQUENCER_PRIV_KEY or .* in the environment, or --sequencer-private-key HEX\n$/,
  ],
  [
    'with a key that is none',
    '--dry-run --show-secrets',
    { ...env, SEQUENCER_PRIV_KEY: 'abc' },
    MANIFEST,
    /^SEQUENCER_PRIV_KEY: expected a key of 64 hex digits/,
  ],
  [
    'with the address of another account',
    '--dry-run --show-secrets',
    { ...env, SEQUENCER_ACCOUNT_ADDRESS: 'astria1xnlvg0rle2u6auane79t4p27g8hxnj36ja960z' },
    MANIFEST,
    /^SEQUENCER_ACCOUNT_ADDRESS: expected astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm, .* got "astria1xn/,
  ],
  [
    'with a sequencer that pods cannot reach',
    '--dry-run',
    {},
    MANIFEST.replace('sequencer.main', 'localhost'),
    /config\.sequencer\.rpc: expected an address that containers can reach, got http:\/\/localhost:26657$/m,
  ],
])('refuses to run %s', async (_, args, variables, manifest, message) => {
  const { status, stdout, stderr } = await place(manifest).run(args, { env: variables });
  expect(status).not.toBe(0);
  expect(stdout).toBe('');
  expect(stderr).toMatch(message);
});

test('a rollup of an author is deployed by the same objects, with the key of a faucet where it has one', async () => {
  const manifest = `config:
  rollup: { name: market, kind: defined, image: 'registry.example/market:1', genesis: '{"start": 100}' }
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
`;
  const { run } = place(manifest);
  const { status, stdout, stderr } = await run('--dry-run --show-secrets', {
    env: { SEQUENCER_PRIV_KEY: SEQUENCER_KEY },
  });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.match(/^ {4}- host: \S+$/gm)?.map((line) => line.slice('    - host: '.length))).toEqual([
    'blockscout.market.localhost',
    'api.market.localhost',
  ]);
  expect(stdout).toContain('image: registry.example/market:1');
  const giving = place(`${manifest}faucet: { enabled: true }\n`);
  const shown = await giving.run('--dry-run --show-secrets', { env });
  expect(shown.stdout.split(FAUCET_KEY)).toHaveLength(2);
  expect(shown.stdout).toContain('SVC_FAUCET_KIND: rollup');
});

test('each bridge account that pays withdrawals has a key, in the order of the genesis', async () => {
  const accounts = [alice, bob].map(({ address }) => ({ bech32m: address }));
  const withdrawals = accounts.map((account, place) => ({ bridge_account: account, asset: ['nria', 'utia'][place] }));
  const { run, directory } = place(`config:
  rollup: { name: market, kind: defined, genesis: '${JSON.stringify({ bridge_accounts: accounts, withdrawals })}' }
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
withdrawer: { enabled: true }
`);
  const files = [alice, bob].map(({ name, key }) => {
    const file = join(directory, `${name}.key`);
    writeFileSync(file, key, { mode: 0o600 });
    return `--withdrawer-private-key-file ${file}`;
  });
  const ran = (...given: readonly (string | undefined)[]) =>
    run(`--dry-run --show-secrets ${given.join(' ')}`, { env: { SEQUENCER_PRIV_KEY: SEQUENCER_KEY } });
  const [first, second] = files;
  const { stdout, stderr } = await ran(first, second);
  expect(stderr).toBe('');
  const secretsOf = stdout.split('---').filter((text) => /kind: Secret/.test(text));
  expect(secretsOf.map((text) => [/name: market-(\S+)/.exec(text)?.[1], /private-key: (\S+)/.exec(text)?.[1]])).toEqual(
    [
      ['composer-key', SEQUENCER_KEY],
      ['withdrawer-key', alice.key],
      ['withdrawer-2-key', bob.key],
    ],
  );
  const expected = `expected 2, of the payers of ${alice.address}, ${bob.address} in this order`;
  expect((await ran(first)).stderr).toBe(`--withdrawer-private-key-file: ${expected}, got 1\n`);
  expect((await ran()).stderr).toBe(`--withdrawer-private-key-file: ${expected}, got 0\n`);
  expect((await ran(first, first)).stderr).toMatch(/expected a key of its own for each bridge account, got one twice/);
});
