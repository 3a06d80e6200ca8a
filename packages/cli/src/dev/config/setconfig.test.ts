import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { valueAt } from '../files/toml.ts';
import { readInstance } from '../instance/instance.ts';
import { earlierInstance, scratchInstance, scratchPaths } from '../testing.ts';
import { toLine } from './check/finding.ts';
import { checkName } from './check/rollups.ts';
import {
  type Change,
  setBlockInterval,
  setFeeAsset,
  setNativeAsset,
  setRollupName,
  setSequencerChainId,
} from './setconfig.ts';

const text = (path: string) => readFileSync(path, 'utf8');
const edit = (path: string, from: string | RegExp, to: string) => writeFileSync(path, text(path).replace(from, to));

test('renames the rollup wherever its name stands, and nothing else', () => {
  const paths = scratchInstance();
  edit(paths.networks, 'rollup_name = "messenger"', "Rollup_Name='messenger' # mine");
  edit(
    paths.base,
    'svc_composer_rollups = ""',
    'svc_composer_rollups = "evm::ws://a:1, messenger::ws://127.0.0.1:8546" # two',
  );
  const before = [paths.networks, paths.base, paths.rollupGenesis].map(text);
  expect(setRollupName(paths, 'local', 'parlour')).toEqual([
    { file: paths.networks, key: 'networks.local.rollup_name', from: 'messenger', to: 'parlour' },
    { file: paths.rollupGenesis, key: 'chain_id', from: 'messenger', to: 'parlour' },
    { file: paths.rollupGenesis, key: 'rollup_name', from: 'messenger', to: 'parlour' },
    {
      file: paths.base,
      key: 'svc_composer_rollups',
      from: 'evm::ws://a:1, messenger::ws://127.0.0.1:8546',
      to: 'evm::ws://a:1, parlour::ws://127.0.0.1:8546',
    },
  ]);
  const [networks = '', base = '', genesis = ''] = before;
  expect(text(paths.networks)).toBe(networks.replace("Rollup_Name='messenger'", "Rollup_Name='parlour'"));
  expect(text(paths.base)).toBe(base.replace(', messenger::', ', parlour::'));
  expect(text(paths.rollupGenesis)).toBe(genesis.replaceAll('"messenger"', '"parlour"'));
  expect(setRollupName(paths, 'local', 'parlour')).toEqual([]);
});

test('names, chain ids and assets reach the genesis of an EVM rollup', () => {
  const paths = earlierInstance('messenger,evm');
  const section = () => valueAt(JSON.parse(text(paths.evmGenesis)), ['config', 'switchyard']);
  expect(() => setRollupName(paths, 'local', 'parlour')).toThrow('several rollups: name one with --service');
  setRollupName(paths, { network: 'local', service: 'evm' }, 'chain');
  setSequencerChainId(paths, { network: 'local' }, 'other');
  setNativeAsset(paths, { network: 'local' }, 'nria');
  expect(section()).toMatchObject({
    rollupName: 'chain',
    sequencer: { chainId: 'other' },
    bridgeAddresses: [{ assetDenom: 'nria' }],
  });
  expect(text(paths.networks)).toContain('rollup_name = "messenger"');
  expect(text(paths.networks)).toContain('svc_faucet_asset = "nria"\nsvc_faucet_symbol = "RIA"');
  setRollupName(paths, { network: 'local', service: 'rollup' }, 'parlour');
  expect(text(paths.networks)).toContain('rollup_name = "parlour"');
  expect(checkName(readInstance(paths, 'local', {}))).toEqual([]);
});

test('an own chain id and the camel-case spelling of a genesis stay', () => {
  const paths = scratchInstance();
  edit(paths.rollupGenesis, '"rollup_name": "messenger"', '"rollupName": "messenger"');
  edit(paths.rollupGenesis, '"chain_id": "messenger"', '"chainId": "my-chain"');
  setRollupName(paths, 'local', 'parlour');
  expect(JSON.parse(text(paths.rollupGenesis))).toMatchObject({ chainId: 'my-chain', rollupName: 'parlour' });
});

test.each([
  ['a b', 'local', 'rollup name: expected 1 to 50 of A-Z a-z 0-9 _ . -, got "a b"'],
  ['ok', 'moon', 'no network "moon", there is local'],
])('refuses %j on network %s and changes nothing', (name, network, message) => {
  const paths = scratchInstance();
  const before = text(paths.networks);
  expect(() => setRollupName(paths, network, name)).toThrow(message);
  expect(text(paths.networks)).toBe(before);
});

test('a broken genesis stops the change before the first file is written', () => {
  const paths = scratchInstance();
  writeFileSync(paths.rollupGenesis, '{ "rollup_name": ');
  const before = text(paths.networks);
  expect(() => setRollupName(paths, 'local', 'parlour')).toThrow(`${paths.rollupGenesis}: not valid JSON: `);
  expect(text(paths.networks)).toBe(before);
});

test('sets the block interval for the sequencer and for the conductor', () => {
  const paths = earlierInstance();
  expect(setBlockInterval(paths, '50').map(({ key, to }) => [key, to])).toEqual([
    ['svc_sequencer_block_interval_ms', '50'],
    ['svc_conductor_sequencer_block_time_ms', '50'],
  ]);
  expect(() => setBlockInterval(paths, '0')).toThrow('expected a whole number from 1 to 60000, got "0"');
});

test('an instance that was never made is refused', () => {
  expect(() => setRollupName(scratchPaths(), 'local', 'x')).toThrow('make it with `switchyard dev init');
});

const LOCAL = { network: 'local' };
const places = (changes: readonly Change[]) => changes.map(({ file, key, to }) => [file, key, to]);
const json = (path: string): Record<string, unknown> => JSON.parse(text(path));

test('the chain id changes in the network, the genesis and what the services expect', () => {
  const paths = earlierInstance();
  const before = text(paths.sequencerGenesis);
  expect(places(setSequencerChainId(paths, LOCAL, 'My.chain_1'))).toEqual([
    [paths.networks, 'networks.local.sequencer_chain_id', 'My.chain_1'],
    [paths.sequencerGenesis, 'chain_id', 'My.chain_1'],
    [paths.sequencerGenesis, 'app_state.chain_id', 'My.chain_1'],
    [paths.base, 'svc_composer_sequencer_chain_id', 'My.chain_1'],
    [paths.base, 'svc_conductor_expected_sequencer_chain_id', 'My.chain_1'],
    [paths.rollupGenesis, 'sequencer_chain_id', 'My.chain_1'],
  ]);
  expect(text(paths.sequencerGenesis)).toBe(before.replaceAll('"sequencer-test-chain-0"', '"My.chain_1"'));
});

test('the native asset takes the fee asset along, where it was the same', () => {
  const paths = earlierInstance();
  expect(places(setNativeAsset(paths, LOCAL, 'UNIT'))).toEqual([
    [paths.networks, 'networks.local.native_denom', 'unit'],
    [paths.sequencerGenesis, 'app_state.native_asset_base_denomination', 'unit'],
    [paths.sequencerGenesis, 'app_state.allowed_fee_assets', '["unit"]'],
    [paths.rollupGenesis, 'withdrawals.0.asset', 'unit'],
    [paths.base, 'svc_composer_fee_asset', 'unit'],
  ]);
  expect(setNativeAsset(paths, LOCAL, 'unit')).toEqual([]);
});

test.each(['unit', 'a-name-of-more-than-thirty-one-bytes'])(
  'the genesis of an EVM rollup names the native asset %s wherever it is stated',
  (asset) => {
    const paths = scratchInstance({ template: 'evm' });
    setNativeAsset(paths, LOCAL, asset);
    const other = scratchInstance({ template: 'evm', nativeDenom: asset });
    expect(json(paths.evmGenesis)).toEqual(json(other.evmGenesis));
    expect(text(paths.evmGenesis) === text(other.evmGenesis)).toBe(asset === 'unit');
  },
);

test('the fee asset is exchanged in the list of the genesis, whose other entries stay', () => {
  const paths = scratchInstance();
  edit(paths.sequencerGenesis, /"allowed_fee_assets": \[[^\]]*\]/, '"allowed_fee_assets": ["other", "ntia"]');
  setFeeAsset(paths, LOCAL, 'transfer/channel-0/utia');
  expect(json(paths.sequencerGenesis).app_state).toMatchObject({
    allowed_fee_assets: ['other', 'transfer/channel-0/utia'],
    native_asset_base_denomination: 'ntia',
  });
  expect(parse(text(paths.base)).svc_composer_fee_asset).toBe('transfer/channel-0/utia');
});

test('a setting under the name of the reference is changed where it stands', () => {
  const paths = scratchInstance();
  edit(paths.base, 'svc_sequencer_block_interval_ms', 'ASTRIA_sequencer_block_interval_ms');
  setBlockInterval(paths, '70');
  expect(text(paths.base)).toContain('ASTRIA_sequencer_block_interval_ms = "70"');
  expect(text(paths.base)).not.toContain('svc_sequencer_block_interval_ms');
});

test('what a service has of its own changes too', () => {
  const paths = scratchInstance();
  appendFileSync(paths.networks, '\n[networks.local.services.sequencer.env]\nSVC_SEQUENCER_BLOCK_INTERVAL_MS = "1"\n');
  setBlockInterval(paths, '70');
  expect(readInstance(paths, 'local', {}).network.services.find(({ label }) => label === 'sequencer')?.env).toEqual({
    SVC_SEQUENCER_BLOCK_INTERVAL_MS: '70',
  });
});

/** A second rollup, as a user adds one. */
function withParlour() {
  const paths = scratchInstance();
  const genesis = join(paths.config, 'parlour_genesis.json');
  writeFileSync(genesis, text(paths.rollupGenesis).replace('"messenger"', '"parlour"'));
  appendFileSync(
    paths.networks,
    '\n[networks.local.services.parlour]\nlocal_path = "builtin:messenger"\n\n[networks.local.services.parlour.env]\ngenesis_filepath = "$SWITCHYARD_INSTANCE/config/parlour_genesis.json"\n',
  );
  return { paths, genesis };
}

test('of several rollups one has to be named, and only that one is renamed', () => {
  const { paths, genesis } = withParlour();
  expect(() => setRollupName(paths, LOCAL, 'x')).toThrow(
    'network local has several rollups: name one with --service, one of rollup, parlour',
  );
  expect(() => setRollupName(paths, { ...LOCAL, service: 'parlor' }, 'x')).toThrow(
    '--service: no rollup "parlor" in network local, there is rollup, parlour; did you mean "parlour"?',
  );
  expect(places(setRollupName(paths, { ...LOCAL, service: 'parlour' }, 'salon'))).toEqual([
    [genesis, 'rollup_name', 'salon'],
  ]);
  expect(places(setRollupName(paths, { ...LOCAL, service: 'rollup' }, 'chat'))).toEqual([
    [paths.networks, 'networks.local.rollup_name', 'chat'],
    [paths.rollupGenesis, 'chain_id', 'chat'],
    [paths.rollupGenesis, 'rollup_name', 'chat'],
  ]);
});

test('a remote network is changed in its own block, and no file of the local one is', () => {
  const paths = scratchInstance();
  appendFileSync(
    paths.networks,
    `
[networks.far]
sequencer_chain_id = "far-1"
sequencer_grpc = "http://far:1"
sequencer_rpc = "http://far:2"
rollup_name = "messenger"
native_denom = "utia"

[networks.far.services.composer]
`,
  );
  const others = [paths.base, paths.sequencerGenesis, paths.rollupGenesis].map(text);
  const far = { network: 'far' };
  expect(places(setSequencerChainId(paths, far, 'far-2'))).toEqual([
    [paths.networks, 'networks.far.sequencer_chain_id', 'far-2'],
  ]);
  expect(places(setNativeAsset(paths, far, 'transfer/channel-0/utia'))).toEqual([
    [paths.networks, 'networks.far.native_denom', 'transfer/channel-0/utia'],
  ]);
  expect(places(setFeeAsset(paths, far, 'nria'))).toEqual([
    [paths.networks, 'networks.far.services.composer.env.svc_composer_fee_asset', 'nria'],
  ]);
  expect([paths.base, paths.sequencerGenesis, paths.rollupGenesis].map(text)).toEqual(others);
  expect(() => setBlockInterval(paths, '50', far)).toThrow('the sequencer of network far is not ours to set');
});

test.each([
  [setNativeAsset, 'a/b/c', 'native asset: expected a name without / and spaces, such as ntia, got "a/b/c"'],
  [setFeeAsset, 'a/b', 'fee asset: expected an asset such as ntia, transfer/channel-0/utia or ibc/<64 hex digits>'],
  [setSequencerChainId, 'a b', 'sequencer chain id: expected 1 to 50 of A-Z a-z 0-9 _ . -, got "a b"'],
])('%o refuses %j', (set, value, message) => {
  expect(() => set(scratchInstance(), LOCAL, value)).toThrow(message);
});

test('when one file cannot be written, none is', () => {
  const paths = earlierInstance();
  const files = [paths.networks, paths.base, paths.sequencerGenesis];
  const before = files.map(text);
  mkdirSync(`${paths.base}.new`);
  expect(() => setSequencerChainId(paths, LOCAL, 'other')).toThrow(`${paths.base}: cannot be written: `);
  expect(files.map(text)).toEqual(before);
});

test('a rollup that its genesis calls otherwise is remarked on, by the genesis of its own network', () => {
  const { paths, genesis } = withParlour();
  writeFileSync(join(paths.data, 'blocks'), '');
  const remark = () => checkName(readInstance(paths, 'local', {})).map(toLine);
  expect(remark()).toEqual([]);
  edit(paths.networks, 'rollup_name = "messenger"', 'rollup_name = "parlour"');
  expect(remark()).toEqual([]);
  edit(paths.networks, 'rollup_name = "parlour"', 'rollup_name = "salon"');
  expect(remark()).toEqual([
    `rollup names differ: ${paths.networks} has networks.local.rollup_name = salon; ${paths.rollupGenesis} has rollup_name = messenger; ${genesis} has rollup_name = parlour: \`switchyard dev setconfig rollupname salon --service rollup --instance test --home ${paths.home}\``,
  ]);
});
