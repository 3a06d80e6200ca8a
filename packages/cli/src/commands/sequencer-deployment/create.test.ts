import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fields as daFields } from '@switchyard/da/config';
import { relayerAccount } from '@switchyard/network/accounts';
import { loadConfig } from '@switchyard/service/settings';
import { PROGRAMS } from '@switchyard/stack/programs';
import { expect, test } from 'vitest';
import { relayerAccountOfKey } from '../../dev/config/relayer-key.ts';
import { switchyard } from '../../switchyard.ts';
import { runWith } from '../../testing.ts';

/** Settings as the processes read them. */
const daSettings = (env: Readonly<Record<string, string>>) => loadConfig(daFields, env);
const relayerSettings = (env: Readonly<Record<string, string>>) => loadConfig(PROGRAMS.relayer.fields, env);

function place() {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-sequencers-'));
  const create = (args: string) => {
    const words = ['sequencer', 'deployment', 'create', '--dry-run', ...args.split(' ').filter((word) => word !== '')];
    return runWith((cli, connect) => switchyard(cli, words, connect), words, { directory });
  };
  return { directory, create };
}

interface Read {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
  readonly spec?: any;
}

/** Objects that our own command printed, so their shape is known. */
const objectsIn = (json: string) => JSON.parse(json) as readonly Read[];
const getKind = (objects: readonly Read[], kind: string) => objects.filter((each) => each.kind === kind);

test('prints all objects without keys; the directory is closed to others, and the same again gives the same', async () => {
  const { directory, create } = place();
  const first = await create('--name main --validators 4 --full-nodes 1');
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining('main-network: keep them') });
  const key = readFileSync(join(directory, 'main-network', 'node-2', 'cometbft', 'config', 'priv_validator_key.json'));
  const secret = JSON.parse(String(key)).priv_key.value;
  expect(first.stdout).not.toContain(secret);
  expect((await create('--name main --show-secrets')).stdout).toContain(secret);
  expect(statSync(join(directory, 'main-network')).mode & 0o777).toBe(0o700);
  expect(await create('--name main')).toEqual({ ...first, stderr: '' });

  const objects = objectsIn((await create('--name main --json')).stdout);
  expect(objects.map(({ kind }) => kind)).toEqual([
    ...['Namespace', 'ServiceAccount', 'Secret', 'ConfigMap', 'ConfigMap', 'Service', 'Service'],
    ...['NetworkPolicy', 'PodDisruptionBudget', 'StatefulSet', 'Ingress'],
  ]);
  const [set] = getKind(objects, 'StatefulSet');
  expect(set?.spec).toMatchObject({ replicas: 5, serviceName: 'main-nodes', podManagementPolicy: 'Parallel' });
  const [secrets] = getKind(objects, 'Secret');
  expect(Object.keys(secrets?.stringData ?? {})).toContain('main-4.priv_validator_key.json');
  const [network] = getKind(objects, 'ConfigMap');
  expect(network?.data?.['main-0.config.toml']).toContain('@main-4.main-nodes.main.svc:26656');
});

test.each([
  [1, 1],
  [3, 1],
  [4, 1],
  [7, 2],
  [10, 3],
])('of %d validators a drain may take %d', async (validators, most) => {
  const { stdout } = await place().create(`--validators ${validators} --json`);
  const [budget] = getKind(objectsIn(stdout), 'PodDisruptionBudget');
  expect(budget?.spec.maxUnavailable).toBe(most);
});

test.each([
  ['--validators 5', /^--validators: the network in .* was made with 4, got 5$/m],
  ['--chain-id other', /^--chain-id: the network in .* was made with switchyard-sequencer, got other$/m],
  ['--namespace other', /^--namespace: the network in .* was made with sequencer, got other$/m],
  ['--native-denom utia', /^--native-denom: .* made with ntia, got utia$/m],
])('%s does not fit the network that is there', async (args, reason) => {
  const { create } = place();
  expect((await create('')).status).toBe(0);
  expect(await create(args)).toMatchObject({ status: 1, stderr: expect.stringMatching(reason), stdout: '' });
});

test.each([
  ['--name Main', /^--name: expected a lower-case letter/],
  [`--name ${'n'.repeat(53)}`, /^--name: .*at most 52/],
  ['--validators 0', /^--validators: expected a whole number from 1 to 32/],
  ['--storage-size 5', /^--storage-size: expected a size such as 5Gi, got "5"/],
  ['--hostname a/b', /^--hostname: expected a domain/],
  ['--account absent=5', /^--account: expected an address/],
])('%s is refused, and nothing is written', async (args, reason) => {
  const { directory, create } = place();
  expect(await create(args)).toMatchObject({ status: 2, stderr: expect.stringMatching(reason) });
  expect(() => statSync(join(directory, 'sequencer-network'))).toThrow();
});

const CELESTIA = '--celestia-grpc http://node.celestia:9090 --celestia-chain-id mocha-5';
const named = (objects: readonly Read[], name: string) =>
  objects.filter((each) => each.metadata.name === name || each.metadata.name.startsWith(`${name}-`));
const variables = (objects: readonly Read[], name: string) =>
  objects.find((each) => each.kind === 'ConfigMap' && each.metadata.name === name)?.data;

test('a relayer posts to the local layer, which is labelled, and stays without the option until it is taken away', async () => {
  const { directory, create } = place();
  const objects = objectsIn((await create('--name main --data-availability local --json')).stdout);
  expect(named(objects, 'main-da').map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    ...['ConfigMap main-da-settings', 'Service main-da'],
    ...['NetworkPolicy main-da', 'PodDisruptionBudget main-da', 'StatefulSet main-da'],
  ]);
  for (const { metadata } of named(objects, 'main-da'))
    expect(metadata.labels).toMatchObject({ 'switchyard/development-only': 'true' });
  expect(named(objects, 'main-relayer').map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    ...['Secret main-relayer-key', 'ConfigMap main-relayer-settings', 'Service main-relayer'],
    ...['NetworkPolicy main-relayer', 'PodDisruptionBudget main-relayer', 'StatefulSet main-relayer'],
  ]);
  const layer = daSettings(variables(objects, 'main-da-settings') ?? {});
  const posting = relayerSettings(variables(objects, 'main-relayer-settings') ?? {});
  expect(posting).toMatchObject({
    sequencerGrpcEndpoint: ['http://main.main.svc:8080'],
    sequencerChainId: 'switchyard-main',
    daGrpcEndpoint: ['http://main-da.main.svc:26652'],
    daChainId: layer.chainId,
    dbFilepath: '/data/relayer/local-da',
    privateKeyFile: '/etc/switchyard/key/private-key',
    allowDevKey: false,
  });
  expect(layer.allowedHosts).toContain('main-da.main.svc');
  // Its account has the funds, and its key is shown only on request.
  const keyFile = join(directory, 'main-network', 'relayer_key');
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  const key = String(readFileSync(keyFile));
  expect(layer.genesisAccounts.map(({ address }) => address)).toEqual([relayerAccountOfKey(key)]);
  expect(JSON.stringify(objects)).not.toContain(key);
  expect((await create('--name main --show-secrets')).stdout).toContain(key);

  expect(objectsIn((await create('--name main --json')).stdout)).toEqual(objects);
  const without = objectsIn((await create('--name main --data-availability none --json')).stdout);
  expect(named(without, 'main-relayer')).toEqual([]);
  expect(objectsIn((await create('--name main --json')).stdout)).toEqual(without);
});

test('a relayer may reach its sequencer and the local layer alone, and what it needs of a pod is stated', async () => {
  const { create } = place();
  const objects = objectsIn((await create('--data-availability local --json')).stdout);
  const spec = (kind: string, name: string) =>
    objects.find((each) => each.kind === kind && each.metadata.name === name)?.spec;
  const reached = spec('NetworkPolicy', 'sequencer-relayer').egress.map(({ ports }: { ports: { port: number }[] }) =>
    ports.map(({ port }) => port),
  );
  expect(reached).toEqual([[26_657, 8_080], [26_652], [53, 53]]);
  expect(spec('NetworkPolicy', 'sequencer-da')).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [] });
  for (const part of ['relayer', 'da']) {
    const { replicas, template, volumeClaimTemplates } = spec('StatefulSet', `sequencer-${part}`);
    expect([replicas, volumeClaimTemplates.length]).toEqual([1, 1]);
    const [{ command, ...container }] = template.spec.containers;
    expect(command.at(-1)).toBe(`/app/bin/${part}.mjs`);
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: '/readyz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
      resources: { requests: { cpu: '100m', memory: '256Mi' }, limits: { memory: '256Mi' } },
      securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    expect(template.spec.securityContext).toMatchObject({ runAsNonRoot: true });
  }
});

test('a relayer posts to Celestia, whose nodes may change, with a key that is given each time', async () => {
  const { directory, create } = place();
  const objects = objectsIn((await create(`${CELESTIA} --json`)).stdout);
  expect(named(objects, 'sequencer-da')).toEqual([]);
  const settings = relayerSettings(variables(objects, 'sequencer-relayer-settings') ?? {});
  expect(settings).toMatchObject({
    daGrpcEndpoint: ['http://node.celestia:9090'],
    daChainId: 'mocha-5',
    dbFilepath: '/data/relayer/mocha-5',
  });
  const policy = named(objects, 'sequencer-relayer').find(({ kind }) => kind === 'NetworkPolicy');
  expect(policy?.spec.policyTypes).toEqual(['Ingress']);
  const other = objectsIn((await create('--celestia-grpc http://other:9090 --json')).stdout);
  expect(variables(other, 'sequencer-relayer-settings')).toMatchObject({
    SVC_RELAYER_DA_GRPC_ENDPOINT: 'http://other:9090',
    SVC_RELAYER_DA_CHAIN_ID: 'mocha-5',
  });
  expect((await create('--show-secrets')).stderr).toMatch(/no signing key: give --celestia-key-file PATH/);
  writeFileSync(join(directory, 'key'), 'ab'.repeat(32), { mode: 0o600 });
  const keyFile = `--celestia-key-file ${join(directory, 'key')}`;
  expect((await create(`--show-secrets ${keyFile}`)).stdout).toContain('ab'.repeat(32));
  writeFileSync(join(directory, 'key'), relayerAccount.key);
  expect((await create(`--show-secrets ${keyFile}`)).stderr).toMatch(
    /--celestia-key-file: a published development key/,
  );
  const forced = objectsIn((await create(`--show-secrets --force --json ${keyFile}`)).stdout);
  expect(variables(forced, 'sequencer-relayer-settings')).toMatchObject({ SVC_RELAYER_ALLOW_DEV_KEY: 'true' });
});

test.each([
  ['--data-availability celestia', /^--celestia-grpc: expected the gRPC of a consensus node/],
  ['--celestia-grpc http://a:9090', /^--celestia-chain-id: expected the chain id/],
  ['--celestia-grpc a:9090 --celestia-chain-id mocha-5', /^--celestia-grpc: expected URLs that begin with http/],
  ['--data-availability local --celestia-chain-id a', /^--celestia-chain-id: expected --data-availability celestia/],
  ['--celestia-chain-id mocha-5', /^--celestia-chain-id: expected --data-availability celestia with it, got none/],
  [`--data-availability local --name ${'n'.repeat(45)}`, /^--name: .*at most 44/],
])('%s is refused', async (args, reason) => {
  expect(await place().create(args)).toMatchObject({ status: 2, stderr: expect.stringMatching(reason), stdout: '' });
});

test('a directory that is not of a network, and one that lacks a file, are refused', async () => {
  const { directory, create } = place();
  writeFileSync(join(directory, 'x'), '');
  expect(await create(`--files ${directory}`)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^--files: .* is not empty, and no network was made there/),
  });
  await create('');
  rmSync(join(directory, 'sequencer-network', 'node-1', 'cometbft', 'config', 'node_key.json'));
  expect(await create('')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/node_key\.json: cannot be read/),
  });
});
