import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fields as conductorFields } from '@switchyard/conductor/config';
import { fields as daFields } from '@switchyard/da/config';
import { fields as faucetFields } from '@switchyard/faucet/config';
import { fields as rollupFields } from '@switchyard/messenger/config';
import { fields as relayerFields } from '@switchyard/relayer/config';
import { loadConfig } from '@switchyard/service/settings';
import { fields as withdrawerFields } from '@switchyard/withdrawer/config';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readManifest } from '../manifest/read.ts';
import { renderCompose } from './compose.ts';

/** Account of the published key of relayers in development. */
const ACCOUNT = 'celestia1e0dp5sk98u6ks8dey4zdhrp3p8tka65u8yppet';

interface Service {
  readonly image: string;
  readonly user: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
}

const manifest = (extra = '', host = 'sequencer', level = 'SoftIsFirm') =>
  readManifest(`config:
  rollup:
    name: cosmic
    executionCommitLevel: ${level}
    genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }]
  sequencer: { initialBlockHeight: '2', chainId: main, rpc: 'http://${host}:26657' }
${extra}`).manifest;

const composeOfLayer = (extra = 'da-node: { kind: local }') => composed(extra, 'sequencer', 'SoftAndFirm');

const composed = (...item: Parameters<typeof manifest>) => {
  const { files, ...rest } = renderCompose(manifest(...item), ACCOUNT);
  const { services, volumes, secrets } = parse(files.get('compose.yaml') ?? '', { version: '1.1' });
  return { ...rest, files, services: services as Readonly<Record<string, Service>>, volumes, keys: secrets };
};

test('the files in deploy are made from the manifest beside them', () => {
  const deploy = join(import.meta.dirname, '..', '..', '..', '..', 'deploy');
  const read = (name: string) => readFileSync(join(deploy, name), 'utf8');
  const { files } = renderCompose(readManifest(read('compose/cosmic-rollup-conf.yaml')).manifest, ACCOUNT);
  for (const [name, text] of files) expect([name, read(name)]).toEqual([name, text]);
});

test('no service may more than it needs, and all that is published is so on this machine alone', () => {
  for (const service of Object.values(composed().services)) {
    expect(service).toMatchObject({
      ...{ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      user: expect.stringMatching(/^\$\{SWITCHYARD_USER:-65532:65532\}$/),
    });
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  }
});

test('what services name is there', () => {
  const { services, volumes, keys, files, secrets, genesis } = composed();
  const places = [...files.keys(), ...secrets, genesis].map((path) => `./${path}`);
  for (const { secrets: own = [], volumes: mounts = [], network_mode: mode } of Object.values(services)) {
    for (const name of own) expect(places).toContain(keys[name].file);
    for (const { type, source } of mounts) expect(type === 'volume' ? Object.keys(volumes) : places).toContain(source);
    if (mode !== undefined) expect(Object.keys(services)).toContain(mode.replace('service:', ''));
  }
  expect(Object.keys(services).sort()).toEqual(
    ['composer', 'conductor', 'evm', 'explorer', 'faucet', 'node-network', 'sequencer'].sort(),
  );
});

test('a sequencer elsewhere is no service, and then published keys are refused', () => {
  const { services, secrets, genesis } = composed('', 'sequencer.example.com');
  expect([Object.keys(services).includes('sequencer'), genesis]).toEqual([false, undefined]);
  expect(secrets).toEqual(['compose/secrets/composer-key', 'compose/secrets/faucet-key']);
  expect(services.composer?.environment).not.toHaveProperty('SVC_COMPOSER_ALLOW_DEV_KEY');
  expect(composed().services.composer?.environment).toMatchObject({ SVC_COMPOSER_ALLOW_DEV_KEY: 'true' });
});

test('withdrawals are paid by a service with a key of its own, where the manifest has it', () => {
  const item = {
    ...manifest(),
    bridgeAddress: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
    bridgeWithdrawer: true,
  };
  const { files, secrets } = renderCompose({ ...item, withdrawerEnabled: true }, ACCOUNT);
  expect(secrets).toContain('compose/secrets/withdrawer-key');
  const { services, volumes } = parse(files.get('compose.yaml') ?? '', { version: '1.1' });
  expect(services.withdrawer).toMatchObject({ secrets: ['withdrawer-key'], ports: ['127.0.0.1:2451:2451'] });
  expect(volumes).toHaveProperty('withdrawer');
  expect(loadConfig(withdrawerFields, services.withdrawer.environment)).toMatchObject({
    ...{ kind: 'evm', rollupUrl: 'http://evm:8545', commitment: 'firm', allowedHosts: ['withdrawer'] },
    ...{ privateKeyFile: '/run/secrets/withdrawer-key', bridgeAddress: { address: item.bridgeAddress } },
  });
  expect(renderCompose(item, ACCOUNT).files.get('compose.yaml')).not.toContain('withdrawer');
});

test('a rollup of an author is a service of the same kind, with an image of its own or the messenger of ours', () => {
  const bridge = { bech32m: 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm' };
  const text = (more = '') => `config:
  rollup:
    name: market
    kind: defined
    genesis: '${JSON.stringify({ bridge_accounts: [bridge], withdrawals: [{ bridge_account: bridge, asset: 'nria' }] })}'
${more}
  sequencer: { initialBlockHeight: '2', chainId: main, rpc: 'http://sequencer:26657' }
withdrawer: { enabled: true }
faucet: { enabled: true, asset: gold }`;
  const getServices = (more?: string) => {
    const { files } = renderCompose(readManifest(text(more)).manifest, ACCOUNT);
    expect(files.get('compose/rollup_genesis.json')).toContain('"rollup_name":"market-chain"');
    return parse(files.get('compose.yaml') ?? '', { version: '1.1' }).services;
  };
  const services = getServices();
  expect(services.rollup).toMatchObject({ network_mode: 'service:node-network', volumes: expect.any(Array) });
  expect(services.rollup.entrypoint.at(-1)).toBe('/app/bin/messenger.mjs');
  expect(services['node-network']).toMatchObject({
    ...{ ports: ['127.0.0.1:3030:3030'], networks: { default: { aliases: ['rollup'] } } },
  });
  expect(loadConfig(rollupFields, services.rollup.environment)).toMatchObject({
    ...{ restAddr: { port: 3_030 }, sequencerChainId: 'main', allowedHosts: ['rollup'] },
    genesisFilepath: services.rollup.volumes[1].target,
  });
  expect(services.explorer.environment.SVC_EXPLORER_ROLLUP_URLS).toBe('http://rollup:3030');
  expect(loadConfig(withdrawerFields, services.withdrawer.environment)).toMatchObject({
    ...{ kind: 'framework', rollupUrl: 'http://rollup:3030', bridgeAddress: { address: bridge.bech32m } },
  });
  expect(loadConfig(faucetFields, services.faucet.environment)).toMatchObject({
    ...{ kind: 'rollup', rollupUrl: 'http://rollup:3030', asset: 'gold', privateKeyFile: '/run/secrets/faucet-key' },
  });
  const own = getServices('    image: market:1').rollup;
  expect(own).toMatchObject({
    image: 'market:1',
    environment: { NODE_OPTIONS: expect.stringMatching(/heap|old-space/) },
  });
  expect(own).not.toHaveProperty('entrypoint');
});

test('the local layer and a relayer are on the loopback of the conductor, and are published nowhere', () => {
  const { services, volumes, secrets, files } = composeOfLayer();
  for (const name of ['da', 'relayer', 'conductor']) {
    expect(services[name]).toMatchObject({ network_mode: 'service:node-network' });
    expect(services[name]).not.toHaveProperty('ports');
  }
  const [layer, relayer, conductor] = [
    loadConfig(daFields, services.da?.environment ?? {}),
    loadConfig(relayerFields, services.relayer?.environment ?? {}),
    loadConfig(conductorFields, services.conductor?.environment ?? {}),
  ];
  expect(layer).toMatchObject({ apiListenAddr: { host: '127.0.0.1' }, genesisAccounts: [{ address: ACCOUNT }] });
  expect(relayer).toMatchObject({
    daGrpcEndpoint: ['http://127.0.0.1:26652'],
    daChainId: layer.chainId,
    sequencerGrpcEndpoint: ['http://sequencer:8080'],
    privateKeyFile: '/run/secrets/relayer-key',
  });
  expect(conductor).toMatchObject({
    celestiaNodeHttpUrl: 'http://127.0.0.1:26651',
    expectedCelestiaChainId: layer.chainId,
  });
  // It is reachable by others, under the name of the node.
  expect(relayer).toMatchObject({ apiListenAddr: { host: '0.0.0.0', port: 2450 }, allowedHosts: ['evm'] });
  expect(services.explorer?.environment?.SVC_EXPLORER_RELAYER_URL).toBe('http://evm:2450');
  for (const name of ['da', 'relayer', 'conductor']) expect(Object.keys(volumes)).toContain(name);
  expect(secrets).toContain('compose/secrets/relayer-key');
  // The account is in it, and no key.
  expect(files.get('compose.yaml')).not.toMatch(/[0-9a-f]{64}/);
});

test('the token of a node elsewhere is a file of the conductor alone', () => {
  const node = `{ kind: external, url: 'http://light:26658', hasToken: true, config: { network: a, trustedHeight: 1, trustedHash: ${'ab'.repeat(32)} } }`;
  const { services, secrets } = composeOfLayer(`da-node: ${node}`);
  expect(secrets).toContain('compose/secrets/da-token');
  expect(services.conductor).toMatchObject({
    secrets: ['da-token'],
    environment: { SVC_CONDUCTOR_CELESTIA_TOKEN_FILE: '/run/secrets/da-token' },
  });
  expect(Object.values(services).filter((each) => each.secrets?.includes('da-token'))).toHaveLength(1);
  expect(services).not.toHaveProperty('relayer');
});

test('what an engine would take for a variable stays text', () => {
  const odd = { ...manifest(), sequencerGrpc: 'http://sequencer:8080/$HOME' };
  expect(renderCompose(odd, ACCOUNT).files.get('compose.yaml')).toContain('http://sequencer:8080/$$HOME');
});

test.each([
  ['localhost', '', /config\.sequencer\.rpc: expected an address that containers can reach/],
  ['sequencer', 'explorer: { postgresSecret: db }', /explorer\.postgresSecret: expected nothing/],
  ['sequencer', 'da-node: { config: { network: mocha-5 } }', /da-node\.kind: expected external or local/],
  [
    'sequencer',
    'da-node: { kind: external, url: "http://127.0.0.1:26658", config: { network: mocha-5 } }',
    /da-node\.url: expected an address that containers can reach/,
  ],
])('refuses what it cannot run: %s %s', (host, extra, message) => {
  expect(() => composed(extra, host)).toThrow(message);
});
