import { fields as conductorFields } from '@switchyard/conductor/config';
import { loadConfig } from '@switchyard/service/settings';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.js';
import { expect, test } from 'vitest';
import { readManifest } from '../manifest/read.ts';
import { getSettings } from './settings.ts';
import { localSite } from './site.ts';
import { getWorkloads } from './workloads.ts';

const HASH = 'ab12cd34'.repeat(8);
const AUTHOR = 'celestia1e0dp5sk98u6ks8dey4zdhrp3p8tka65u8yppet';
const NODE = 'http://light.main:26658';
const FIRM = 'executionCommitLevel: SoftAndFirm';
const keys = { sequencer: 'ab'.repeat(32), faucet: 'cd'.repeat(32), daToken: 'a.read.token' };

const getManifest = (daNode: string, level = FIRM) =>
  readManifest(`config:
  rollup: { name: cosmic, genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }], ${level} }
  sequencer: { initialBlockHeight: '42', chainId: main, rpc: 'http://sequencer.main:26657' }
da-node: { ${daNode} }
`).manifest;
const trusted = `network: mocha-5, trustedHeight: 77, trustedHash: ${HASH}, authors: ${AUTHOR}`;
const elsewhere = (more = '') => getManifest(`kind: external, url: '${NODE}'${more}, config: { ${trusted} }`);

test('a node elsewhere is what the conductor reads, with its token in a Secret of the rollup', () => {
  const objects = getWorkloads(elsewhere(', hasToken: true'), keys);
  expect(objects.filter(({ metadata }) => metadata?.name?.includes('da-light'))).toEqual([]);
  const find = <T>(kind: string, name: string) =>
    // The kind determines the type.
    objects.find((each) => each.kind === kind && each.metadata?.name === name) as T | undefined;
  expect(find<Secret>('Secret', 'cosmic-da-token')?.stringData).toEqual({ 'read-token': keys.daToken });
  const settings = find<ConfigMap>('ConfigMap', 'cosmic-conductor-settings')?.data ?? {};
  expect(loadConfig(conductorFields, settings)).toMatchObject({
    executionCommitLevel: 'SoftAndFirm',
    celestiaNodeHttpUrl: NODE,
    celestiaTokenFile: '/etc/switchyard/key/read-token',
    expectedCelestiaChainId: 'mocha-5',
    celestiaTrustedHeight: 77,
    celestiaAuthors: [AUTHOR],
    celestiaHeaderFilepath: '/data/conductor/celestia-header.json',
  });
  const { volumes = [], containers = [] } = find<StatefulSet>('StatefulSet', 'cosmic-evm')?.spec?.template.spec ?? {};
  expect(volumes.map(({ secret }) => secret?.secretName)).toContain('cosmic-da-token');
  const mounts = Object.fromEntries(containers.map(({ name, volumeMounts = [] }) => [name, volumeMounts]));
  expect(mounts.conductor?.map(({ name }) => name)).toContain('da-token');
  expect(mounts.composer?.map(({ name }) => name)).not.toContain('da-token');
});

test('the explorer of a rollup asks the relayer of its sequencer for the heights of the layer', () => {
  const relayer = 'http://sequencer-relayer.main.svc:2450';
  const settings = getSettings('explorer', elsewhere(`, relayer: '${relayer}'`));
  expect(settings.SVC_EXPLORER_RELAYER_URL).toBe(relayer);
  expect(getSettings('explorer', elsewhere())).not.toHaveProperty('SVC_EXPLORER_RELAYER_URL');
});

test('a node that asks for no token gets none', () => {
  const objects = getWorkloads(elsewhere(), { sequencer: keys.sequencer, faucet: keys.faucet });
  expect(objects.filter(({ metadata }) => metadata?.name === 'cosmic-da-token')).toEqual([]);
  expect(getSettings('conductor', elsewhere())).not.toHaveProperty('SVC_CONDUCTOR_CELESTIA_TOKEN_FILE');
});

test('on this machine the conductor reads the local layer beside it, which is believed about its first block', () => {
  const site = localSite(getManifest('kind: local'), {
    ...{ directory: '/d', proxyPort: 1 },
    port: (process, port) => (process === 'da' && port === 'rpc' ? 7 : 9),
  });
  const config = loadConfig(conductorFields, getSettings('conductor', getManifest('kind: local'), { site }));
  expect(config).toMatchObject({
    executionCommitLevel: 'SoftAndFirm',
    celestiaNodeHttpUrl: 'http://127.0.0.1:7',
    expectedCelestiaChainId: 'local-da',
    celestiaTrustedHash: undefined,
    celestiaHeaderFilepath: '/d/data/conductor/celestia-header.json',
  });
});

test.each([
  ['a node elsewhere without its address', 'kind: external, config: { network: a }', /da-node\.url: expected a URL/],
  [
    'one without its network',
    `kind: external, url: '${NODE}'`,
    /da-node\.config\.network: expected the chain id of the network of that node/,
  ],
  [
    'one that is not on this machine, without a block that is known to be right',
    `kind: external, url: '${NODE}', config: { network: a }`,
    /trustedHeight: expected the height of a block of a that you know/,
  ],
  [
    'a relayer elsewhere beside the local layer',
    "kind: local, relayer: 'http://relayer:2450'",
    /da-node\.relayer: expected nothing, since da-node\.kind is local/,
  ],
  ['an address of the light node', `url: '${NODE}'`, /da-node\.kind: expected external, as da-node\.url is, got light/],
  [
    'the local layer with an address',
    `kind: local, url: '${NODE}'`,
    /da-node\.url: expected nothing, since .* is local/,
  ],
  ['the local layer by another name', 'kind: local, config: { network: a }', /network: expected nothing, since/],
  ['the local layer with a token', 'kind: local, hasToken: true', /hasToken: expected false, since the local layer/],
  [
    'what only the light node takes',
    `kind: external, url: '${NODE}', config: { ${trusted}, syncFromHeight: 7 }`,
    /syncFromHeight: expected nothing, since da-node\.kind is external, got 7/,
  ],
  [
    'an author that is no address',
    `kind: external, url: '${NODE}', config: { network: a, authors: alice }`,
    /authors: expected addresses of Celestia/,
  ],
])('refuses %s', (_, daNode, message) => {
  expect(() => getManifest(daNode)).toThrow(message);
});

test('a node on this machine needs no trusted block, and no container reaches it', () => {
  const manifest = getManifest("kind: external, url: 'http://127.0.0.1:26658', config: { network: local-da }");
  expect(() => getWorkloads(manifest, keys)).toThrow(/da-node\.url: expected an address that containers can reach/);
});

test('in a cluster the local layer belongs to the sequencer network', () => {
  expect(() => getWorkloads(getManifest('kind: local'), keys)).toThrow(
    /da-node\.kind: expected light or external: .*sequencer deployment create --data-availability local/,
  );
});
