import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, clusterProblem, startCluster } from '../support/cluster.ts';
import { createNetwork, root, run, until } from '../support/network.ts';

/** The image in a Kubernetes cluster: without rights and with a read-only root, reached through an ingress by its name. */
const NAMESPACE = 'image-test';
const HOST = 'sequencer.image-test.localhost';
const MINUTE_MS = 60_000;
/** The limit of the project for the image, uncompressed. */
const MAX_IMAGE_BYTES = 250_000_000;

const POD_SECURITY = {
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
  // Volumes belong to this group.
  fsGroup: 65_532,
};
const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

interface Image {
  readonly name: string;
  readonly file: string;
  readonly size: number;
}

const metadata = (name: string) => ({ name, namespace: NAMESPACE });

/** A pod that runs the command line once. */
const onePod = (name: string, image: string, args: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadata(name),
  spec: {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: POD_SECURITY,
    containers: [{ name, image, args, securityContext: CONTAINER_SECURITY }],
  },
});

function sequencerObjects(image: string, genesis: string, key: string): object[] {
  const labels = { app: 'sequencer' };
  const settings = {
    SVC_SEQUENCER_RPC_ADDR: '0.0.0.0:26657',
    SVC_SEQUENCER_ALLOWED_HOSTS: HOST,
    SVC_SEQUENCER_PROXY_COUNT: '1',
    SVC_SEQUENCER_DB_FILEPATH: '/data/sequencer',
    SVC_SEQUENCER_GENESIS_FILEPATH: '/config/genesis/genesis.json',
    SVC_SEQUENCER_PRIV_VALIDATOR_KEY_FILE: '/config/key/priv_validator_key.json',
    SVC_SEQUENCER_EMPTY_BLOCK_INTERVAL_MS: '500',
  };
  const container = {
    name: 'sequencer',
    image,
    command: ['/usr/local/bin/node', '/app/bin/sequencer.mjs'],
    env: Object.entries(settings).map(([name, value]) => ({ name, value })),
    ports: [{ name: 'rpc', containerPort: 26_657 }],
    readinessProbe: { httpGet: { path: '/health', port: 'rpc' }, periodSeconds: 1 },
    securityContext: CONTAINER_SECURITY,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'genesis', mountPath: '/config/genesis', readOnly: true },
      { name: 'key', mountPath: '/config/key', readOnly: true },
    ],
  };
  const volumes = [
    { name: 'data', persistentVolumeClaim: { claimName: 'sequencer' } },
    { name: 'genesis', configMap: { name: 'genesis' } },
    { name: 'key', secret: { secretName: 'validator-key', defaultMode: 0o440 } },
  ];
  const backend = { service: { name: 'sequencer', port: { name: 'rpc' } } };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('genesis'), data: { 'genesis.json': genesis } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: metadata('validator-key'),
      stringData: { 'priv_validator_key.json': key },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('sequencer'),
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('sequencer'),
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            securityContext: POD_SECURITY,
            terminationGracePeriodSeconds: 10,
            containers: [container],
            volumes,
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('sequencer'),
      spec: { selector: labels, ports: [{ name: 'rpc', port: 26_657, targetPort: 'rpc' }] },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: metadata('sequencer'),
      spec: { rules: [{ host: HOST, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] },
    },
  ];
}

describe.skipIf(clusterProblem() !== undefined)('in a Kubernetes cluster', () => {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-kubernetes-'));
  let cluster: Cluster;
  let image: Image;

  beforeAll(async () => {
    const out = join(work, 'image.tar');
    const made = await run(process.execPath, [join(root, 'scripts', 'image.mjs'), '--built', '--json', '--out', out]);
    if (made.status !== 0) throw new Error(made.stderr);
    image = JSON.parse(made.stdout);
    cluster = await startCluster();
    await cluster.load(image.file);
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  }, 5 * MINUTE_MS);

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true, force: true });
  }, MINUTE_MS);

  const kubectl = (...args: string[]) => cluster.kubectl('--namespace', NAMESPACE, ...args);

  /** What the sequencer shows of itself through the ingress; undefined while there is none. */
  async function status(): Promise<{ network: string; height: number } | undefined> {
    const answer = await cluster.get(HOST, '/status');
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`);
    const { node_info: node, sync_info: sync } = JSON.parse(answer.text).result;
    return { network: node.network, height: Number(sync.latest_block_height) };
  }

  test('the image is as small as it may be', () => {
    expect(image.size).toBeLessThan(MAX_IMAGE_BYTES);
  });

  test('the command line runs in a pod without rights and with a read-only root', async () => {
    await cluster.apply(onePod('version', image.name, ['version']));
    await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/version', '--timeout=60s');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(await kubectl('logs', 'version')).toContain(`switchyard ${version}, node `);
  });

  test(
    'a sequencer answers by its host name, and its blocks are there after its pod was killed',
    async () => {
      const network = await createNetwork();
      const config = join(network.home, network.instance, 'config');
      const [genesis, key] = ['genesis.json', 'priv_validator_key.json'].map((name) =>
        readFileSync(join(config, name), 'utf8'),
      );
      await cluster.apply(...sequencerObjects(image.name, genesis ?? '', key ?? ''));
      await kubectl('rollout', 'status', 'deployment/sequencer', '--timeout=120s');
      const before = await until(
        'the sequencer makes blocks',
        async () => {
          const now = await status();
          return now !== undefined && now.height >= 2 ? now : undefined;
        },
        MINUTE_MS,
        200,
      );
      expect(before.network).toBe(JSON.parse(genesis ?? '').chain_id);

      const pods = () => kubectl('get', 'pods', '-l', 'app=sequencer', '-o', 'jsonpath={.items[*].metadata.name}');
      const [first] = (await pods()).split(' ');
      await kubectl('delete', 'pod', first ?? '', '--grace-period=1');
      const second = await until(
        'another pod takes its place',
        async () => {
          const [name] = (await pods()).split(' ').filter((each) => each !== '' && each !== first);
          return name;
        },
        MINUTE_MS,
        200,
      );
      await kubectl('wait', '--for=condition=Ready', `pod/${second}`, '--timeout=120s');
      const after = await until('it answers again', status, MINUTE_MS, 200);
      expect(after.network).toBe(before.network);
      expect(after.height).toBeGreaterThanOrEqual(before.height);
    },
    5 * MINUTE_MS,
  );

  test('the address without a name belongs to no workload', async () => {
    expect(await cluster.get(cluster.ingress, '/status')).toMatchObject({ status: 404 });
  });

  test(
    'a node that was rebooted serves again, with its workloads',
    async () => {
      await cluster.reboot(1);
      const answer = await until('the sequencer answers after a reboot', status, 3 * MINUTE_MS, 500);
      expect(answer.height).toBeGreaterThan(1);
    },
    5 * MINUTE_MS,
  );
});
