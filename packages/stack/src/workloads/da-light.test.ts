import { createHmac } from 'node:crypto';
import { fields as conductorFields } from '@switchyard/conductor/config';
import { loadConfig } from '@switchyard/service/settings';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Secret } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { describe, expect, test } from 'vitest';
import { parseQuantity } from '../container.ts';
import type { KubernetesObject } from '../kubernetes/objects.ts';
import { daLightEndpoint } from '../manifest/layer.ts';
import { readManifest } from '../manifest/read.ts';
import { manifestText } from '../manifest/write.ts';
import { daLightAccess } from './da-light.ts';
import { getWorkloads } from './workloads.ts';

const HASH = 'AB12CD34'.repeat(8);
const BRIDGE = '/dns4/bridge.main/tcp/2121/p2p/12D3KooWPHgLgPTtPjuKtZjXbZRiUSVMvFpqek8T1we93auG3uoK';
const keys = { sequencer: 'ab'.repeat(32), faucet: 'cd'.repeat(32) };
const chosen = {
  name: 'cosmic',
  networkId: 90_210n,
  genesisAccounts: [{ address: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', balance: 5n }],
  sequencerHeight: 42n,
  sequencerRpc: 'http://sequencer.main:26657',
  sequencerChainId: 'sequencer-test-chain-0',
};
const getManifest = (more: object) => readManifest(manifestText({ ...chosen, ...more })).manifest;
const getObjects = (more: object) => getWorkloads(getManifest(more), keys);
const ofDaLight = (objects: readonly KubernetesObject[]) =>
  objects.filter(({ metadata }) => metadata?.labels?.['app.kubernetes.io/name'] === 'da-light');

function one<T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: T['kind']): T {
  const [only, ...others] = ofDaLight(objects).filter((object): object is T => object.kind === kind);
  if (only === undefined || others.length > 0) throw new Error(`expected one ${kind}`);
  return only;
}
const getSettings = (more: object) => one<ConfigMap>(getObjects(more), 'ConfigMap').data;

test('is there once the manifest names a network, under the names that its prefix begins', () => {
  expect(ofDaLight(getObjects({}))).toEqual([]);
  const names = ofDaLight(getObjects({ daNetwork: 'celestia', labelPrefix: 'shared' })).map(
    ({ kind, metadata }) => `${kind} ${metadata?.name}`,
  );
  expect(names).toEqual([
    'Secret shared-da-light-access',
    'ConfigMap shared-da-light-settings',
    'Service shared-da-light',
    'NetworkPolicy shared-da-light',
    'PodDisruptionBudget shared-da-light',
    'StatefulSet shared-da-light',
  ]);
});

test('takes a public network by its name alone, a private one with its first block and its bridge nodes', () => {
  expect(getSettings({ daNetwork: 'mocha-5' })).toEqual({
    DA_LIGHT_NETWORK: 'mocha-5',
    DA_LIGHT_STORE: '/data/da-light/mocha-5',
    DA_LIGHT_SECRET_DIRPATH: '/etc/switchyard/key',
    DA_LIGHT_MAX_HEAD_AGE: '60',
    DA_LIGHT_LOG: 'info',
    GOMEMLIMIT: `${384 * 2 ** 20}B`,
  });
  expect(getSettings({ daNetwork: 'own', daGenesisHash: HASH, daBridges: BRIDGE, daSyncFromHeight: 7n })).toMatchObject(
    {
      DA_LIGHT_NETWORK: 'own',
      DA_LIGHT_STORE: '/data/da-light/own-ab12cd34',
      DA_LIGHT_SYNC_FROM_HEIGHT: '7',
      CELESTIA_CUSTOM: `own:${HASH}:${BRIDGE}`,
    },
  );
});

test.each([
  [
    'a private network without its first block',
    { daNetwork: 'own', daBridges: BRIDGE },
    /genesisHash: expected 64 hex/,
  ],
  [
    'a private network without bridge nodes',
    { daNetwork: 'own', daGenesisHash: HASH },
    /bridges: expected multiaddresses/,
  ],
  ['an alias', { daNetwork: 'mocha' }, /since mocha is none of celestia, mocha-5, arabica-11, got nothing/],
  [
    'the first block of a public network',
    { daNetwork: 'celestia', daGenesisHash: HASH },
    /genesisHash: expected nothing, since celestia-node knows celestia/,
  ],
  [
    'bridge nodes without a network',
    { daBridges: BRIDGE },
    /network: expected the network that da-node.config.bridges/,
  ],
  [
    'two places to begin at',
    { daNetwork: 'celestia', daSyncFromHash: HASH, daSyncFromHeight: 7n },
    /syncFromHeight: expected nothing next to da-node.config.syncFromHash/,
  ],
  // The variable that celestia-node reads is cut at colons.
  [
    'an address with a colon',
    { daNetwork: 'own', daGenesisHash: HASH, daBridges: BRIDGE.replace('dns4/b', 'ip6/::') },
    /bridges: /,
  ],
])('refuses %s', (_, more, message) => {
  expect(() => getManifest(more)).toThrow(message);
});

test('its token is signed with its secret, may only read, and is the same each time', () => {
  const { stringData = {} } = one<Secret>(getObjects({ daNetwork: 'celestia' }), 'Secret');
  const { 'jwt-secret': secret = '', 'read-token': token = '' } = stringData;
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(secret).not.toBe(keys.sequencer);
  const [header = '', claims = '', signature] = token.split('.');
  const decoded = [header, claims].map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  expect(decoded).toMatchObject([{ alg: 'HS256' }, { Allow: ['public', 'read'] }]);
  const key = Buffer.from(secret, 'hex');
  expect(createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url')).toBe(signature);

  const again = (more: object, sequencer = keys.sequencer) => daLightAccess(getManifest(more), sequencer).secret;
  expect(again({})).toBe(secret);
  for (const other of [again({ labelPrefix: 'b' }), again({ namespace: 'b' }), again({}, 'ef'.repeat(32))])
    expect(other).not.toBe(secret);
});

test('keys that are not shown make no secret', () => {
  const manifest = getManifest({ daNetwork: 'celestia' });
  expect(() => getWorkloads(manifest, { ...keys, sequencer: 'hidden' })).toThrow(/64 hex digits is needed/);
  const hidden = { ...keys, sequencer: 'hidden', daLight: { secret: 'a', readToken: 'b' } };
  expect(one<Secret>(getWorkloads(manifest, hidden), 'Secret').stringData).toEqual({
    'jwt-secret': 'a',
    'read-token': 'b',
  });
});

test('other pods find it by its endpoint', () => {
  expect(daLightEndpoint(getManifest({}))).toBeUndefined();
  expect(daLightEndpoint(getManifest({ daNetwork: 'celestia' }))).toEqual({
    url: 'http://cosmic-da-light.switchyard:26658',
    secretName: 'cosmic-da-light-access',
    tokenKey: 'read-token',
  });
});

test('is one more of the pods that keep to the restricted profile and to the resources of a laptop', () => {
  const sets = getObjects({ daNetwork: 'celestia' }).filter((each): each is StatefulSet => each.kind === 'StatefulSet');
  const containers = sets.flatMap(({ spec }) => spec?.template.spec?.containers ?? []);
  const milli = (text = '') => (text.endsWith('m') ? Number(text.slice(0, -1)) : 1000 * Number(text));
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
  const requests = containers.map(({ resources }) => resources?.requests ?? {});
  expect(sum(requests.map(({ cpu }) => milli(cpu)))).toBeLessThanOrEqual(1000);
  expect(sum(requests.map(({ memory }) => parseQuantity(memory ?? '')))).toBeLessThanOrEqual(1.5 * 2 ** 30);
  const { spec } = one<StatefulSet>(sets, 'StatefulSet').spec?.template ?? {};
  expect(spec).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } });
  expect(spec?.containers[0]).toMatchObject({
    readinessProbe: { exec: { command: ['/bin/da-light', 'ready'] } },
    // The memory of the probe is on the temporary mount.
    livenessProbe: { exec: { command: ['/bin/da-light', 'alive'] } },
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: expect.arrayContaining([{ name: 'tmp', mountPath: '/tmp' }]),
  });
});

describe('firm blocks', () => {
  const own = { daNetwork: 'own', daGenesisHash: HASH, daBridges: BRIDGE, executionCommitLevel: 'SoftAndFirm' };
  const makeConductor = (more: object) => {
    const objects = getObjects(more);
    const settings = objects.find(
      (object): object is ConfigMap =>
        object.kind === 'ConfigMap' && object.metadata?.name === 'cosmic-conductor-settings',
    );
    const set = objects.find(
      (object): object is StatefulSet => object.kind === 'StatefulSet' && object.metadata?.name === 'cosmic-evm',
    );
    const { containers, volumes = [] } = set?.spec?.template.spec ?? { containers: [] };
    const mounts = containers.find(({ name }) => name === 'conductor')?.volumeMounts ?? [];
    return { data: settings?.data ?? {}, mounts, volumes, containers };
  };

  test('are read through the light node, with its token and from the first block of a private network on', () => {
    const { data, mounts, volumes, containers } = makeConductor({ ...own, labelPrefix: 'shared', namespace: 'chains' });
    expect(data).toMatchObject({
      SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL: 'SoftAndFirm',
      SVC_CONDUCTOR_CELESTIA_NODE_HTTP_URL: 'http://shared-da-light.chains:26658',
      SVC_CONDUCTOR_CELESTIA_TOKEN_FILE: '/etc/switchyard/key/read-token',
      SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: 'own',
      SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT: '1',
      SVC_CONDUCTOR_CELESTIA_TRUSTED_HASH: HASH.toLowerCase(),
      SVC_CONDUCTOR_CELESTIA_HEADER_FILEPATH: '/data/conductor/celestia-header.json',
    });
    // The process takes them unchanged.
    expect(loadConfig(conductorFields, data).celestiaTrustedHeight).toBe(1);
    // The container gets only the token of the Secret, and no other container gets it.
    const items = [{ key: 'read-token', path: 'read-token' }];
    const secret = { secretName: 'shared-da-light-access', defaultMode: 0o400, items };
    expect(volumes).toContainEqual({ name: 'da-token', secret });
    expect(mounts).toEqual([
      { name: 'tmp', mountPath: '/tmp', subPath: 'conductor' },
      { name: 'data', mountPath: '/data/conductor', subPath: 'conductor' },
      { name: 'da-token', mountPath: '/etc/switchyard/key', readOnly: true },
    ]);
    const readers = containers.filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === 'da-token'));
    expect(readers.map(({ name }) => name)).toEqual(['conductor']);
  });

  test('of a public network are proven from the block that the manifest names', () => {
    const trusted = { daTrustedHeight: 5_000_000n, daTrustedHash: HASH };
    const { data } = makeConductor({ ...trusted, daNetwork: 'mocha-5', executionCommitLevel: 'SoftAndFirm' });
    expect(data).toMatchObject({
      SVC_CONDUCTOR_EXPECTED_CELESTIA_CHAIN_ID: 'mocha-5',
      SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT: '5000000',
      SVC_CONDUCTOR_CELESTIA_TRUSTED_HASH: HASH.toLowerCase(),
    });
    expect(makeConductor({ ...own, ...trusted }).data.SVC_CONDUCTOR_CELESTIA_TRUSTED_HEIGHT).toBe('5000000');
  });

  test('are the others by default, whose conductor has nothing of the light node', () => {
    const { data, mounts, volumes } = makeConductor({ daNetwork: 'mocha-5' });
    expect(data.SVC_CONDUCTOR_EXECUTION_COMMIT_LEVEL).toBe('SoftIsFirm');
    expect(Object.keys(data).filter((name) => name.includes('CELESTIA'))).toEqual([]);
    expect([...mounts, ...volumes].filter(({ name }) => name === 'da-token')).toEqual([]);
  });

  test('the light node takes requests of the pod that the conductor is in', () => {
    const policy = one<NetworkPolicy>(getObjects(own), 'NetworkPolicy');
    expect(policy.spec?.ingress).toEqual([{ from: [{ podSelector: {} }], ports: [{ protocol: 'TCP', port: 26_658 }] }]);
  });

  test.each([
    [
      { executionCommitLevel: 'SoftAndFirm' },
      'config.rollup.executionCommitLevel: expected SoftIsFirm or SoftOnly, since da-node.config.network names no network that firm blocks could be read from, got SoftAndFirm',
    ],
    [
      { executionCommitLevel: 'SoftAndFirm', daNetwork: 'mocha-5' },
      'da-node.config.trustedHeight: expected the height of a block of mocha-5 that you know to be right, with its hash in da-node.config.trustedHash: SoftAndFirm proves from it on, got nothing',
    ],
    [
      { ...own, daTrustedHeight: 7n },
      'da-node.config.trustedHash: expected 64 hex digits, the hash of the block of da-node.config.trustedHeight, got nothing',
    ],
    [
      { ...own, daTrustedHash: HASH },
      'da-node.config.trustedHeight: expected a height from 1 to 2^53 - 1, that of the block of da-node.config.trustedHash, got nothing',
    ],
  ])('are refused with one line where something is missing', (more, message) => {
    expect(() => getManifest(more)).toThrow(message);
  });
});
