import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Container, Namespace, Secret, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { settingsIn } from '../process.ts';
import { sequencer, sequencerSettings } from '../processes/sequencer.ts';
import { digestOf } from '../workloads/digest.ts';
import { labelsOf, MANAGER, SEQUENCER, selectorOf } from '../workloads/metadata.ts';
import { inOrder, type KubernetesObject } from '../workloads/objects.ts';
import { commandOf, containerSecurity, GENESIS_ANNOTATION, podDefaults } from '../workloads/pods.ts';
import { layerObjects } from './layer-objects.ts';
import {
  namesInside,
  SEQUENCER_PORTS as PORTS,
  peerService,
  type SequencerNetwork,
  sequencerHost,
  sequencerPod,
} from './network.ts';

/** Containers of each pod. */
export const COMETBFT = 'cometbft';
/** Names of the files that a node takes from the volumes below, each after its own name and a dot. */
const FILES = { config: 'config.toml', nodeKey: 'node_key.json', validatorKey: 'priv_validator_key.json' } as const;
const GENESIS = 'genesis.json';
const PLACES = {
  network: '/etc/switchyard/network',
  keys: '/etc/switchyard/keys',
  home: '/data/cometbft',
  data: '/data/sequencer',
} as const;
const MEMORY = { sequencer: '192Mi', cometbft: '96Mi', cometLimit: '512Mi', sequencerLimit: '512Mi' } as const;
const CLAIM = 'data';

/** All objects of a network, in the order in which they are applied. */
export function sequencerObjects(network: SequencerNetwork): readonly KubernetesObject[] {
  const { name, namespace, nodes } = network;
  const metadata = (part = '') => ({
    name: `${name}${part}`,
    namespace,
    labels: { ...labelsOf('sequencer', name, SEQUENCER) },
  });
  const pods = { matchLabels: selectorOf(name, SEQUENCER) };
  const files = (choose: (node: (typeof nodes)[number]) => Readonly<Partial<Record<keyof typeof FILES, string>>>) =>
    Object.fromEntries(
      nodes.flatMap((node, index) =>
        Object.entries(choose(node)).map(([file, text]) => [
          // The keys of the table.
          `${sequencerPod(name, index)}.${FILES[file as keyof typeof FILES]}`,
          text ?? '',
        ]),
      ),
    );
  const owner: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'app.kubernetes.io/managed-by': MANAGER } },
  };
  const account: ServiceAccount = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(),
    automountServiceAccountToken: false,
  };
  const keys: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('-keys'),
    type: 'Opaque',
    stringData: files(({ nodeKey, validatorKey }) => ({ nodeKey, validatorKey })),
  };
  const shared: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('-network'),
    data: { [GENESIS]: network.genesis, ...files(({ config }) => ({ config })) },
  };
  const settings: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata('-settings'),
    data: settingsOf(network),
  };
  const port = (which: 'rpc' | 'grpc' | 'p2p') => ({ name: which, port: PORTS[which], targetPort: which });
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(),
    spec: { selector: pods.matchLabels, ports: [port('rpc'), port('grpc')] },
  };
  const peers: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata(), name: peerService(name) },
    // Nodes find each other before any of them is ready: none is without the others.
    spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector: pods.matchLabels, ports: [port('p2p')] },
  };
  const policy: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(),
    spec: {
      podSelector: pods,
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [tcp(PORTS.rpc), tcp(PORTS.grpc)] },
        { from: [{ podSelector: pods }], ports: [tcp(PORTS.p2p)] },
        { from: [{ namespaceSelector: {} }], ports: [tcp(PORTS.metrics), tcp(PORTS.cometMetrics)] },
      ],
    },
  };
  const validators = nodes.filter(({ isValidator }) => isValidator).length;
  const budget: PodDisruptionBudget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(),
    spec: {
      // Blocks need more than two thirds. With fewer than four, each drain is a pause.
      maxUnavailable: Math.max(1, Math.floor((validators - 1) / 3)),
      selector: pods,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
  const ingress: Ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata(),
    spec: {
      ...(network.ingressClassName === undefined ? {} : { ingressClassName: network.ingressClassName }),
      rules: [
        {
          host: sequencerHost(network),
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { name: 'rpc' } } } }],
          },
        },
      ],
    },
  };
  const set = statefulSet(network, metadata(), digestOf([keys, shared, settings]));
  return inOrder([
    ...[owner, account, keys, shared, settings, service, peers, policy, budget, set, ingress],
    ...layerObjects(network),
  ]);
}

/** Digest of the genesis of a chain: another genesis has another one. */
export const sequencerGenesisDigest = ({ genesis }: Pick<SequencerNetwork, 'genesis'>): string => digestOf(genesis);

/** The name of the volume of a node. */
export const sequencerClaim = (name: string, index: number): string => `${CLAIM}-${sequencerPod(name, index)}`;

/** Prints the newest height as JSON when run in a pod of the network. */
export const HEIGHT_COMMAND: readonly string[] = [
  ...['node', '/app/bin/switchyard.mjs', 'sequencer', 'blockheight', 'get', '--json'],
  ...['--sequencer-url', `http://127.0.0.1:${PORTS.rpc}`],
];

const tcp = (port: number) => ({ protocol: 'TCP' as const, port });

function settingsOf({ name, namespace, logLevel }: SequencerNetwork): { [variable: string]: string } {
  const entries = sequencerSettings({
    engine: { kind: COMETBFT, abci: `tcp://127.0.0.1:${PORTS.abci}`, rpc: `http://127.0.0.1:${PORTS.rpc}` },
    ...{ grpc: `0.0.0.0:${PORTS.grpc}`, hostNames: namesInside(name, namespace), data: PLACES.data },
    ...{ log: logLevel, metrics: `0.0.0.0:${PORTS.metrics}` },
  });
  return settingsIn(entries);
}

function statefulSet(
  network: SequencerNetwork,
  metadata: { name: string; namespace: string; labels: { [key: string]: string } },
  digest: string,
): StatefulSet {
  const { name, nodes, image, cometImage, storageClassName, storageSize } = network;
  const pods = { matchLabels: selectorOf(name, SEQUENCER) };
  const tmp = (part: string) => ({ name: 'tmp', mountPath: '/tmp', subPath: part });
  const home = { name: CLAIM, mountPath: PLACES.home, subPath: COMETBFT };
  // It alone sees the keys of the others, before anything listens.
  const place: Container = {
    name: 'place',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: [
      ...['network', 'place', '--node', '$(POD_NAME)', '--home', PLACES.home],
      ...['--files', PLACES.network, '--keys', PLACES.keys],
    ],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    resources: { requests: { memory: '96Mi' }, limits: { memory: '192Mi' } },
    securityContext: containerSecurity(),
    volumeMounts: [
      tmp('place'),
      home,
      { name: 'network', mountPath: PLACES.network, readOnly: true },
      { name: 'keys', mountPath: PLACES.keys, readOnly: true },
    ],
  };
  const grpcProbe = { grpc: { port: PORTS.grpc } };
  const application: Container = {
    name: SEQUENCER,
    image,
    imagePullPolicy: 'IfNotPresent',
    command: commandOf(sequencer, MEMORY.sequencerLimit),
    envFrom: [{ configMapRef: { name: `${name}-settings` } }],
    ports: [
      { name: 'grpc', containerPort: PORTS.grpc },
      { name: 'seq-met', containerPort: PORTS.metrics },
    ],
    resources: { requests: { cpu: '100m', memory: MEMORY.sequencer }, limits: { memory: MEMORY.sequencerLimit } },
    securityContext: containerSecurity(),
    // A long chain may take minutes to open.
    startupProbe: { ...grpcProbe, periodSeconds: 2, failureThreshold: 300 },
    livenessProbe: { ...grpcProbe, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...grpcProbe, periodSeconds: 3, timeoutSeconds: 3 },
    volumeMounts: [tmp(SEQUENCER), { name: CLAIM, mountPath: PLACES.data, subPath: SEQUENCER }],
  };
  // It answers before its application does: the startup probe of that one holds the pod back.
  const cometProbe = { httpGet: { path: '/health', port: PORTS.rpc } };
  const engine: Container = {
    name: COMETBFT,
    image: cometImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['cometbft', 'start', '--home', PLACES.home],
    env: [{ name: 'GOMEMLIMIT', value: '400MiB' }],
    ports: [
      { name: 'rpc', containerPort: PORTS.rpc },
      { name: 'p2p', containerPort: PORTS.p2p },
      { name: 'comet-met', containerPort: PORTS.cometMetrics },
    ],
    resources: { requests: { cpu: '100m', memory: MEMORY.cometbft }, limits: { memory: MEMORY.cometLimit } },
    securityContext: containerSecurity(),
    startupProbe: { ...cometProbe, periodSeconds: 2, failureThreshold: 300 },
    livenessProbe: { ...cometProbe, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...cometProbe, periodSeconds: 3, timeoutSeconds: 3 },
    volumeMounts: [tmp(COMETBFT), home],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: nodes.length,
      serviceName: peerService(name),
      // None makes a block alone. Changes are still made one pod after another.
      podManagementPolicy: 'Parallel',
      // Blocks that a pod missed have come from the others by then.
      minReadySeconds: 5,
      selector: pods,
      template: {
        metadata: { labels: { ...metadata.labels }, annotations: { 'switchyard/settings': digest } },
        spec: {
          ...podDefaults({ name }),
          topologySpreadConstraints: [
            {
              ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
              labelSelector: pods,
            },
          ],
          initContainers: [place],
          containers: [application, engine],
          volumes: [
            { name: 'network', configMap: { name: `${name}-network` } },
            { name: 'keys', secret: { secretName: `${name}-keys`, defaultMode: 0o400 } },
            { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: {
            name: CLAIM,
            labels: { ...metadata.labels },
            annotations: { [GENESIS_ANNOTATION]: sequencerGenesisDigest(network) },
          },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(storageClassName === undefined ? {} : { storageClassName }),
            resources: { requests: { storage: storageSize } },
          },
        },
      ],
    },
  };
}
