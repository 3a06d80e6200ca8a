import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const run = (args: string, world: FakeWorld = {}) => {
    const words = [
      'rollup',
      'deployment',
      'create',
      '--config',
      FILE,
      ...args.split(' ').filter((word) => word !== ''),
    ];
    return runWith((cli, connect) => switchyard(cli, words, connect), words, { directory, ...world });
  };
  return { directory, file, run };
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
    /^no signing key: give --sequencer-private-key-file PATH, or SEQUENCER_PRIV_KEY or .* in the environment\n$/,
  ],
  [
    'with a key that is none',
    '--dry-run --show-secrets',
    { ...env, SEQUENCER_PRIV_KEY: 'abc' },
    MANIFEST,
    /^SEQUENCER_PRIV_KEY: expected a key of 64 hex digits/,
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
