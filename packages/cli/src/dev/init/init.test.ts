import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '@switchyard/evm/client';
import { alice, bob, carol, composerAccount, dave, faucetAccount, relayerAccount } from '@switchyard/network/accounts';
import { EVM_MNEMONIC, evmAccounts, evmFaucetAccount } from '@switchyard/network/evm-accounts';
import { validatorKeyFile } from '@switchyard/network/genesis';
import { checksummed } from '@switchyard/protocol/ethereum';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { checkInstance } from '../config/check/check.ts';
import { jsonAt } from '../files/json-edit.ts';
import { valueAt } from '../files/toml.ts';
import { readInstance } from '../instance/instance.ts';
import { makeSecrets } from '../instance/secrets.ts';
import { planServices } from '../services/services.ts';
import { BUILT, scratchInstance, scratchPaths } from '../testing.ts';
import { deriveGenesis } from './genesis-at-start.ts';
import { initInstance } from './init.ts';

const text = (path: string) => readFileSync(path, 'utf8');
const json = (path: string): unknown => JSON.parse(text(path));

test('writes every file of an instance', () => {
  const paths = scratchPaths();
  const report = initInstance(paths, {});
  expect(report).toEqual({
    written: [
      'networks-config.toml',
      'config/base-config.toml',
      'config/priv_validator_key.json',
      'config/rollup_genesis.json',
      'config/genesis.json',
      'config/composer_dev_priv_key',
      'config/execution_secret',
      'config/composer_secret',
      'config/relayer_dev_priv_key',
      'config/withdrawer_dev_priv_key',
      'config/messenger_faucet_dev_priv_key',
    ],
    kept: [],
    ignored: [],
    added: [],
    template: 'messenger',
    offset: 0,
  });
  expect(valueAt(parse(text(paths.networks)), ['networks', 'local'])).toMatchObject({
    sequencer_chain_id: 'sequencer-test-chain-0',
    sequencer_grpc: 'http://127.0.0.1:8080',
    sequencer_rpc: 'http://127.0.0.1:26657',
    rollup_name: 'messenger',
    native_denom: 'ntia',
    services: { rollup: { name: 'rollup', version: 'v0.1.0', download_url: '', local_path: '', args: [] } },
  });
});

test('keeps what is there when it is repeated, and writes what is missing to match it', () => {
  const paths = scratchInstance({ rollupName: 'parlour', portOffset: 100, chainId: 'my-chain' });
  const before = text(paths.networks);
  rmSync(paths.base);
  rmSync(paths.rollupGenesis);
  const report = initInstance(paths, { rollupName: 'other', portOffset: 7 });
  expect(report.written).toEqual(['config/base-config.toml', 'config/rollup_genesis.json']);
  expect(report.ignored).toEqual([
    '--rollup-name other: the instance has parlour and keeps it',
    '--port-offset 7: the instance has 100 and keeps it',
  ]);
  expect(text(paths.networks)).toBe(before);
  expect(json(paths.rollupGenesis)).toMatchObject({ rollup_name: 'parlour' });
  expect(parse(text(paths.base))).toMatchObject({
    rest_addr: '127.0.0.1:3130',
    svc_composer_grpc_addr: '127.0.0.1:50152',
  });
});

test('a genesis that is absent is derived at the start, before the first block and only then', () => {
  const paths = scratchInstance({ template: 'messenger,evm', rollupName: 'parlour', chainId: 'my-chain' });
  const before = [paths.rollupGenesis, paths.evmGenesis].map(text);
  for (const path of [paths.rollupGenesis, paths.evmGenesis, paths.sequencerGenesis]) rmSync(path);
  expect(deriveGenesis(readInstance(paths, 'local', {}))).toEqual([
    'config/rollup_genesis.json was absent: derived from networks.local',
    'config/evm_genesis.json was absent: derived from networks.local',
    'config/genesis.json was absent: derived from networks.local',
  ]);
  expect([paths.rollupGenesis, paths.evmGenesis].map(text)).toEqual(before);
  expect(json(paths.sequencerGenesis)).toMatchObject({ chain_id: 'my-chain' });
  rmSync(paths.sequencerGenesis);
  writeFileSync(join(paths.data, 'block'), '');
  expect(deriveGenesis(readInstance(paths, 'local', {}))).toEqual([]);
});

test('an unedited genesis follows the names of the network until the first block', () => {
  const paths = scratchInstance({ template: 'messenger,evm' });
  const instance = () => readInstance(paths, 'local', {});
  const made = valueAt(json(paths.sequencerGenesis), ['genesis_time']);
  const rename = (from: string, to: string) => writeFileSync(paths.networks, text(paths.networks).replace(from, to));
  expect(deriveGenesis(instance())).toEqual([]);
  rename('"messenger"', '"parlour"');
  rename('"sequencer-test-chain-0"', '"mine"');
  expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  expect(deriveGenesis(instance())).toEqual([
    'config/rollup_genesis.json was derived from other values: derived from networks.local',
    'config/evm_genesis.json was derived from other values: derived from networks.local',
    'config/genesis.json was derived from other values: derived from networks.local',
  ]);
  expect(json(paths.rollupGenesis)).toMatchObject({ rollup_name: 'parlour', sequencer_chain_id: 'mine' });
  expect(json(paths.sequencerGenesis)).toMatchObject({ chain_id: 'mine', genesis_time: made });
  writeFileSync(join(paths.data, 'block'), '');
  rename('"parlour"', '"salon"');
  expect(deriveGenesis(instance())).toEqual([]);
});

test('a genesis that was edited stays as it is, and follows no names any more', () => {
  const paths = scratchInstance();
  writeFileSync(paths.rollupGenesis, text(paths.rollupGenesis).replace('"messenger"', '"own"'));
  writeFileSync(paths.networks, text(paths.networks).replace('"messenger"', '"parlour"'));
  expect(deriveGenesis(readInstance(paths, 'local', {}))).toEqual([]);
  expect(json(paths.rollupGenesis)).toMatchObject({ rollup_name: 'own' });
});

test('an unedited genesis follows the key of the validator until the first block', () => {
  const paths = scratchInstance();
  writeFileSync(paths.validatorKey, validatorKeyFile());
  expect(deriveGenesis(readInstance(paths, 'local', {}))).toEqual([
    'config/genesis.json was derived from other values: derived from networks.local',
  ]);
  expect(valueAt(json(paths.validatorKey), ['pub_key'])).toEqual(
    jsonAt(json(paths.sequencerGenesis), ['validators', 0, 'pub_key']),
  );
});

test('shifts every port', () => {
  const paths = scratchInstance({ portOffset: 1000 });
  const ports = [...`${text(paths.base)}${text(paths.networks)}`.matchAll(/127\.0\.0\.1:(\d+)/g)];
  const found = [...new Set(ports.map(([, port]) => Number(port)))].sort((a, b) => a - b);
  expect(found).toEqual([
    ...[3451, 4000, 4030, 4033, 4034, 9080, 10000, 10001, 10002, 10003, 10008, 10009, 10020],
    ...[27657, 51051, 51052, 51053, 51054],
  ]);
});

test('keys are readable by their owner only, and each instance has its own validator', () => {
  const [first, second] = [scratchInstance(), scratchInstance()];
  for (const path of [first.validatorKey, first.composerKey]) expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(text(first.validatorKey)).not.toBe(text(second.validatorKey));
  expect(text(first.composerKey)).toBe(composerAccount.key);
  const validator = valueAt(json(first.sequencerGenesis), ['validators']);
  const { address, pub_key } = json(first.validatorKey) as { address: string; pub_key: unknown };
  expect(validator).toEqual([{ address, pub_key, power: '10', name: 'local' }]);
});

test('both genesis files name the development accounts', () => {
  const paths = scratchInstance({ nativeDenom: 'UNIT' });
  const state = valueAt(json(paths.sequencerGenesis), ['app_state']);
  expect(state).toMatchObject({
    native_asset_base_denomination: 'unit',
    allowed_fee_assets: ['unit'],
    authority_sudo_address: { bech32m: alice.address },
    fees: { init_bridge_account: { base: { lo: '48' }, multiplier: { lo: '0' } } },
    limits: { max_sequenced_bytes_per_block: '8388608', max_transaction_bytes: '1000000' },
  });
  expect(valueAt(state, ['accounts'])).toContainEqual({
    address: { bech32m: composerAccount.address },
    balance: { lo: '5000000000000000000' },
  });
  expect(json(paths.rollupGenesis)).toEqual({
    rollup_name: 'messenger',
    chain_id: 'messenger',
    sequencer_chain_id: 'sequencer-test-chain-0',
    sequencer_genesis_block_height: 0,
    da_genesis_block_height: 0,
    da_block_variance: 0,
    accounts: [alice, bob, faucetAccount].map(({ address }) => ({
      address: { bech32m: address },
      balance: { lo: '100000000000000000' },
    })),
    bridge_accounts: [{ bech32m: carol.address }],
    withdrawals: [{ bridge_account: { bech32m: carol.address }, asset: 'unit', minimum: 100 }],
    authority_sudo_address: { bech32m: alice.address },
    canonical_transactions: true,
  });
});

test.each([
  [{ rollupName: 'has space' }, '--rollup-name: expected 1 to 50 of A-Z a-z 0-9 _ . -, got "has space"'],
  [{ chainId: '' }, '--local-network-name: expected 1 to 50 of A-Z a-z 0-9 _ . -, got ""'],
  [{ nativeDenom: 'n/tia' }, '--local-native-denom: expected a name without / and spaces, such as ntia, got "n/tia"'],
  [
    { template: 'geth' },
    '--template: expected messenger (a rollup to chat on) or evm (an Ethereum rollup with JSON-RPC and a faucet) or messenger,evm (both, side by side) or empty (no rollup, and an example of how to add your own), got "geth"',
  ],
  [{ template: 'messager' }, 'got "messager"; did you mean "messenger"?'],
  [{ portOffset: 60_000 }, '--port-offset: expected a whole number from 0 to 15479, got 60000'],
  [{ template: 'evm,messenger', rollupName: 'evm' }, '--rollup-name evm: the EVM rollup has this name'],
])('refuses %j before it writes anything', (options, message) => {
  const paths = scratchPaths();
  expect(() => initInstance(paths, options)).toThrow(message);
  expect(statSync(paths.directory, { throwIfNoEntry: false })).toBeUndefined();
});

test('without a rollup there is an example of one, and the conductor only has to live', () => {
  const paths = scratchPaths();
  const report = initInstance(paths, { template: 'empty', portOffset: 10 });
  expect(report.written).not.toContain('config/rollup_genesis.json');
  const { services } = valueAt(parse(text(paths.networks)), ['networks', 'local']) as { services: unknown };
  expect(services).toEqual({
    sequencer: expect.anything(),
    composer: expect.anything(),
    da: expect.anything(),
    relayer: expect.anything(),
    conductor: expect.objectContaining({ ready: 'http://127.0.0.1:50064/healthz' }),
    explorer: expect.anything(),
  });
  // The commented-out table is a service once the marks are gone.
  const [before = '', example = ''] = text(paths.networks).split(/^(?=# Your rollup)/m);
  const uncommented = example.replace(/^# (?=\[|[a-z_]+ = )/gm, '').replace(/^#$/gm, '');
  expect(parse(before + uncommented)).toMatchObject({
    networks: { local: { services: { rollup: { ready: 'tcp://127.0.0.1:50061', env: { my_setting: 'value' } } } } },
  });
});

test('with an EVM rollup there are its genesis, the keys of its withdrawer and of two faucets, and who they give from', () => {
  const paths = scratchPaths();
  const report = initInstance(paths, { template: 'evm', chainId: 'my-chain', nativeDenom: 'nria' });
  expect(report.written).toEqual([
    'networks-config.toml',
    'config/base-config.toml',
    'config/priv_validator_key.json',
    'config/evm_genesis.json',
    'config/genesis.json',
    'config/composer_dev_priv_key',
    'config/execution_secret',
    'config/composer_secret',
    'config/relayer_dev_priv_key',
    'config/evm_withdrawer_dev_priv_key',
    'config/faucet_dev_priv_key',
    'config/sequencer_faucet_dev_priv_key',
  ]);
  for (const path of [paths.evmWithdrawerKey, paths.faucetKey, paths.sequencerFaucetKey])
    expect(statSync(path).mode & 0o777).toBe(0o600);
  const genesis = json(paths.evmGenesis);
  expect(valueAt(genesis, ['config', 'switchyard'])).toEqual({
    rollupName: 'evm',
    sequencer: { chainId: 'my-chain', addressPrefix: 'astria', startHeight: 1 },
    bridgeAddresses: [{ bridgeAddress: dave.address, assetDenom: 'nria', assetPrecision: 9 }],
  });
  const tenThousand = { balance: `0x${(10_000n * 10n ** 18n).toString(16)}` };
  const alloc = valueAt(genesis, ['alloc']);
  for (const { address } of evmAccounts) expect(valueAt(alloc, [address])).toEqual(tenThousand);
  expect(alloc).toHaveProperty([evmFaucetAccount.address]);
  const accounts = valueAt(json(paths.sequencerGenesis), ['app_state', 'accounts']);
  for (const { address } of [dave, faucetAccount])
    expect(accounts).toContainEqual(expect.objectContaining({ address: { bech32m: address } }));
});

test('the development accounts are those of the EVM node, and known by their checksums', () => {
  expect(evmAccounts.map(({ address, key }) => [address.toLowerCase(), `0x${key}`])).toEqual(
    DEV_ACCOUNTS.map(({ address, privateKey }) => [address, privateKey]),
  );
  expect(EVM_MNEMONIC).toBe(DEV_MNEMONIC);
  for (const { address } of [...evmAccounts, evmFaucetAccount])
    expect(checksummed(address.toLowerCase())).toBe(address);
});

test.each([
  [
    'evm',
    'evm',
    ['sequencer', 'composer', 'conductor', 'evm', 'evm-withdrawer', 'faucet', 'sequencer-faucet', 'explorer'],
  ],
  [
    'evm,messenger',
    'messenger',
    [
      'sequencer',
      'composer',
      'conductor',
      'rollup',
      'withdrawer',
      'messenger-faucet',
      'evm',
      'evm-conductor',
      'evm-withdrawer',
      'faucet',
      'sequencer-faucet',
      'explorer',
    ],
  ],
])('template %s is recognised again, and no two of its services want one port', (template, name, services) => {
  const paths = scratchInstance({ template, portOffset: 5 });
  expect(initInstance(paths, { template })).toMatchObject({ written: [], ignored: [] });
  const local = valueAt(parse(text(paths.networks)), ['networks', 'local']);
  expect(local).toMatchObject({ rollup_name: name });
  expect(Object.keys(valueAt(local, ['services']) as object)).toEqual(services);
  const planned = planServices(readInstance(paths, 'local', {}), {}, BUILT);
  const feeds = planned
    .filter(({ builtin }) => builtin === 'conductor')
    .map((service) => [service.name, service.needs]);
  expect(feeds).toEqual(
    template === 'evm'
      ? [['conductor', ['sequencer', 'evm']]]
      : [
          ['conductor', ['sequencer', 'rollup']],
          ['evm-conductor', ['sequencer', 'evm']],
        ],
  );
  const paid = planned.filter(({ builtin }) => builtin === 'faucet').map((service) => [service.name, service.needs]);
  expect(paid).toEqual([
    ...(template === 'evm' ? [] : [['messenger-faucet', ['rollup']]]),
    ['faucet', ['evm']],
    ['sequencer-faucet', ['sequencer']],
  ]);
});

test('repeated without a template, an instance keeps the one it has', () => {
  const paths = scratchInstance({ template: 'empty' });
  const report = initInstance(paths, {});
  expect([report.written, report.ignored]).toEqual([[], []]);
  expect(report).toMatchObject({ template: 'empty', added: [] });
});

test('a genesis without its validator key is not completed with a key that does not fit', () => {
  const paths = scratchInstance();
  rmSync(paths.validatorKey);
  expect(() => initInstance(paths, {})).toThrow(/priv_validator_key\.json: is absent, and .*genesis\.json names/);
});

test('a home that cannot be written is named', () => {
  const paths = scratchPaths();
  writeFileSync(paths.directory, 'a file where the directory belongs');
  expect(() => initInstance(paths, {})).toThrow(`${paths.config}: cannot be made: E`);
});

test('the secrets that services share differ, are readable by their owner only, and are new for each instance', () => {
  const [one, other] = [scratchInstance(), scratchInstance()];
  const secrets = [one, other].flatMap(({ executionSecret, composerSecret }) => [executionSecret, composerSecret]);
  for (const path of secrets) {
    expect(text(path)).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  expect(new Set(secrets.map(text)).size).toBe(4);
});

test('an instance without secrets gets them when it starts, and both ends get them', () => {
  const paths = scratchInstance({ template: 'messenger,evm' });
  for (const path of [paths.executionSecret, paths.composerSecret]) rmSync(path);
  writeFileSync(paths.base, text(paths.base).replace(/^.*secret_file.*\n/gm, ''));
  const planned = planServices(readInstance(paths, 'local', process.env), process.env, BUILT);
  makeSecrets(paths);
  const made = text(paths.executionSecret);
  makeSecrets(paths);
  expect(text(paths.executionSecret)).toBe(made);
  const getEnv = (label: string) => planned.find((service) => service.label === label)?.env;
  expect(getEnv('conductor')?.SVC_CONDUCTOR_EXECUTION_SECRET_FILE).toBe(paths.executionSecret);
  expect(getEnv('rollup')).toMatchObject({
    EXECUTION_SECRET_FILE: paths.executionSecret,
    COMPOSER_SECRET_FILE: paths.composerSecret,
  });
  expect(getEnv('evm')).toMatchObject({
    SVC_EVM_EXECUTION_SECRET_FILE: paths.executionSecret,
    SVC_EVM_COMPOSER_SECRET_FILE: paths.composerSecret,
  });
  expect(getEnv('composer')?.SVC_COMPOSER_GRPC_SECRET_FILE).toBe(paths.composerSecret);
  expect(JSON.stringify(planned)).not.toContain(made.trim());
});

test('with a data-availability layer there are its services, their settings follow, and blocks become firm by it', () => {
  const paths = scratchInstance({ dataAvailability: 'local', portOffset: 100 });
  expect(text(paths.relayerKey)).toBe(relayerAccount.key);
  expect(text(paths.base)).toContain(`${relayerAccount.address}:`);
  const instance = readInstance(paths, 'local', {});
  expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  const planned = planServices(instance, {}, BUILT);
  const getEnv = (name: string) => planned.find((each) => each.name === name)?.env;
  expect(getEnv('conductor')).toMatchObject({
    SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
    SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://127.0.0.1:26751',
    SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: 'local-da',
  });
  expect(getEnv('relayer')).toMatchObject({
    SVC_RELAYER_DA_GRPC_ENDPOINT: 'http://127.0.0.1:26752',
    SVC_RELAYER_DA_CHAIN_ID: 'local-da',
    SVC_RELAYER_SEQUENCER_GRPC_ENDPOINT: 'http://127.0.0.1:8180',
    SVC_RELAYER_SEQUENCER_CHAIN_ID: 'sequencer-test-chain-0',
  });
  // Files that are written again keep it.
  rmSync(paths.base);
  expect(initInstance(paths, {}).ignored).toEqual([]);
  expect(text(paths.base)).toContain('svc_da_db_filepath');
  expect(initInstance(paths, { dataAvailability: 'none' }).ignored).toEqual([
    '--data-availability none: the instance has local and keeps it',
  ]);
  expect(() => initInstance(scratchPaths(), { dataAvailability: 'avail' })).toThrow(
    '--data-availability: expected local, celestia or none, got "avail"',
  );
});
