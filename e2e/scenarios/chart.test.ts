import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root, run } from '../support/network.ts';

/** The chart of a rollup, rendered by Helm, compared with the output of `--dry-run`. */
const switchyardBin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
const cache = process.env.SWITCHYARD_CACHE ?? join(root, '.cache');
const TOKEN = 'a.read.token';
const KEYS = { sequencer: 'a1'.repeat(32), faucet: 'b2'.repeat(32) };

const MANIFEST = `config:
  rollup:
    name: cosmic
    genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', balance: '1000000000000000000' }]
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
ingress: { hostname: example.com, className: nginx }
`;

function findHelm(): string | undefined {
  const fetched = existsSync(cache) ? readdirSync(cache).filter((name) => name.startsWith('helm-')) : [];
  const places = [...fetched.map((name) => join(cache, name)), ...(process.env.PATH ?? '').split(delimiter)];
  const found = places.map((directory) => join(directory, 'helm')).find((file) => existsSync(file));
  if (found === undefined)
    console.log('no Helm found: the scenario of the chart is left out (node scripts/helm.mjs fetches it)');
  return found;
}

interface Object {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly metadata: { readonly annotations?: unknown } } };
}

/** Objects by kind and name, without parts that change with the values of a release. */
function makeObjects(text: string): ReadonlyMap<string, Object> {
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Object | null);
  return new Map(
    objects.flatMap((object) => {
      if (object === null) return [];
      const shown = JSON.parse(
        JSON.stringify(object, (key, value: unknown) => (key === 'switchyard/settings' ? 'a digest' : value)),
      ) as Object;
      return [[`${shown.kind} ${shown.metadata.name}`, shown]];
    }),
  );
}

const helm = findHelm();

describe.skipIf(helm === undefined)('a chart', () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-chart-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const config = join(directory, 'cosmic.yaml');
  const values = join(directory, 'values.yaml');
  const chart = join(directory, 'chart');
  const env = {
    SEQUENCER_PRIV_KEY: KEYS.sequencer,
    ROLLUP_FAUCET_PRIV_KEY: KEYS.faucet,
    ROLLUP_DA_TOKEN: TOKEN,
    HELM_CACHE_HOME: directory,
  };

  async function printed(command: string, ...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await run(command, args, env, directory);
    expect([args.join(' '), status, stderr]).toEqual([args.join(' '), 0, '']);
    return stdout;
  }
  const deployment = (...args: string[]) =>
    printed(process.execPath, switchyardBin, 'rollup', 'deployment', ...args, '--config', config);
  const rendered = async (...args: string[]) =>
    makeObjects(await printed(helm ?? '', 'template', 'cosmic', chart, '--values', values, ...args));

  test('renders what --dry-run prints', async () => {
    writeFileSync(config, MANIFEST);
    writeFileSync(values, JSON.stringify({ keys: KEYS, createNamespace: true }));
    await deployment('chart', '--out', chart);
    const expected = makeObjects(await deployment('create', '--dry-run', '--show-secrets'));
    expect(expected.size).toBeGreaterThan(20);
    const got = await rendered();
    expect([...got.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [name, object] of expected) expect(got.get(name)).toEqual(object);
  });

  test('takes other values, and its pods start again with them', async () => {
    const text = await printed(helm ?? '', 'template', 'cosmic', chart, '--values', values);
    const other = await printed(
      ...([helm ?? '', 'template', 'cosmic', chart, '--values', values] as const),
      ...['--set', 'image=example.com/switchyard:2', '--set', 'logLevel=warn', '--set', 'storageSize=9Gi'],
    );
    const digests = (item: string) => item.match(/switchyard\/settings: "[0-9a-f]{32}"/g);
    expect(digests(text)).toHaveLength(3);
    for (const digest of digests(text) ?? []) expect(digests(other)).not.toContain(digest);
    expect(other).not.toContain('localhost/switchyard');
    expect(other.match(/image: "example\.com\/switchyard:2"/g)).toHaveLength(5);
    expect(other.match(/storage: "9Gi"/g)).toHaveLength(2);
    expect(other).toMatch(/_LOG: "warn"/);
  });

  test('has no Secret for a key that is not among its values', async () => {
    writeFileSync(values, JSON.stringify({ keys: { sequencer: KEYS.sequencer } }));
    const kinds = [...(await rendered()).keys()];
    expect(kinds.filter((name) => name.startsWith('Secret '))).toEqual(['Secret cosmic-composer-key']);
    expect(kinds).not.toContain('Namespace switchyard');
  });

  test('renders the same where firm blocks come from a node elsewhere, with its token', async () => {
    const node = `  config: { network: mocha-5, trustedHeight: 7, trustedHash: ${'ab'.repeat(32)} }`;
    const external = [
      'da-node:',
      '  kind: external',
      '  url: http://light.main:26658',
      '  hasToken: true',
      node,
      '',
    ].join('\n');
    const firm = MANIFEST.replace('    name: cosmic\n', '    name: cosmic\n    executionCommitLevel: SoftAndFirm\n');
    writeFileSync(config, `${firm}${external}`);
    writeFileSync(values, JSON.stringify({ keys: { ...KEYS, daToken: TOKEN }, createNamespace: true }));
    await deployment('chart', '--out', chart, '--force');
    const expected = makeObjects(await deployment('create', '--dry-run', '--show-secrets'));
    expect([...expected.keys()]).toContain('Secret cosmic-da-token');
    expect(await rendered()).toEqual(expected);
  });
});
