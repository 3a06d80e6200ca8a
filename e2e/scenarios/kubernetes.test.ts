import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, clusterProblem, type Image, packImage, startCluster } from '../support/cluster.ts';
import { CONTAINER_SECURITY, POD_SECURITY, sequencerObjects } from '../support/cluster-sequencer.ts';
import { createNetwork, root, run, until } from '../support/network.ts';

/** The image in a Kubernetes cluster: without rights and with a read-only root, reached through an ingress by its name. */
const NAMESPACE = 'image-test';
const HOST = 'sequencer.image-test.localhost';
const MINUTE_MS = 60_000;
/** The limit of the project for the image, uncompressed. */
const MAX_IMAGE_BYTES = 250_000_000;

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

describe.skipIf(clusterProblem() !== undefined)('in a Kubernetes cluster', () => {
  let work: string;
  let cluster: Cluster;
  let image: Image;

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'switchyard-kubernetes-'));
    [image, cluster] = await Promise.all([packImage(work), startCluster()]);
    await cluster.load(image.file);
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  }, 5 * MINUTE_MS);

  afterAll(async () => {
    await cluster?.stop();
    rmSync(work, { recursive: true, force: true });
  }, MINUTE_MS);

  const kubectl = (...args: string[]) => cluster.kubectl('--namespace', NAMESPACE, ...args);

  /** The sequencer's status through the ingress; undefined while there is none. */
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
      await cluster.apply(
        ...sequencerObjects({
          namespace: NAMESPACE,
          host: HOST,
          image: image.name,
          genesis: genesis ?? '',
          key: key ?? '',
        }),
      );
      await kubectl('rollout', 'status', 'deployment/sequencer', '--timeout=120s');
      const before = await until(
        'the sequencer produces blocks',
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

  test(
    'the command line installs the ingress controller again, and leaves that of another owner alone',
    async () => {
      const install = () => {
        const bin = join(root, 'packages', 'cli', 'bin', 'switchyard.mjs');
        const args = ['cluster', 'deploy-ingress-controller', '--kubeconfig', cluster.kubeconfig];
        return run(process.execPath, [bin, ...args, '--image', 'localhost/traefik:3.7.13', '--timeout', '60']);
      };
      await cluster.kubectl('--namespace', 'switchyard-ingress', 'delete', 'deployment/traefik');
      expect(await install()).toMatchObject({
        status: 0,
        stdout: `ingress controller answers at http://${cluster.ingress}\n`,
      });
      const label = (owner: string) =>
        cluster.kubectl('label', 'ingressclass/traefik', `app.kubernetes.io/managed-by=${owner}`, '--overwrite');
      await label('others');
      const refused = await install();
      await label('switchyard');
      expect([refused.status, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/the cluster has an ingress class traefik already/),
      ]);
    },
    2 * MINUTE_MS,
  );

  test('the address without a name belongs to no workload', async () => {
    expect(await cluster.get(cluster.ingress, '/status')).toMatchObject({ status: 404 });
  });
});
