import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { alice } from '@switchyard/network/accounts';
import { findMark } from '@switchyard/network/supervisor/processes';
import { expect, test } from 'vitest';
import { jsonText } from '../../print.ts';
import { checkInstance } from '../config/check/check.ts';
import { readInstance } from '../instance/instance.ts';
import { BUILT, scratchInstance } from '../testing.ts';
import { addNetwork } from './add.ts';
import { listNetworks, removeNetwork } from './list.ts';
import type { RemoteNode } from './node.ts';

const URLS = { name: 'far', grpc: 'http://far:1', rpc: 'http://far:2' };

function node(more: Partial<RemoteNode> = {}): RemoteNode {
  return {
    status: async () => ({ chainId: 'far-1', height: 1234n }),
    feeAssets: async () => ['utia', 'ntia'],
    checkGrpc: async () => {},
    balance: async () => 0n,
    ...more,
  };
}

const text = (path: string) => readFileSync(path, 'utf8');

test('writes a block that agrees with everything, and leaves the rest of the file as it is', async () => {
  const paths = scratchInstance();
  const before = text(paths.networks);
  const added = await addNetwork(paths, URLS, node());
  expect(added).toMatchObject({ chainId: 'far-1', asset: 'utia', rollupName: 'messenger', height: 1234 });
  expect(text(paths.networks).startsWith(before.trimEnd())).toBe(true);
  expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  const { network } = readInstance(paths, 'far', {});
  expect(network.services.map(({ label, env }) => [label, env])).toEqual([
    [
      'composer',
      {
        svc_composer_private_key_file: join(paths.config, 'far_composer_priv_key'),
        svc_composer_fee_asset: 'utia',
        svc_composer_db_filepath: join(paths.data, 'far', 'composer'),
        svc_composer_max_bytes_per_bundle: '200000',
      },
    ],
    ['conductor', {}],
    [
      'rollup',
      {
        genesis_filepath: join(paths.config, 'far_rollup_genesis.json'),
        db_filepath: join(paths.data, 'far', 'rollup'),
      },
    ],
    [
      'messenger-faucet',
      expect.objectContaining({ svc_faucet_db_filepath: join(paths.data, 'far', 'messenger-faucet') }),
    ],
  ]);
  expect(JSON.parse(text(join(paths.config, 'far_rollup_genesis.json')))).toMatchObject({
    rollup_name: 'messenger',
    sequencer_chain_id: 'far-1',
    sequencer_genesis_block_height: 1234,
    bridge_accounts: [],
  });
});

test('an EVM rollup begins there at the present block, with its own state, and believes no published account', async () => {
  const paths = scratchInstance({ template: 'messenger,evm' });
  await addNetwork(paths, URLS, node());
  expect(checkInstance(paths, { env: {}, builtins: BUILT })).toEqual([]);
  const { network } = readInstance(paths, 'far', {});
  const labels = ['composer', 'conductor', 'rollup', 'messenger-faucet', 'evm', 'evm-conductor', 'faucet'];
  expect(network.services.map(({ label }) => label)).toEqual(labels);
  expect(network.services.find(({ label }) => label === 'evm')?.env).toEqual({
    svc_evm_genesis_filepath: join(paths.config, 'far_evm_genesis.json'),
    svc_evm_db_filepath: join(paths.data, 'far', 'evm'),
  });
  expect(JSON.parse(text(join(paths.config, 'far_evm_genesis.json'))).config.switchyard).toEqual({
    rollupName: 'evm',
    sequencer: { chainId: 'far-1', addressPrefix: 'astria', startHeight: 1235 },
    bridgeAddresses: [],
  });
  await expect(addNetwork(paths, { ...URLS, name: 'other', rollupName: 'evm' }, node())).rejects.toThrow(
    '--rollup-name evm: the EVM rollup has this name',
  );
  const alone = scratchInstance({ template: 'evm' });
  await addNetwork(alone, { ...URLS, rollupName: 'mine' }, node());
  const again = addNetwork(alone, { ...URLS, name: 'far', rollupName: 'mine' }, node());
  await expect(again).rejects.toThrow('there is a network far already');
  removeNetwork(alone, 'far');
  const later = await addNetwork(alone, URLS, node({ status: async () => ({ chainId: 'far-1', height: 9_999n }) }));
  expect(later).toMatchObject({ rollupName: 'mine', height: 1234 });
});

test('the composer gets a key of its own, which only its owner can read and nothing shows', async () => {
  const paths = scratchInstance();
  const added = await addNetwork(paths, URLS, node());
  const key = text(added.composer.keyFile);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(added.composer.keyFile).mode & 0o777).toBe(0o600);
  expect(jsonText(added)).not.toContain(key);
  expect(text(paths.networks)).not.toContain(key);
});

test('an instance without a rollup gets none there either', async () => {
  const paths = scratchInstance({ template: 'empty' });
  const added = await addNetwork(paths, URLS, node());
  expect(added.written).toEqual([paths.networks, join(paths.config, 'far_composer_priv_key')]);
  expect(readInstance(paths, 'far', {}).network.services.map(({ label }) => label)).toEqual(['composer', 'conductor']);
});

test('a published key is refused, unless that is what is wanted', async () => {
  const paths = scratchInstance();
  const options = { ...URLS, keyFile: paths.composerKey };
  await expect(addNetwork(paths, options, node())).rejects.toThrow(/this is a published test key, .* --allow-dev-key$/);
  await addNetwork(paths, { ...options, allowDevKey: true }, node());
  expect(readInstance(paths, 'far', {}).network.services[0]?.env).toMatchObject({
    svc_composer_private_key_file: paths.composerKey,
    svc_composer_allow_dev_key: 'true',
  });
});

test.each<[string, Partial<Parameters<typeof addNetwork>[1]>, Partial<RemoteNode>, string]>([
  ['a bad name', { name: 'Far!' }, {}, 'network name: expected lower-case letters'],
  ['a name that is taken', { name: 'local' }, {}, 'there is a network local already: choose another name'],
  ['a bad rollup name', { rollupName: 'a b' }, {}, '--rollup-name: expected 1 to 50'],
  ['a bad asset', { asset: 'a/b' }, {}, '--asset: expected an asset such as'],
  ['another chain', { chainId: 'x' }, {}, '--chain-id x: the sequencer at http://far:2 is of chain far-1'],
  [
    'a node without fee assets',
    {},
    { feeAssets: async () => [] },
    'names no asset that pays fees: give one with --asset',
  ],
  [
    'an absent key',
    { keyFile: '/no/key' },
    {},
    '/no/key: no such file: make one with `switchyard sequencer account create --out /no/key`',
  ],
])('%s is refused before anything is written', async (_, more, answers, message) => {
  const paths = scratchInstance();
  const before = text(paths.networks);
  await expect(addNetwork(paths, { ...URLS, ...more }, node(answers))).rejects.toThrow(message);
  expect(text(paths.networks)).toBe(before);
  expect(existsSync(join(paths.config, 'far_composer_priv_key'))).toBe(false);
});

test('when the network file cannot be written, no key is left behind', async () => {
  const paths = scratchInstance();
  mkdirSync(`${paths.networks}.new`);
  await expect(addNetwork(paths, URLS, node())).rejects.toThrow(`${paths.networks}: cannot be written: `);
  expect(existsSync(join(paths.config, 'far_composer_priv_key'))).toBe(false);
});

test('a removed network comes back with its key, its rollup and its beginning', async () => {
  const paths = scratchInstance();
  const before = text(paths.networks);
  const first = await addNetwork(paths, { ...URLS, rollupName: 'parlour' }, node());
  removeNetwork(paths, 'Far');
  expect(text(paths.networks)).toBe(before);
  const again = await addNetwork(paths, URLS, node({ status: async () => ({ chainId: 'far-1', height: 9999n }) }));
  expect(again).toMatchObject({ composer: first.composer, rollupName: 'parlour', height: 1234 });
  removeNetwork(paths, 'far');
  await expect(addNetwork(paths, { ...URLS, rollupName: 'salon' }, node())).rejects.toThrow(
    /^--rollup-name salon: .*far_rollup_genesis\.json is there from an earlier network far and calls the rollup parlour/,
  );
});

test('networks are listed, and the last, an unknown or a running one is not removed', async () => {
  const paths = scratchInstance();
  expect(() => removeNetwork(paths, 'local')).toThrow('local is the only network');
  await addNetwork(paths, URLS, node());
  writeFileSync(
    paths.run,
    JSON.stringify({
      tool: findMark(process.pid),
      network: 'far',
      startedAt: '2025-01-01T00:00:00Z',
      id: 'of-a-test',
      programs: {},
      services: [],
    }),
  );
  expect(listNetworks(paths, {}).map(({ name, kind, running }) => [name, kind, running])).toEqual([
    ['local', 'local', false],
    ['far', 'remote', true],
  ]);
  expect(() => removeNetwork(paths, 'far')).toThrow('network far runs: stop it first');
  expect(() => removeNetwork(paths, 'fra')).toThrow('no network "fra", there is local, far; did you mean "far"?');
  expect(text(paths.networks)).not.toContain(alice.key);
});
