import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './network.ts';

/** Programs and images that `scripts/celestia.mjs` builds. */
export interface CelestiaFiles {
  readonly celestia: string;
  readonly appd: string;
  /** Image of the light node of deployments. */
  readonly lightImage: string;
  /** Image of the consensus node of networks for tests. */
  readonly appImage: string;
}

/** The programs; undefined if they are not built, which is printed, so that a skipped scenario has its reason in the output. */
export function celestiaFiles(): CelestiaFiles | undefined {
  const script = join(root, 'scripts', 'celestia.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--built'], { encoding: 'utf8' });
  const [celestia, appd, lightImage, appImage] = stdout.trim().split('\n');
  if (status === 0 && celestia && appd && lightImage && appImage) return { celestia, appd, lightImage, appImage };
  console.log(`${stderr.trim()}; scenarios with Celestia are left out`);
  return undefined;
}

export const CELESTIA_CHAIN = 'celestia-e2e';

/** The names of the images in these files. */
export function imageNames({ lightImage, appImage }: CelestiaFiles): { readonly light: string; readonly app: string } {
  const getName = (file: string) => {
    const { status, stdout, stderr } = spawnSync('tar', ['-xOf', file, 'manifest.json'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr.trim());
    return String(JSON.parse(stdout)[0].RepoTags[0]);
  };
  return { light: getName(lightImage), app: getName(appImage) };
}

/** The files of a validator's home, by their name: a network of its own, whose keys are known to everyone. */
export async function makeGenesis(): Promise<Readonly<Record<string, string>>> {
  const work = mkdtempSync(join(tmpdir(), 'switchyard-celestia-'));
  try {
    const script = join(root, 'e2e', 'celestia', 'devnet.sh');
    const made = await run('bash', [script, 'genesis', work], { CELESTIA_CHAIN_ID: CELESTIA_CHAIN });
    if (made.status !== 0) throw new Error(made.stderr);
    return Object.fromEntries(
      Object.entries(HOME_FILES).map(([name, folder]) => [name, readFileSync(join(work, 'app', folder, name), 'utf8')]),
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const HOME_FILES: Readonly<Record<string, string>> = {
  'genesis.json': 'config',
  'config.toml': 'config',
  'app.toml': 'config',
  'client.toml': 'config',
  'node_key.json': 'config',
  'priv_validator_key.json': 'config',
  'priv_validator_state.json': 'data',
};

const SECURITY = {
  pod: { runAsNonRoot: true, runAsUser: 65_532, fsGroup: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
  container: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
};
const PORTS = { rpc: 26_657, grpc: 9_090, p2p: 2_121, bridgeRpc: 26_658 } as const;

/** A pod with a volume, and the Service with its name. */
function workload(
  namespace: string,
  name: string,
  spec: { readonly [key: string]: unknown },
  ports: readonly number[],
) {
  const metadata = { name, namespace };
  const labels = { app: name };
  const volume = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const template = {
    metadata: { labels },
    spec: { automountServiceAccountToken: false, securityContext: SECURITY.pod, ...spec },
  };
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: ports.map((port) => ({ name: `port-${port}`, port })) },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata,
      spec: {
        replicas: 1,
        serviceName: name,
        selector: { matchLabels: labels },
        template,
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: volume }],
      },
    },
  ];
}

/** A validator as a pod of a cluster for tests, whose add-ons have an image with a shell. */
export function validatorObjects(namespace: string, image: string, home: Readonly<Record<string, string>>): object[] {
  const volumeMounts = [
    { name: 'data', mountPath: '/data' },
    { name: 'home', mountPath: '/home', readOnly: true },
    { name: 'tmp', mountPath: '/tmp' },
  ];
  const copies = Object.entries(HOME_FILES).map(
    ([name, folder]) => `busybox cp /home/${name} /data/app/${folder}/${name}`,
  );
  const copy = `[ -e /data/app ] || { mkdir -p /data/app/config /data/app/data && ${copies.join(' && ')}; }`;
  const container = {
    name: 'validator',
    image,
    args: [
      ...['start', '--home', '/data/app', '--force-no-bbr', '--api.enable=false', '--minimum-gas-prices', '0.004utia'],
      ...['--delayed-precommit-timeout', '300ms', '--timeout-commit', '1ms'],
      ...['--rpc.laddr', `tcp://0.0.0.0:${PORTS.rpc}`, '--grpc.enable', '--grpc.address', `0.0.0.0:${PORTS.grpc}`],
    ],
    readinessProbe: { httpGet: { path: '/health', port: PORTS.rpc }, periodSeconds: 1 },
    securityContext: SECURITY.container,
    volumeMounts,
  };
  const shell = { name: 'home', image: 'localhost/busybox:1', args: ['-c', copy], securityContext: SECURITY.container };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'celestia-home', namespace }, stringData: home },
    ...workload(
      namespace,
      'celestia-validator',
      {
        initContainers: [{ ...shell, volumeMounts }],
        containers: [container],
        volumes: [
          { name: 'home', secret: { secretName: 'celestia-home' } },
          { name: 'tmp', emptyDir: {} },
        ],
      },
      [PORTS.rpc, PORTS.grpc],
    ),
  ];
}

/** A bridge node of that validator. Its RPC takes everything, from everyone. @param hash Hash of block 1, hexadecimal. */
export function bridgeObjects(namespace: string, image: string, hash: string): object[] {
  const shared = {
    image,
    env: [
      { name: 'CELESTIA_CUSTOM', value: `${CELESTIA_CHAIN}:${hash}` },
      { name: 'CELESTIA_BOOTSTRAPPER', value: 'true' },
    ],
    securityContext: SECURITY.container,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      { name: 'tmp', mountPath: '/tmp' },
    ],
  };
  const place = ['--node.store', '/data/bridge', '--p2p.network', CELESTIA_CHAIN];
  const serve = {
    name: 'bridge',
    command: ['/bin/celestia', 'bridge', 'start', ...place],
    args: [
      ...['--core.ip', `celestia-validator.${namespace}.svc.cluster.local`, '--core.port', String(PORTS.grpc)],
      ...['--rpc.addr', '0.0.0.0', '--rpc.skip-auth'],
    ],
    readinessProbe: { tcpSocket: { port: PORTS.bridgeRpc }, periodSeconds: 1 },
  };
  return workload(
    namespace,
    'celestia-bridge',
    {
      initContainers: [{ ...shared, name: 'init', command: ['/bin/celestia', 'bridge', 'init', ...place] }],
      containers: [{ ...shared, ...serve }],
      volumes: [{ name: 'tmp', emptyDir: {} }],
    },
    [PORTS.p2p, PORTS.bridgeRpc],
  );
}

/** From a validator's JSON-RPC: the hash of block 1. */
export async function firstBlockHash(address: string): Promise<string> {
  const response = await fetch(`http://${address}:${PORTS.rpc}/block?height=1`);
  const { result } = (await response.json()) as { result: { block_id: { hash: string } } };
  if (!/^[0-9A-F]{64}$/.test(result.block_id.hash)) throw new Error('block 1 has no hash yet');
  return result.block_id.hash;
}

/** The id of a bridge node on its peer-to-peer network. @param address Address of its pod. */
export async function bridgeId(address: string): Promise<string> {
  return (await askBridge<{ ID: string }>(address, 'p2p.Info')).ID;
}

/** The height of the newest header that a bridge node has. @param address Address of its pod. */
export async function bridgeHead(address: string): Promise<number> {
  return Number((await askBridge<{ header: { height: string } }>(address, 'header.LocalHead')).header.height);
}

async function askBridge<T>(address: string, method: string): Promise<T> {
  const response = await fetch(`http://${address}:${PORTS.bridgeRpc}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
  });
  const { result } = (await response.json()) as { result: T };
  return result;
}

export function bridgeAddress(namespace: string, id: string): string {
  return `/dns4/celestia-bridge.${namespace}.svc.cluster.local/tcp/${PORTS.p2p}/p2p/${id}`;
}
