import { fields as composer } from '@switchyard/composer/config';
import { fields as conductor } from '@switchyard/conductor/config';
import { WITHDRAWER_ADDRESS, withdrawerStorage } from '@switchyard/evm/client';
import { evmFields as evm } from '@switchyard/evm/config';
import { fields as explorer } from '@switchyard/explorer/config';
import { fields as faucet } from '@switchyard/faucet/config';
import { fields as rollup } from '@switchyard/messenger/config';
import { type FieldTable, loadConfig } from '@switchyard/service/settings';
import { fields as withdrawer } from '@switchyard/withdrawer/config';
import fc from 'fast-check';
import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseQuantity } from '../container.ts';
import type { KubernetesObject } from '../kubernetes/objects.ts';
import { objectsText } from '../kubernetes/text.ts';
import { readManifest } from '../manifest/read.ts';
import { manifestText } from '../manifest/write.ts';
import { longestWith, MAX_ROLLUP_NAME } from '../names.ts';
import { type Process, ROLES } from '../roles.ts';
import { genesisText } from './genesis.ts';
import { processesIn } from './parts.ts';
import { getWorkloads } from './workloads.ts';

const keys = { sequencer: 'ab'.repeat(32), faucet: 'cd'.repeat(32), withdrawers: ['ef'.repeat(32), '01'.repeat(32)] };
const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const chosen = {
  name: 'cosmic',
  networkId: 90_210n,
  genesisAccounts: [{ address: ADDRESS, balance: 5n }],
  sequencerHeight: 42n,
  sequencerRpc: 'http://sequencer.main:26657',
  sequencerChainId: 'sequencer-test-chain-0',
};

const BRIDGE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';
/** Values of a rollup whose withdrawals are paid, with all its processes. */
const paying = { bridgeAddress: BRIDGE, withdrawerEnabled: true, faucetEnabled: true };

const getManifest = (more: object = {}) => readManifest(manifestText({ ...chosen, ...more })).manifest;
const getObjects = (more: object = {}) => getWorkloads(getManifest(more), keys);

const isKind =
  <T extends KubernetesObject>(kind: T['kind']) =>
  (object: KubernetesObject): object is T =>
    object.kind === kind;
const pods = (objects: readonly KubernetesObject[]) => objects.filter(isKind<StatefulSet>('StatefulSet'));
const configMaps = (objects: readonly KubernetesObject[]) => objects.filter(isKind<ConfigMap>('ConfigMap'));
const services = (objects: readonly KubernetesObject[]) => objects.filter(isKind<Service>('Service'));
const podLabels = ({ spec }: StatefulSet) => spec?.template.metadata?.labels ?? {};
const getContainers = ({ spec }: StatefulSet) => spec?.template.spec?.containers ?? [];
const selects = (selector: object | undefined, labels: object) =>
  Object.entries(selector ?? {}).every(([key, value]) =>
    Object.entries(labels).some(([k, v]) => k === key && v === value),
  );

/** Manifests of all kinds, with the longest names. */
const manifests = fc.record(
  {
    name: fc.stringMatching(new RegExp(`^[a-z0-9]([a-z0-9-]{0,${MAX_ROLLUP_NAME - 2}}[a-z0-9])?$`)),
    namespace: fc.constantFrom('switchyard', 'n'.repeat(63), 'on', '1'),
    ingressHostname: fc.constantFrom('localhost', 'rollups.example.com', 'no'),
    ingressTlsSecret: fc.constantFrom('tls', undefined),
    ingressClassName: fc.constantFrom('traefik', undefined),
    storageClassName: fc.constantFrom('local-path', undefined),
    explorerPostgresSecret: fc.constantFrom('postgres', undefined),
    faucetEnabled: fc.boolean(),
    useTTY: fc.boolean(),
    daNetwork: fc.constantFrom('celestia', undefined),
    labelPrefix: fc.constantFrom('a', '1', 'p'.repeat(MAX_ROLLUP_NAME), undefined),
  },
  { requiredKeys: ['name'] },
);
const anyObjects = fc
  .tuple(manifests, fc.boolean(), fc.constantFrom('evm', 'defined'))
  .map(([{ faucetEnabled, ...more }, isPaying, kind]) => {
    const short = more.name.slice(0, longestWith('withdrawer')).replace(/-+$/, '');
    if (kind === 'defined')
      return definedObjects({ ...more, faucetEnabled, ...(isPaying ? { name: short } : { withdrawerEnabled: false }) });
    return getObjects({
      ...{ ...more, ...(faucetEnabled !== undefined && { faucetEnabled }) },
      ...(isPaying && { ...paying, name: short }),
    });
  });

describe('for every manifest', () => {
  test('names and labels are as long as the API server takes them, and each object is there once', () => {
    const most: Readonly<Record<string, number>> = { Service: 63, StatefulSet: 52, Namespace: 63 };
    fc.assert(
      fc.property(anyObjects, (objects) => {
        const ids = objects.map(({ kind, metadata }) => `${kind} ${metadata?.name}`);
        expect(new Set(ids).size).toBe(ids.length);
        for (const { kind, metadata } of objects) {
          expect(metadata?.name?.length ?? 0).toBeLessThanOrEqual(most[kind ?? ''] ?? 253);
          if (kind === 'Service') expect(metadata?.name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
          for (const value of Object.values(metadata?.labels ?? {})) expect(value).toMatch(/^[A-Za-z0-9][\w.-]{0,62}$/);
        }
      }),
    );
  });

  test('selectors find the pods that they are meant for, and what pods name is there', () => {
    fc.assert(
      fc.property(anyObjects, (objects) => {
        const named = (kind: string) =>
          objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata?.name);
        for (const set of pods(objects)) {
          expect(selects(set.spec?.selector.matchLabels, podLabels(set))).toBe(true);
          expect(named('Service')).toContain(set.spec?.serviceName);
          const volumes = set.spec?.template.spec?.volumes ?? [];
          const claims = set.spec?.volumeClaimTemplates ?? [];
          const names = [...volumes.map(({ name }) => name), ...claims.map(({ metadata }) => metadata?.name)];
          for (const { configMap, secret } of volumes) {
            if (configMap !== undefined) expect(named('ConfigMap')).toContain(configMap.name);
            if (secret !== undefined) expect(named('Secret')).toContain(secret.secretName);
          }
          for (const { envFrom, volumeMounts } of getContainers(set)) {
            for (const each of envFrom ?? []) expect(named('ConfigMap')).toContain(each.configMapRef?.name);
            for (const { name } of volumeMounts ?? []) expect(names).toContain(name);
          }
        }
        for (const { metadata, spec } of services(objects)) {
          const [only, ...others] = pods(objects).filter((set) => selects(spec?.selector, podLabels(set)));
          expect([only?.spec?.serviceName, others]).toEqual([metadata?.name, []]);
          const ports = only === undefined ? [] : getContainers(only).flatMap(({ ports: each }) => each ?? []);
          for (const { port, targetPort } of spec?.ports ?? [])
            expect(ports.find(({ name }) => name === targetPort)?.containerPort).toBe(port);
        }
        for (const object of objects) {
          if (object.kind !== 'PodDisruptionBudget' && object.kind !== 'NetworkPolicy') continue;
          const spec = object.spec as { selector?: { matchLabels?: object }; podSelector?: { matchLabels?: object } }; // of either kind
          const matchLabels = (spec.selector ?? spec.podSelector)?.matchLabels;
          expect(pods(objects).filter((set) => selects(matchLabels, podLabels(set)))).toHaveLength(1);
        }
        for (const object of objects) {
          if (object.kind !== 'Ingress') continue;
          for (const { host, http } of (
            object as {
              spec?: { rules?: { host?: string; http?: { paths: { backend: { service?: { name: string } } }[] } }[] };
            }
          ).spec?.rules ?? []) {
            expect(host?.length ?? 0).toBeLessThanOrEqual(253);
            for (const { backend } of http?.paths ?? []) expect(named('Service')).toContain(backend.service?.name);
          }
        }
      }),
    );
  });

  test('the YAML is read back as the same objects, by readers of YAML 1.1 too', () => {
    fc.assert(
      fc.property(anyObjects, (objects) => {
        const documents = parseAllDocuments(objectsText(objects), { version: '1.1' });
        expect(documents.map((each) => each.toJS())).toEqual(JSON.parse(JSON.stringify(objects)));
      }),
      { numRuns: 20 },
    );
  });

  test('keys are in Secrets and nowhere else', () => {
    fc.assert(
      fc.property(anyObjects, (objects) => {
        const others = JSON.stringify(objects.filter(({ kind }) => kind !== 'Secret'));
        for (const key of Object.values(keys)) expect(others).not.toContain(key);
      }),
    );
    expect(JSON.stringify(getObjects(paying))).toContain(keys.withdrawers[0]);
    expect(JSON.stringify(getObjects())).not.toContain(keys.withdrawers[0]);
    expect(JSON.stringify(getObjects())).toContain(keys.faucet);
    expect(JSON.stringify(getObjects({ faucetEnabled: false }))).not.toContain(keys.faucet);
  });
});

/** A rollup of an author's, with everything that it may have. */
const defined = {
  ...{ name: 'market', kind: 'defined', sequencerHeight: 42n, sequencerChainId: 'sequencer-test-chain-0' },
  ...{ sequencerRpc: 'http://sequencer.main:26657', withdrawerEnabled: true },
  genesis: JSON.stringify({
    start: 12345678901234567890n.toString(),
    bridge_accounts: [{ bech32m: BRIDGE }],
    withdrawals: [{ bridge_account: { bech32m: BRIDGE }, asset: 'nria', minimum: 100 }],
  }),
};
const definedObjects = (more: object = {}) =>
  getWorkloads(readManifest(manifestText({ ...defined, ...more })).manifest, keys);

describe('a rollup of an author', () => {
  test('has the objects of any other, and its API under a name of its own', () => {
    const objects = definedObjects();
    expect(pods(objects).map(({ metadata }) => metadata?.name)).toEqual([
      ...['market-rollup', 'market-withdrawer', 'market-explorer'],
    ]);
    const [node] = pods(objects);
    expect(node && getContainers(node).map(({ name }) => name)).toEqual(['rollup', 'composer', 'conductor']);
    expect(
      services(objects).map(({ metadata, spec }) => [metadata?.name, spec?.ports?.map(({ port }) => port)]),
    ).toEqual([
      ['market-rollup', [3_030]],
      ['market-withdrawer', [2_451]],
      ['market-explorer', [3_033]],
    ]);
    expect(objectsText(objects.filter(({ kind }) => kind === 'Ingress'))).toMatch(
      /host: blockscout\.market\.localhost[\s\S]*host: api\.market\.localhost\n[\s\S]*name: market-rollup/,
    );
    expect(getVariables(objects, 'withdrawer')).toMatchObject({
      ...{ SVC_WITHDRAWER_KIND: 'framework', SVC_WITHDRAWER_BRIDGE_ADDRESS: BRIDGE },
      SVC_WITHDRAWER_ROLLUP_URL: 'http://market-rollup.switchyard:3030',
    });
    expect(getVariables(objects, 'explorer')).toMatchObject({
      SVC_EXPLORER_ROLLUP_URLS: 'http://market-rollup.switchyard:3030',
    });
    expect(getVariables(objects, 'conductor').SVC_CONDUCTOR_EXECUTION_RPC_URL).toBe(
      `http://${getVariables(objects, 'rollup').EXECUTION_GRPC_ADDR}`,
    );
  });

  test('has a faucet that pays with an action of its own, whose key is in a Secret alone', () => {
    const objects = definedObjects({ faucetEnabled: true, faucetAsset: 'gold', faucetAction: 'give' });
    expect(loadConfig(faucet, getVariables(objects, 'faucet'))).toMatchObject({
      ...{ kind: 'rollup', rollupUrl: 'http://market-rollup.switchyard:3030', action: 'give', asset: 'gold' },
      ...{ name: undefined, walletRpcUrl: undefined, chainId: undefined },
    });
    const withKey = objects.filter((object) => JSON.stringify(object).includes(keys.faucet));
    expect(withKey.map(({ kind, metadata }) => [kind, metadata?.name])).toEqual([['Secret', 'market-faucet-key']]);
  });

  // Defect: A rollup whose bridge account has an asset that pays no fees on the sequencer could not be deployed with its
  // payer
  test('has a payer for each bridge account that pays withdrawals, with a key of its own', () => {
    const accounts = [BRIDGE, 'astria1kk3d0u5v0h5a786gvks6yfedeh349yh2dq3acv'].map((bech32m) => ({ bech32m }));
    const withdrawals = accounts.map((account, place) => ({ bridge_account: account, asset: ['nria', 'utia'][place] }));
    const objects = definedObjects({ genesis: JSON.stringify({ bridge_accounts: accounts, withdrawals }) });
    expect(pods(objects).map(({ metadata }) => metadata?.name)).toEqual([
      ...['market-rollup', 'market-withdrawer', 'market-explorer', 'market-withdrawer-2'],
    ]);
    for (const [place, process] of (['withdrawer', 'withdrawer-2'] as const).entries()) {
      const { bridgeAddress, ...read } = loadConfig(withdrawer, getVariables(objects, process));
      expect([bridgeAddress?.address, read.kind]).toEqual([accounts[place]?.bech32m, 'framework']);
      // The fees of an asset that pays none on the sequencer are paid in that of the composer.
      expect(read.feeAsset?.text).toBe([undefined, 'nria'][place]);
      const withKey = objects.filter((object) => JSON.stringify(object).includes(keys.withdrawers[place] ?? ''));
      expect(withKey.map(({ kind, metadata }) => [kind, metadata?.name])).toEqual([
        ['Secret', `market-${process}-key`],
      ]);
      const policy = objects
        .filter(isKind<NetworkPolicy>('NetworkPolicy'))
        .find(({ metadata }) => metadata?.name === 'market-rollup');
      expect(JSON.stringify(policy)).toContain(`"${process}"`);
    }
  });

  test('has a genesis of its own members and of what the manifest states', () => {
    const [text = ''] = configMaps(definedObjects()).flatMap(({ data }) => data?.['rollup_genesis.json'] ?? []);
    expect(JSON.parse(text)).toEqual({
      ...{ rollup_name: 'market-chain', sequencer_chain_id: 'sequencer-test-chain-0' },
      ...{ sequencer_genesis_block_height: 41, ...JSON.parse(defined.genesis) },
    });
  });

  test('runs the messenger of our image, or whatever an image of the author starts', () => {
    const makeNode = (more: object) => {
      const [set] = pods(definedObjects(more));
      const [node, composerOfIt] = set === undefined ? [] : getContainers(set);
      return { node, composerOfIt, variables: getVariables(definedObjects(more), 'rollup') };
    };
    const { node: own, variables: without } = makeNode({});
    expect(own?.command?.at(-1)).toBe('/app/bin/messenger.mjs');
    expect(without).not.toHaveProperty('NODE_OPTIONS');
    const { node, composerOfIt, variables } = makeNode({ rollupImage: 'registry.example/market:1' });
    expect(node).toMatchObject({ image: 'registry.example/market:1', resources: { limits: { memory: '512Mi' } } });
    expect(node).not.toHaveProperty('command');
    expect(composerOfIt?.image).toMatch(/switchyard:/);
    expect(variables.NODE_OPTIONS).toBe('--max-semi-space-size=16 --max-old-space-size=307');
  });
});

const TABLES: Readonly<Record<(typeof ROLES)[number], FieldTable>> = {
  evm,
  rollup,
  composer,
  conductor,
  withdrawer,
  faucet,
  explorer,
};

/** The variables of a container, from its ConfigMap. */
function getVariables(objects: readonly KubernetesObject[], process: Process) {
  return configMaps(objects).find(({ metadata }) => metadata?.name?.endsWith(`-${process}-settings`))?.data ?? {};
}

test.each(ROLES)('the settings of %s are those that it reads', (process) => {
  const variables = getVariables(process === 'rollup' ? definedObjects() : getObjects(paying), process);
  expect(Object.keys(variables)).not.toEqual([]);
  loadConfig(TABLES[process], variables);
  const known = new Set(Object.values(TABLES[process]).flatMap(({ names }) => names));
  expect(Object.keys(variables).filter((name) => !known.has(name))).toEqual([]);
});

test('processes of one pod meet on loopback, and no other pod reaches what is there', () => {
  const objects = getObjects();
  expect(getVariables(objects, 'evm')).toMatchObject({
    SVC_EVM_EXECUTION_GRPC_ADDR: '127.0.0.1:50055',
    SVC_EVM_COMPOSER_ADDR: `http://${getVariables(objects, 'composer').SVC_COMPOSER_GRPC_ADDR}`,
  });
  expect(getVariables(objects, 'conductor').SVC_CONDUCTOR_EXECUTION_RPC_URL).toBe('http://127.0.0.1:50055');
});

test('the genesis has the accounts, the chain and the height of the manifest', () => {
  const [text = ''] = configMaps(getObjects()).flatMap(({ data }) => data?.['evm_genesis.json'] ?? []);
  expect(JSON.parse(text)).toMatchObject({
    config: {
      chainId: 90_210,
      switchyard: { rollupName: 'cosmic-chain', sequencer: { chainId: 'sequencer-test-chain-0', startHeight: 42 } },
    },
    alloc: { [ADDRESS]: { balance: '0x5' } },
  });
});

// Defect: One unit could be withdrawn from new EVM chains, less than its payment costs
test('the contract that takes coins back is in the first block of new manifests with a bridge, and has a minimum', () => {
  const getAlloc = (text: string) => Object.keys(JSON.parse(genesisText(readManifest(text).manifest)).alloc);
  const bridged = manifestText({ ...chosen, bridgeAddress: BRIDGE });
  expect(getAlloc(bridged)).toContain(WITHDRAWER_ADDRESS);
  const chosenLeast = manifestText({ ...chosen, bridgeAddress: BRIDGE, bridgeMinimum: 7n });
  for (const [text, minimum] of [
    [bridged, 1_000n],
    [chosenLeast, 7n],
    [bridged.replace(/ *bridgeMinimum: .*\n/, ''), 1n],
  ] as const) {
    expect(JSON.parse(genesisText(readManifest(text).manifest)).alloc[WITHDRAWER_ADDRESS].storage).toEqual(
      withdrawerStorage({ address: BRIDGE, asset: 'nria', precision: 9, minimum }),
    );
  }
  const [ofOthers, ofEarlier] = [manifestText(chosen), bridged.replace(/ *bridgeWithdrawer: true\n/, '')];
  expect(ofEarlier).not.toBe(bridged);
  for (const text of [ofOthers, ofEarlier]) expect(getAlloc(text)).not.toContain(WITHDRAWER_ADDRESS);
});

test('withdrawals are paid from a pod of their own, which other pods of the cluster may ask', () => {
  expect(pods(getObjects({ bridgeAddress: BRIDGE })).map(({ metadata }) => metadata?.name)).not.toContain(
    'cosmic-withdrawer',
  );
  const objects = getObjects(paying);
  const set = pods(objects).find(({ metadata }) => metadata?.name === 'cosmic-withdrawer');
  const [container] = set === undefined ? [] : getContainers(set);
  expect(container?.readinessProbe?.httpGet?.path).toBe('/readyz');
  expect(container?.ports?.map(({ name, containerPort }) => [name, containerPort])).toEqual([
    ['http', 2451],
    ['withdraw-met', 9020],
  ]);
  expect(getVariables(objects, 'withdrawer')).toMatchObject({
    ...{ SVC_WITHDRAWER_KIND: 'evm', SVC_WITHDRAWER_BRIDGE_ADDRESS: BRIDGE },
    SVC_WITHDRAWER_ROLLUP_URL: 'http://cosmic-evm.switchyard:8545',
  });
  expect(getVariables(objects, 'withdrawer')).not.toHaveProperty('SVC_WITHDRAWER_COMMITMENT');
  expect(getVariables(getObjects({ ...paying, withdrawerCommitment: 'soft' }), 'withdrawer')).toMatchObject({
    SVC_WITHDRAWER_COMMITMENT: 'soft',
  });
  const policy = objects
    .filter(isKind<NetworkPolicy>('NetworkPolicy'))
    .find(({ metadata }) => metadata?.name === 'cosmic-withdrawer');
  expect(policy?.spec?.ingress?.map(({ from, ports }) => [from?.length, ports?.map(({ port }) => port)])).toEqual([
    [1, [2451, 9020]],
  ]);
});

// Defect: Any pod reached the ports that believe it
test('the address that a proxy states is believed where the policy lets the ingress, and the rollup itself, reach the port', () => {
  for (const [process, variable] of [
    ['evm', 'SVC_EVM'],
    ['faucet', 'SVC_FAUCET'],
    ['explorer', 'SVC_EXPLORER'],
  ] as const)
    expect(getVariables(getObjects(), process)).toMatchObject({
      [`${variable}_PROXY_COUNT`]: '1',
      [`${variable}_TRUSTED_PROXIES`]: '*',
    });
  const getCallers = (values: object, workload: string) =>
    getObjects(values)
      .filter(isKind<NetworkPolicy>('NetworkPolicy'))
      .find(({ metadata }) => metadata?.name === `cosmic-${workload}`)
      ?.spec?.ingress?.[0]?.from?.map(({ namespaceSelector, podSelector }) =>
        Object.values((namespaceSelector ?? podSelector)?.matchLabels ?? {}).at(-1),
      );
  expect(getCallers({}, 'faucet')).toEqual(['kube-system', 'switchyard-ingress']);
  expect(getCallers({ ingressNamespace: 'ingress-nginx' }, 'explorer')).toEqual(['ingress-nginx']);
  expect(getCallers(paying, 'evm')?.slice(0, 2)).toEqual(['kube-system', 'switchyard-ingress']);
  expect(getCallers(paying, 'evm')).toHaveLength(5);
});

test('all pods together request at most one processor and 1.5 GiB', () => {
  const requests = pods(getObjects(paying)).flatMap((set) =>
    getContainers(set).map(({ resources }) => resources?.requests ?? {}),
  );
  const milli = (text = '') => (text.endsWith('m') ? Number(text.slice(0, -1)) : 1000 * Number(text));
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
  expect(requests).toHaveLength(processesIn(getManifest(paying)).length);
  expect(sum(requests.map(({ cpu }) => milli(cpu)))).toBeLessThanOrEqual(1000);
  expect(sum(requests.map(({ memory }) => parseQuantity(memory ?? '')))).toBeLessThanOrEqual(1.5 * 2 ** 30);
});

test('pods keep to the restricted profile of Kubernetes, and have no token', () => {
  for (const set of pods(getObjects())) {
    const spec = set.spec?.template.spec;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const { securityContext, ports } of spec?.containers ?? []) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const { name } of ports ?? []) expect(name).toMatch(/^[a-z][a-z-]{0,14}$/);
    }
    const names = getContainers(set).flatMap(({ ports }) => ports?.map(({ name }) => name) ?? []);
    expect(new Set(names).size).toBe(names.length);
  }
});

test('a change replaces the pods that it concerns, and no others', () => {
  const digests = (more: object) =>
    pods(getObjects(more)).map(({ spec }) => spec?.template.metadata?.annotations?.['switchyard/settings']);
  const [evmDigest, faucetDigest, explorerDigest] = digests({});
  expect(digests({ faucetAmount: '7' })).toEqual([
    evmDigest,
    expect.not.stringMatching(faucetDigest ?? ''),
    explorerDigest,
  ]);
  expect(digests({})).toEqual([evmDigest, faucetDigest, explorerDigest]);
});

test('the index of the explorer goes to Postgres where a Secret with its address is named', () => {
  const getExplorer = (more: object) =>
    pods(getObjects(more)).find(({ metadata }) => metadata?.name === 'cosmic-explorer');
  const set = getExplorer({ explorerPostgresSecret: 'pg' });
  expect(set?.spec?.volumeClaimTemplates).toBeUndefined();
  expect(set && getContainers(set)[0]?.env).toEqual([
    { name: 'SVC_EXPLORER_DB_URL', valueFrom: { secretKeyRef: { name: 'pg', key: 'url' } } },
  ]);
  expect(getExplorer({})?.spec?.volumeClaimTemplates).toHaveLength(1);
});

test.each([
  [
    'a sequencer on this machine',
    { sequencerRpc: 'http://127.0.0.1:26657' },
    /^config\.sequencer\.rpc: expected an address that containers can reach, got http:\/\/127\.0\.0\.1:26657\nconfig\.sequencer\.grpc: /,
  ],
  [
    'no chain id of the sequencer',
    { sequencerChainId: undefined },
    /^config\.sequencer\.chainId: expected the chain id of the sequencer, got nothing$/,
  ],
  ['Blockscout', { explorer: 'blockscout' }, /^explorer\.kind: /],
])('refuses %s', (_, more, message) => {
  expect(() => getObjects(more)).toThrow(message);
});
