import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alice } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import type { InstancePaths } from '../../instance/home.ts';
import { readInstance } from '../../instance/instance.ts';
import { BUILT, earlierInstance, scratchInstance, scratchPaths } from '../../testing.ts';
import { checkInstance } from './check.ts';
import { type Finding, toLine } from './finding.ts';
import { unknownSettings } from './unknown.ts';

const check = (paths: InstancePaths) => checkInstance(paths, { env: {}, builtins: BUILT });
const text = (path: string) => readFileSync(path, 'utf8');
const edit = (path: string, from: string | RegExp, to: string) => writeFileSync(path, text(path).replace(from, to));
const brief = (findings: readonly Finding[]) => findings.map(({ severity, problem, fix }) => [severity, problem, fix]);
const setconfig = (what: string) => `switchyard dev setconfig ${what} --instance test --home /`;

const contradiction = (key: string, other: string, severity = 'error') =>
  [
    severity,
    `${key} contradicts ${other}`,
    `remove ${key}, which then follows the other, or correct one of them`,
  ] as const;

test('a new instance agrees with itself, wherever its ports are', () => {
  expect(check(scratchInstance())).toEqual([]);
  expect(check(scratchInstance({ portOffset: 1_000, rollupName: 'x', chainId: 'y', nativeDenom: 'z' }))).toEqual([]);
  for (const template of ['empty', 'evm', 'messenger,evm']) expect(check(scratchInstance({ template }))).toEqual([]);
  expect(check(scratchInstance({ template: 'evm', portOffset: 7, rollupName: 'x', chainId: 'y' }))).toEqual([]);
});

test('an instance that was never made is refused', () => {
  expect(() => check(scratchPaths())).toThrow('make it with `switchyard dev init');
});

/** Mistakes that a person may make in a file, and the finding that each must cause. */
const MISTAKES: readonly (readonly [
  what: string,
  spoil: (paths: InstancePaths) => void,
  finding: readonly [severity: string, problem: string, fix: string],
])[] = [
  [
    'a chain id that the composer has of its own',
    ({ networks }) =>
      appendFileSync(networks, '\n[networks.local.services.composer.env]\nsvc_composer_sequencer_chain_id = "mine"\n'),
    contradiction('svc_composer_sequencer_chain_id', 'networks.local.sequencer_chain_id'),
  ],
  [
    'a base setting that the network overrules',
    ({ base }) => edit(base, 'grpc_endpoint = "http://127.0.0.1:8080"', 'grpc_endpoint = "http://a:1"'),
    [
      'warning',
      'svc_composer_sequencer_grpc_endpoint has no effect: overridden by the network',
      'make svc_composer_sequencer_grpc_endpoint the same, or remove it',
    ],
  ],
  [
    'a rollup name of the genesis only',
    ({ rollupGenesis }) => edit(rollupGenesis, '"messenger"', '"parlour"'),
    ['error', 'rollup names differ', expect.stringContaining(setconfig('rollupname messenger'))],
  ],
  [
    'an EVM node that the composer could not follow',
    ({ base }) => edit(base, 'svc_composer_rollups = ""', 'svc_composer_rollups = "one::ws://a:1, evm::http://a:1"'),
    [
      'error',
      'composer expects entries NAME::WS_URL, separated by commas, each name once as svc_composer_rollups',
      'write it as in svc_composer_rollups = "flame::ws://127.0.0.1:8546"',
    ],
  ],
  [
    'a number that no service takes',
    ({ base }) => edit(base, 'empty_block_interval_ms = "2000"', 'empty_block_interval_ms = "2s"'),
    [
      'error',
      'sequencer expects a whole number from 10 to 3600000 as svc_sequencer_empty_block_interval_ms',
      'write it as in svc_sequencer_empty_block_interval_ms = "10"',
    ],
  ],
  [
    'a setting that a service cannot do without',
    ({ base }) => edit(base, /svc_composer_db_filepath.*\n/, ''),
    [
      'error',
      'composer expects a path, in which every $VARIABLE is set as svc_composer_db_filepath',
      'write it as in svc_composer_db_filepath = "~/.switchyard/data"',
    ],
  ],
  [
    'another pace for the conductor',
    ({ base }) => edit(base, 'sequencer_block_time_ms = "1000"', 'sequencer_block_time_ms = "2000"'),
    contradiction('svc_conductor_sequencer_block_time_ms', 'svc_sequencer_block_interval_ms', 'warning'),
  ],
  [
    'a composer at another port than the rollup calls',
    ({ base }) =>
      edit(base, 'svc_composer_grpc_addr = "127.0.0.1:50052"', 'svc_composer_grpc_addr = "127.0.0.1:50062"'),
    contradiction('composer_addr', 'svc_composer_grpc_addr'),
  ],
  [
    'a sequencer at another port than the network has',
    ({ base }) =>
      edit(base, 'svc_sequencer_rpc_addr = "127.0.0.1:26657"', 'svc_sequencer_rpc_addr = "127.0.0.1:26659"'),
    contradiction('svc_sequencer_rpc_addr', 'networks.local.sequencer_rpc'),
  ],
  [
    'a mistyped setting',
    ({ base }) => appendFileSync(base, 'svc_composer_fee_aset = "ntia"\n'),
    ['error', 'no service reads svc_composer_fee_aset; did you mean "svc_composer_fee_asset"?', 'correct or remove it'],
  ],
  [
    'a mistyped setting of the rollup',
    ({ base }) => appendFileSync(base, 'rest_adr = "127.0.0.1:1"\n'),
    [
      'warning',
      'rest_adr is no setting of ours; did you mean "rest_addr"?',
      'leave it if it belongs to a rollup of yours',
    ],
  ],
  [
    'a mistyped key of the network',
    ({ networks }) => edit(networks, 'native_denom', 'native_denon = "x"\nnative_denom'),
    ['error', expect.stringContaining(': networks.local.native_denon: no such key; did you mean'), 'correct the file'],
  ],
];

test.each(MISTAKES)('finds %s, and nothing else', (_, spoil, finding) => {
  const paths = earlierInstance();
  spoil(paths);
  expect(brief(check(paths))).toEqual([finding]);
});

test('a finding names files, lines, keys and values', () => {
  const paths = scratchInstance();
  edit(paths.rollupGenesis, '"messenger"', '"parlour"');
  expect(check(paths)[0]?.places).toEqual([
    { file: paths.networks, line: 10, key: 'networks.local.rollup_name', value: 'messenger' },
    { file: paths.rollupGenesis, line: 2, key: 'rollup_name', value: 'parlour' },
  ]);
});

test('a contradiction names both places with what they state, and is one finding however many services read it', () => {
  const paths = earlierInstance('messenger,evm');
  edit(paths.base, 'svc_composer_grpc_addr = "127.0.0.1:50052"', 'svc_composer_grpc_addr = "127.0.0.1:50062"');
  const formatLine = (key: string) =>
    text(paths.base)
      .split('\n')
      .findIndex((line) => line.startsWith(`${key} =`)) + 1;
  const place = (key: string, value: string) => ({ file: paths.base, line: formatLine(key), key, value });
  expect(check(paths).map(({ places }) => places)).toEqual([
    [place('composer_addr', 'http://127.0.0.1:50052'), place('svc_composer_grpc_addr', '127.0.0.1:50062')],
    [place('svc_evm_composer_addr', 'http://127.0.0.1:50052'), place('svc_composer_grpc_addr', '127.0.0.1:50062')],
  ]);
});

test('an address on all interfaces is where its callers call, under any name of this machine', () => {
  const paths = earlierInstance();
  edit(paths.base, 'svc_composer_grpc_addr = "127.0.0.1:50052"', 'svc_composer_grpc_addr = "0.0.0.0:50052"');
  edit(paths.base, /^composer_addr = .*$/m, 'composer_addr = "http://some.host:50052"');
  expect(check(paths)).toEqual([]);
  edit(paths.base, '0.0.0.0:50052', 'localhost:50052');
  expect(check(paths).map(({ problem }) => problem)).toEqual(['composer_addr contradicts svc_composer_grpc_addr']);
});

test('what a rollup of the user reads is left alone', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'my_rollup_mode = "fast"\nsvc_conductor_celestia_block_time_ms = "1200"\n');
  expect(check(paths)).toEqual([]);
});

test('two rollups must not share a name, a bridge account, a port or a place for their state', () => {
  const paths = scratchInstance();
  const genesis = join(paths.config, 'second.json');
  writeFileSync(genesis, text(paths.rollupGenesis));
  appendFileSync(
    paths.networks,
    `\n[networks.local.services.second]\nlocal_path = "builtin:messenger"\n[networks.local.services.second.env]\ngenesis_filepath = "${genesis}"\n`,
  );
  const problems = check(paths).map(({ problem }) => problem);
  expect(problems).toContain("two rollups have one name, so each reads the other's data");
  expect(problems).toContain('a bridge account is named twice');
  expect(
    problems.filter((problem) => /^(port \d+|state in ).* given to rollup.* and to second/.test(problem)),
  ).not.toEqual([]);
});

test('a rollup without a conductor is remarked on', () => {
  const paths = scratchInstance();
  appendFileSync(
    paths.networks,
    `\n[networks.local.services.second]\nlocal_path = "builtin:messenger"\n[networks.local.services.second.env]\nrest_addr = "127.0.0.1:1"\nexecution_grpc_addr = "127.0.0.1:2"\ndb_filepath = "/tmp/second"\n`,
  );
  expect(brief(check(paths))).toContainEqual([
    'warning',
    'no conductor brings blocks to second, so nothing is executed',
    'add a service with local_path = "builtin:conductor" and its own svc_conductor_execution_rpc_url = "http://127.0.0.1:2"',
  ]);
});

test('a remote network with the state of the local one is refused', () => {
  const paths = earlierInstance();
  appendFileSync(
    paths.networks,
    '\n[networks.far]\nsequencer_chain_id = "far-1"\nsequencer_grpc = "http://far:1"\nsequencer_rpc = "http://far:2"\nrollup_name = "messenger"\nnative_denom = "utia"\n[networks.far.services.composer]\n',
  );
  expect(brief(check(paths))).toEqual([
    [
      'error',
      'composer would store the data of two chains in one place',
      'give svc_composer_db_filepath a directory of its own in [networks.far.services.composer.env]',
    ],
    contradiction('svc_composer_fee_asset', 'networks.far.native_denom', 'warning'),
  ]);
});

test('broken files are findings with line and column', () => {
  const paths = scratchInstance();
  appendFileSync(paths.base, 'oops = = 1\n');
  writeFileSync(paths.rollupGenesis, '{');
  const line = text(paths.base).split('\n').length - 1;
  expect(check(paths).map(({ problem }) => problem)).toEqual([
    expect.stringMatching(new RegExp(`base-config\\.toml:${line}:\\d+: not valid TOML: `)),
  ]);
  edit(paths.base, 'oops = = 1\n', '');
  expect(check(paths).map(({ problem }) => problem)).toEqual([
    expect.stringContaining(`${paths.rollupGenesis}: not valid JSON: `),
  ]);
});

test('no key is ever shown', () => {
  const paths = scratchInstance();
  writeFileSync(paths.composerKey, alice.key, { mode: 0o644 });
  chmodSync(paths.composerKey, 0o644);
  edit(paths.base, 'svc_composer_private_key_file', 'svc_composer_private_key');
  appendFileSync(paths.base, `svc_composer_private_key_fil = "x"\nsvc_composer_priv_key = "${alice.key}"\n`);
  const findings = check(paths);
  expect(findings).not.toEqual([]);
  expect(JSON.stringify(findings)).not.toContain(alice.key);
});

test('dev run reports each unknown key in one line', () => {
  const paths = scratchInstance();
  const found = () => unknownSettings(readInstance(paths, 'local', {})).map(toLine);
  expect(found()).toEqual([]);
  appendFileSync(paths.base, 'svc_composer_fee_aset = "ntia"\nmine = 2\n');
  expect(found()).toEqual([
    `no service reads svc_composer_fee_aset; did you mean "svc_composer_fee_asset"?: ${paths.base} has svc_composer_fee_aset = ntia: correct or remove it`,
  ]);
});
