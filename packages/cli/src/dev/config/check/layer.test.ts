import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { relayerAccount } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { placeIn } from '../../files/toml.ts';
import type { InstancePaths } from '../../instance/home.ts';
import { readInstance } from '../../instance/instance.ts';
import { BUILT, scratchInstance } from '../../testing.ts';
import { effectiveSettings } from '../effective.ts';
import { checkInstance } from './check.ts';

const edit = (path: string, from: string | RegExp, to: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
const check = (paths: InstancePaths) => checkInstance(paths, { env: {}, builtins: BUILT });
const brief = (paths: InstancePaths) => check(paths).map(({ severity, problem, fix }) => [severity, problem, fix]);
const withLayer = () => scratchInstance({ dataAvailability: 'local' });

/** In the file, regardless of derived values. */
function setLevel(base: string, level: string): void {
  edit(base, /^svc_conductor_execution_commit_level.*\n/m, '');
  appendFileSync(base, `svc_conductor_execution_commit_level = "${level}"\n`);
}

const OTHER_KEY = '11'.repeat(32);
const OTHER = 'celestia1l3e9pgs3mmwuwrh95fecme0s0qtn2880cqrtn5';
const HASH = 'ab'.repeat(32);

const contradiction = (key: string, other: string) => [
  'error',
  `${key} contradicts ${other}`,
  `remove ${key}, which then follows the other, or correct one of them`,
];

test('a new instance with a layer agrees with itself', () => {
  expect(brief(withLayer())).toEqual([]);
  expect(brief(scratchInstance({ dataAvailability: 'local', template: 'messenger,evm', portOffset: 3 }))).toEqual([]);
});

type Mistake = readonly [what: string, spoil: (paths: InstancePaths) => void, found: readonly unknown[]];

const MISTAKES: readonly Mistake[] = [
  [
    'another chain id of the relayer',
    ({ base }) => appendFileSync(base, 'svc_relayer_da_chain_id = "mocha-5"\n'),
    contradiction('svc_relayer_da_chain_id', 'svc_da_chain_id'),
  ],
  [
    'another chain id of the conductor',
    ({ base }) => appendFileSync(base, 'svc_conductor_expected_celestia_chain_id = "mocha-5"\n'),
    contradiction('svc_conductor_expected_celestia_chain_id', 'svc_da_chain_id'),
  ],
  [
    'authors without the relayer',
    ({ base }) => appendFileSync(base, `svc_conductor_celestia_authors = "${OTHER}"\n`),
    contradiction('svc_conductor_celestia_authors', 'svc_relayer_private_key_file'),
  ],
  [
    'a conductor that calls another address',
    ({ base }) => appendFileSync(base, 'svc_conductor_celestia_node_http_url = "http://127.0.0.1:26659"\n'),
    contradiction('svc_conductor_celestia_node_http_url', 'svc_da_api_listen_addr'),
  ],
  [
    'a relayer that calls another address',
    ({ base }) => appendFileSync(base, 'svc_relayer_da_grpc_endpoint = "http://127.0.0.1:9090"\n'),
    contradiction('svc_relayer_da_grpc_endpoint', 'svc_da_grpc_addr'),
  ],
];

test.each(MISTAKES)('finds %s, and nothing else', (_, spoil, found) => {
  const paths = withLayer();
  spoil(paths);
  expect(brief(paths)).toEqual([found]);
});

test('a conductor that reads no layer may state any chain id of one; else it is the one that a relayer posts to', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'svc_conductor_expected_celestia_chain_id = "mocha-5"\n');
  appendFileSync(paths.base, 'svc_relayer_da_chain_id = "celestia"\nsvc_relayer_da_grpc_endpoint = "http://a:1"\n');
  appendFileSync(paths.networks, '\n[networks.local.services.relayer]\n');
  const found = () => brief(paths).filter(([, problem]) => problem?.includes('contradicts'));
  expect(found()).toEqual([]);
  setLevel(paths.base, 'SoftAndFirm');
  expect(found()).toEqual([contradiction('svc_conductor_expected_celestia_chain_id', 'svc_relayer_da_chain_id')]);
});

test('the port of the layer cannot be that of another service', () => {
  const paths = withLayer();
  edit(paths.base, 'svc_da_grpc_addr = "127.0.0.1:26652"', 'svc_da_grpc_addr = "127.0.0.1:8080"');
  expect(brief(paths).map(([, problem]) => problem)).toEqual([
    expect.stringMatching(/^port 8080: given to sequencer .* and to da /),
  ]);
});

/** A network whose sequencer runs elsewhere, with this table for its layer. */
function remote(table: string, paths = withLayer()): InstancePaths {
  mkdirSync(paths.config, { recursive: true });
  appendFileSync(
    paths.networks,
    `
[networks.far]
sequencer_chain_id = "far-1"
sequencer_grpc = "http://far:1"
sequencer_rpc = "http://far:2"
rollup_name = "messenger"
native_denom = "ntia"
${table}
[networks.far.services.conductor]
`,
  );
  return paths;
}

const layerTable = (more: string) => `[networks.far.data_availability]
node_url = "https://light.example"
chain_id = "mocha-5"
${more}
`;
const TRUSTED = `trusted_height = 12\ntrusted_hash = "${HASH}"\n`;

/** Reads settings of the conductor of that network. */
function getConductor(paths: InstancePaths): (name: string) => string | undefined {
  const shown = effectiveSettings(readInstance(paths, 'far', {}), 'conductor');
  return (name) => {
    const setting = shown.find(({ key }) => key === `svc_conductor_${name}`);
    return setting?.from === 'default' ? undefined : setting?.value;
  };
}

test('conductors of a remote network read from its layer; what the base settings have is of the local one', () => {
  const paths = remote(layerTable(`${TRUSTED}token_file = "$SWITCHYARD_INSTANCE/token"\nauthors = ["${OTHER}"]\n`));
  const setting = getConductor(paths);
  expect(setting('execution_commit_level')).toBe('SoftAndFirm');
  expect(setting('celestia_node_http_url')).toBe('https://light.example');
  expect(setting('expected_celestia_chain_id')).toBe('mocha-5');
  expect(setting('celestia_trusted_height')).toBe('12');
  expect(setting('celestia_trusted_hash')).toBe(HASH);
  expect(setting('celestia_token_file')).toBe(join(paths.directory, 'token'));
  expect(setting('celestia_authors')).toBe(OTHER);
  expect(setting('celestia_block_time_ms')).toBe('1000');
  expect(setting('celestia_header_filepath')).toBe(join(paths.data, 'far', 'conductor-layer-header.json'));
});

test('without a layer, blocks of a remote network are firm once they are signed', () => {
  const setting = getConductor(remote(''));
  expect(setting('execution_commit_level')).toBe('SoftIsFirm');
  expect(setting('celestia_node_http_url')).toBeUndefined();
  expect(setting('celestia_authors')).toBeUndefined();
  const soft = withLayer();
  setLevel(soft.base, 'SoftOnly');
  expect(getConductor(remote('', soft))('execution_commit_level')).toBe('SoftOnly');
});

test.each<[what: string, table: string, line: string]>([
  [
    'no endpoint',
    '[networks.far.data_availability]\nchain_id = "x"',
    'node_url: expected an http:// or https:// URL, got nothing',
  ],
  [
    'no URL',
    layerTable(TRUSTED).replace('https', 'ftp'),
    'node_url: expected an http:// or https:// URL, got "ftp://light.example"',
  ],
  [
    'a hash that is none',
    layerTable('trusted_height = 3\ntrusted_hash = "abc"'),
    'trusted_hash: expected 32 bytes in hexadecimal (64 digits), got "abc"',
  ],
  [
    'a height that is none',
    layerTable(`trusted_height = 0\ntrusted_hash = "${HASH}"`),
    'trusted_height: expected a whole number, at least 1, got "0"',
  ],
  [
    'a relative path',
    layerTable(`${TRUSTED}token_file = "token"`),
    'token_file: expected an absolute path, or a path that begins with ~ or $SWITCHYARD_INSTANCE, got "token"',
  ],
  [
    'a token',
    layerTable(`${TRUSTED}token = "s3cret"`),
    'token: no such key: a token stands in a file of mode 600 that token_file names',
  ],
  ['a mistyped key', layerTable(`${TRUSTED}autors = []`), 'autors: no such key; did you mean "authors"?'],
  [
    'an author that is none',
    layerTable(`${TRUSTED}authors = ["${OTHER.replace(/5$/, '6')}"]`),
    `authors: expected a list of at most 100 accounts celestia1..., got "${OTHER.replace(/5$/, '6')}"`,
  ],
])('the table of a layer with %s is refused in one line', (_, table, line) => {
  const paths = remote(table);
  const key = `networks.far.data_availability.${line.split(':')[0]}`;
  const message = `${placeIn(paths.networks, key)}: networks.far.data_availability.${line}`;
  expect(() => readInstance(paths, 'far', {})).toThrow(expect.objectContaining({ message }));
  expect(brief(paths)).toContainEqual(['error', message, 'correct the file']);
  expect(JSON.stringify(check(paths))).not.toContain('s3cret');
});

test('a token has a file of its own, which only its owner can read', () => {
  const paths = remote(layerTable(`${TRUSTED}token_file = "$SWITCHYARD_INSTANCE/token"\n`));
  const file = join(paths.directory, 'token');
  const where = `networks.far.data_availability.token_file: ${file}: `;
  const found = () => check(paths).flatMap(({ problem }) => problem.split(where)[1] ?? []);
  expect(found()).toEqual([expect.stringContaining('expected a file with one token, got nothing that can be read')]);
  writeFileSync(file, 's3cret.abc\n', { mode: 0o644 });
  expect(found()).toEqual([expect.stringMatching(`^expected a file of mode 600, got mode 644: .chmod 600 ${file}`)]);
  chmodSync(file, 0o600);
  for (const text of ['', 's3cret other', 's3crét', 's3cret'.repeat(2_000)]) {
    writeFileSync(file, text);
    expect(found()).toEqual([expect.stringContaining('expected one token, got')]);
    expect(JSON.stringify(check(paths))).not.toContain('s3cr');
  }
  writeFileSync(file, 's3cret.abc\n');
  chmodSync(file, 0o400);
  expect(found()).toEqual([]);
});

test('authors follow the key of the relayer, unless the user names some', () => {
  const paths = withLayer();
  const authors = () =>
    effectiveSettings(readInstance(paths, 'local', {}), 'conductor').find(
      ({ key }) => key === 'svc_conductor_celestia_authors',
    );
  expect(authors()).toMatchObject({
    value: relayerAccount.address,
    from: 'derived',
    place: 'svc_relayer_private_key_file',
  });
  const key = join(paths.config, 'mine');
  writeFileSync(key, OTHER_KEY, { mode: 0o600 });
  edit(paths.base, /svc_relayer_private_key_file = .*/, `svc_relayer_private_key_file = "${key}"`);
  expect(authors()).toMatchObject({ value: OTHER });
  appendFileSync(paths.base, `svc_conductor_celestia_authors = "${relayerAccount.address}, ${OTHER}"\n`);
  expect(authors()).toMatchObject({ value: `${relayerAccount.address}, ${OTHER}`, from: 'base-config.toml' });
});
