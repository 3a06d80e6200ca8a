import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dave, faucetAccount } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import { checkInstance } from '../config/check/check.ts';
import { setNativeAsset, setRollupName, setSequencerChainId } from '../config/setconfig.ts';
import { readToml } from '../files/toml.ts';
import { readInstance } from '../instance/instance.ts';
import { removeNetwork } from '../networks/list.ts';
import { planServices } from '../services/services.ts';
import { BUILT, scratchInstance } from '../testing.ts';
import { addCometNetwork, nodeCounts } from './add.ts';
import { prepareNode } from './service.ts';

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** An instance with the network, and a program that stands for CometBFT. */
function made(validators: number, fullNodes = 0, template = 'messenger', dataAvailability = 'none') {
  const paths = scratchInstance({ portOffset: 100, template, dataAvailability });
  const written = addCometNetwork(paths, { validators, fullNodes });
  const program = join(paths.home, 'cometbft');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  const env = { SWITCHYARD_COMETBFT: program };
  const at = (...path: string[]) => join(paths.config, 'cometbft', ...path);
  return {
    paths,
    written,
    program,
    env,
    at,
    plan: () => planServices(readInstance(paths, 'cometbft', env), env, BUILT),
  };
}

test('every node has a home with its own keys, the genesis names those of the validators, and all know each other', () => {
  const { at } = made(3, 1);
  const keys = [0, 1, 2, 3].map((node) => json(at(`node-${node}`, 'config', 'priv_validator_key.json')).pub_key.value);
  const genesis = json(at('genesis.json'));
  expect(genesis.validators.map((each: { pub_key: { value: string } }) => each.pub_key.value)).toEqual(
    keys.slice(0, 3),
  );
  expect(new Set(genesis.validators.map((each: { power: string }) => each.power))).toEqual(new Set(['10']));
  const ids = [0, 1, 2, 3].map((node) => {
    const path = at(`node-${node}`, 'config', 'node_key.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const key = Buffer.from(json(path).priv_key.value, 'base64');
    return createHash('sha256').update(key.subarray(32)).digest('hex').slice(0, 40);
  });
  expect(new Set([...ids, ...keys]).size).toBe(8);
  expect(readToml(at('node-1', 'config', 'config.toml'))).toMatchObject({
    proxy_app: 'tcp://127.0.0.1:26768',
    rpc: { laddr: 'tcp://127.0.0.1:26767' },
    p2p: { persistent_peers: [0, 2, 3].map((node) => `${ids[node]}@127.0.0.1:${26_756 + 10 * node}`).join(',') },
  });
});

test('an EVM rollup runs there too, on a chain whose genesis has funds for its faucet and its bridge account', () => {
  const { paths, at, plan, env } = made(2, 0, 'messenger,evm');
  expect(checkInstance(paths, { env, builtins: BUILT })).toEqual([]);
  const services = plan().filter(({ name }) => /evm|faucet/.test(name));
  expect(
    services.map(({ name, env: { SVC_EVM_DB_FILEPATH, SVC_FAUCET_DB_FILEPATH } }) => [
      name,
      SVC_EVM_DB_FILEPATH,
      SVC_FAUCET_DB_FILEPATH,
    ]),
  ).toEqual(
    ['evm', 'evm-conductor', 'evm-withdrawer', 'messenger-faucet', 'faucet', 'sequencer-faucet'].map((name) => [
      name,
      join(paths.data, name === 'evm' ? 'cometbft/evm' : 'evm'),
      join(paths.data, name.includes('faucet') ? `cometbft/${name}` : 'faucet'),
    ]),
  );
  expect(readFileSync(at('evm_genesis.json'), 'utf8')).toBe(readFileSync(paths.evmGenesis, 'utf8'));
  const funded = json(at('genesis.json')).app_state.accounts.map(
    (each: { address: { bech32m: string } }) => each.address.bech32m,
  );
  expect(funded).toEqual(expect.arrayContaining([dave.address, faucetAccount.address]));
});

test('each node is two services: the application, and the CometBFT that comes after it', () => {
  const { plan, program, paths } = made(2);
  const services = plan();
  expect(services.map(({ name, after }) => [name, after])).toEqual([
    ['sequencer-0', []],
    ['sequencer-1', []],
    ['composer', []],
    ['rollup', []],
    ['conductor', []],
    ['withdrawer', []],
    ['messenger-faucet', []],
    ['explorer', []],
    ['cometbft-0', ['sequencer-0']],
    ['cometbft-1', ['sequencer-1']],
  ]);
  expect(services.find(({ name }) => name === 'sequencer-1')).toMatchObject({
    builtin: 'sequencer',
    ready: { kind: 'tcp', host: '127.0.0.1', port: 26_768 },
    env: { SVC_SEQUENCER_ENGINE: 'cometbft', SVC_SEQUENCER_COMETBFT_RPC_URL: 'http://127.0.0.1:26767' },
  });
  expect(services.find(({ name }) => name === 'cometbft-1')).toMatchObject({
    command: program,
    args: ['start', '--home', join(paths.config, 'cometbft', 'node-1')],
    endless: true,
    ready: { kind: 'http', url: 'http://127.0.0.1:26767/health', port: 26_767 },
    ports: [
      { use: 'CometBFT RPC', port: 26_767 },
      { use: 'peers', port: 26_766 },
      { use: 'metrics', host: '127.0.0.1', port: 26_770 },
    ],
    // The pace of base-config.toml.
    env: { CMT_CONSENSUS_TIMEOUT_COMMIT: '1000ms', CMT_INSTRUMENTATION_PROMETHEUS: 'true' },
  });
});

// Defect: Two services on port 9010 with `dev run --engine cometbft --validators 4`
test('no two services have one port, however many nodes there are, with a layer and all rollups', () => {
  const ports = made(32, 0, 'messenger,evm', 'local')
    .plan()
    .flatMap((service) => service.ports);
  expect(new Set(ports.map(({ port }) => port)).size).toBe(ports.length);
});

test('everything in the files of it agrees; an address of no node is found', () => {
  const { paths, env } = made(3, 1);
  expect(checkInstance(paths, { env, builtins: BUILT })).toEqual([]);
  const text = readFileSync(paths.networks, 'utf8');
  const composer = '[networks.cometbft.services.composer.env]\n';
  const conductor = '[networks.cometbft.services.conductor.env]\n';
  const wrong = 'http://127.0.0.1:26757,http://127.0.0.1:26778';
  writeFileSync(
    paths.networks,
    `${text.replace(composer, `${composer}svc_composer_sequencer_abci_endpoint = "${wrong}"\n`)}
${conductor}svc_conductor_sequencer_cometbft_url = "${wrong}"\n`,
  );
  expect(checkInstance(paths, { env, builtins: BUILT }).map(({ problem }) => problem)).toEqual([
    'svc_composer_sequencer_abci_endpoint contradicts networks.cometbft.sequencer_rpc',
    'svc_conductor_sequencer_cometbft_url contradicts networks.cometbft.sequencer_rpc',
  ]);
});

test('its names are its own: another one there changes nothing of the local network', () => {
  const { paths, env } = made(1);
  const target = { network: 'cometbft', env };
  const local = () =>
    [paths.base, paths.sequencerGenesis, paths.rollupGenesis].map((path) => readFileSync(path, 'utf8'));
  const before = local();
  setRollupName(paths, target, 'parlour');
  setSequencerChainId(paths, target, 'other-chain');
  setNativeAsset(paths, target, 'coin');
  expect(local()).toEqual(before);
  expect(checkInstance(paths, { env, builtins: BUILT })).toEqual([]);
  setSequencerChainId(paths, { network: 'local', env }, 'third-chain');
  expect(checkInstance(paths, { env, builtins: BUILT })).toEqual([]);
});

test('without the program one line has how to get it; an invalid path is named', () => {
  const { paths } = made(1);
  const plan = (env: NodeJS.ProcessEnv) => () => planServices(readInstance(paths, 'cometbft', env), env, BUILT);
  expect(plan({ PATH: '/nowhere' })).toThrow(
    /^cometbft 0\.38\.\d+ is not here: `switchyard dev install cometbft --instance test --home \S+` gets it/,
  );
  expect(plan({ SWITCHYARD_COMETBFT: '/nowhere' })).toThrow(
    'SWITCHYARD_COMETBFT=/nowhere: expected the path of a program',
  );
  mkdirSync(paths.bin);
  writeFileSync(join(paths.bin, 'cometbft'), '', { mode: 0o755 });
  expect(plan({ PATH: '/nowhere' })().at(-1)?.command).toBe(join(paths.bin, 'cometbft'));
});

test('making it again changes nothing, and completes what is absent; other numbers are refused', () => {
  const { paths, at } = made(2, 1);
  const genesis = readFileSync(at('genesis.json'), 'utf8');
  expect(addCometNetwork(paths, {})).toEqual([]);
  rmSync(at('node-2', 'config', 'config.toml'));
  expect(addCometNetwork(paths, { validators: 2 })).toEqual(['config/cometbft/node-2/config/config.toml']);
  expect(() => addCometNetwork(paths, { validators: 3 })).toThrow(
    'the network cometbft has 2 validators and 1 full nodes, asked for are 3 and 1',
  );
  expect(readFileSync(at('genesis.json'), 'utf8')).toBe(genesis);
});

test('after its removal it can be made with more nodes; the keys stay, and stored blocks stand in the way', () => {
  const { paths, at } = made(2);
  const key = readFileSync(at('node-0', 'config', 'priv_validator_key.json'), 'utf8');
  removeNetwork(paths, 'cometbft');
  const stored = join(paths.data, 'cometbft');
  mkdirSync(stored);
  expect(() => addCometNetwork(paths, { validators: 3 })).toThrow(
    `${stored} holds their blocks: \`switchyard dev reset state`,
  );
  rmSync(stored, { recursive: true });
  addCometNetwork(paths, { validators: 3 });
  expect(json(at('genesis.json')).validators).toHaveLength(3);
  expect(readFileSync(at('node-0', 'config', 'priv_validator_key.json'), 'utf8')).toBe(key);
  expect(readToml(at('node-0', 'config', 'config.toml'))).toMatchObject({
    p2p: {
      persistent_peers: expect.stringMatching(/^[0-9a-f]{40}@127\.0\.0\.1:26766,[0-9a-f]{40}@127\.0\.0\.1:26776$/),
    },
  });
});

test('a node that has not run gets its empty note of signatures; one that has blocks never does', () => {
  const { plan } = made(1);
  const [comet] = plan().flatMap((service) => service.comet ?? []);
  if (comet === undefined) throw new Error('no CometBFT is planned');
  prepareNode(comet);
  expect(json(comet.signState)).toEqual({ height: '0', round: 0, step: 0 });
  expect(statSync(comet.signState).mode & 0o777).toBe(0o600);
  writeFileSync(join(comet.signState, '..', 'block'), '');
  rmSync(comet.signState);
  expect(() => prepareNode(comet)).toThrow('without it the node could sign two blocks of one height');
  expect(existsSync(comet.signState)).toBe(false);
});

test.each([
  ['0', undefined, '--validators: expected a whole number from 1 to 32, got "0"'],
  ['four', undefined, '--validators: expected a whole number from 1 to 32, got "four"'],
  [undefined, '-1', '--full-nodes: expected a whole number from 0 to 32, got "-1"'],
  ['30', '3', '--validators and --full-nodes: expected at most 32 nodes together'],
])('numbers that cannot be are refused: %s and %s', (validators, fullNodes, message) => {
  expect(() => nodeCounts(validators, fullNodes)).toThrow(message);
});
