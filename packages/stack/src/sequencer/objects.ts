import { PLACES } from '../container.ts';
import { computeDigest } from '../kubernetes/digest.ts';
import {
  anyPods,
  configMap,
  ingressObject,
  inOrder,
  type KubernetesObject,
  ownerObjects,
  secretObject,
  serviceObject,
  tcp,
  toMetadata,
  toPods,
  toSelector,
} from '../kubernetes/objects.ts';
import {
  CLAIM,
  container,
  podObjects,
  programContainer,
  readOnly,
  SLOW_START,
  secretVolume,
  temporary,
  toState,
} from '../kubernetes/pods.ts';
import { namesInside } from '../names.ts';
import { NODE_PORTS as PORTS } from '../ports.ts';
import { settingsFor } from '../process.ts';
import { sequencer } from '../processes/sequencer.ts';
import { settingsIn } from '../values.ts';
import { layerObjects } from './layer-objects.ts';
import { peerService, SEQUENCER, type SequencerNetwork, sequencerHost, sequencerPod, toOwner } from './network.ts';

/** Containers of each pod. */
export const COMETBFT = 'cometbft';
/** Names of the files that a node takes from the volumes below, each after its own name and a dot. */
const FILES = { config: 'config.toml', nodeKey: 'node_key.json', validatorKey: 'priv_validator_key.json' } as const;
const GENESIS = 'genesis.json';
const NETWORK_FILES = '/etc/switchyard/network';
const KEYS = '/etc/switchyard/keys';

/** All objects of a network, in the order in which they are applied. */
export function sequencerObjects(network: SequencerNetwork): readonly KubernetesObject[] {
  const { name, nodes, storageSize: size, storageClassName: className } = network;
  const owner = toOwner(network);
  const metadata = (rest = '') => toMetadata(owner, `${name}${rest}`, SEQUENCER);
  const files = (...which: readonly (keyof typeof FILES)[]) =>
    Object.fromEntries(
      nodes.flatMap((node, index) => which.map((file) => [`${sequencerPod(name, index)}.${FILES[file]}`, node[file]])),
    );
  const reads = [
    secretObject(metadata('-keys'), files('nodeKey', 'validatorKey')),
    configMap(metadata('-network'), { [GENESIS]: network.genesis, ...files('config') }),
    configMap(metadata('-settings'), getSettings(network)),
  ];
  const selector = toSelector(name, SEQUENCER);
  const services = [
    serviceObject(metadata(), selector, { rpc: PORTS.rpc, grpc: PORTS.grpc }, 'ready'),
    // Nodes find each other before any of them is ready: none is without the others.
    serviceObject({ ...metadata(), name: peerService(name) }, selector, { p2p: PORTS.p2p }, 'each'),
  ];
  const validators = nodes.filter(({ isValidator }) => isValidator).length;
  return inOrder([
    ...ownerObjects(owner),
    ...podObjects({
      ...{ metadata: metadata(), owner: name, workload: SEQUENCER, reads, digest: computeDigest(reads) },
      ...{ services, serviceName: peerService(name) },
      policy: {
        ingress: [
          { ports: tcp(PORTS.rpc, PORTS.grpc) },
          { from: [toPods(name, SEQUENCER)], ports: tcp(PORTS.p2p) },
          { from: [anyPods()], ports: tcp(PORTS.metrics, PORTS.cometMetrics) },
        ],
      },
      ...{ init: filesPlaced(network), containers: [application(network), engine(network)] },
      volumes: [{ name: 'network', configMap: { name: `${name}-network` } }, secretVolume('keys', `${name}-keys`)],
      storage: { size, className, genesis: sequencerGenesisDigest(network) },
      // Blocks need more than two thirds. With fewer than four, each drain is a pause.
      several: { replicas: nodes.length, maxUnavailable: Math.max(1, Math.floor((validators - 1) / 3)) },
    }),
    ingressObject(metadata(), [[sequencerHost(network), name, 'rpc']], { className: network.ingressClassName }),
    ...layerObjects(network),
  ]);
}

/** Digest of the genesis of a chain: another genesis has another one. */
export const sequencerGenesisDigest = ({ genesis }: Pick<SequencerNetwork, 'genesis'>): string =>
  computeDigest(genesis);

/** The name of the volume of a node. */
export const sequencerClaim = (name: string, index: number): string => `${CLAIM}-${sequencerPod(name, index)}`;

/** Prints the newest height as JSON when run in a pod of the network. */
export const HEIGHT_COMMAND: readonly string[] = [
  ...['node', '/app/bin/switchyard.mjs', 'sequencer', 'blockheight', 'get', '--json'],
  ...['--sequencer-url', `http://127.0.0.1:${PORTS.rpc}`],
];

const home = toState(COMETBFT);

function getSettings({ name, namespace, logLevel }: SequencerNetwork): Record<string, string> {
  const entries = settingsFor(sequencer, {
    ...{ engine: COMETBFT, listenAddr: `tcp://127.0.0.1:${PORTS.abci}` },
    ...{ cometbftRpcUrl: `http://127.0.0.1:${PORTS.rpc}`, grpcAddr: `0.0.0.0:${PORTS.grpc}` },
    ...{ allowedHosts: namesInside(name, namespace), dbFilepath: `${PLACES.data}/${SEQUENCER}` },
    ...{ log: logLevel, metricsHttpListenerAddr: `0.0.0.0:${PORTS.metrics}` },
  });
  return settingsIn(entries);
}

/** It alone sees the keys of the others, before anything listens. */
const filesPlaced = ({ image }: SequencerNetwork) =>
  container({
    ...{ name: 'place', image, memory: '96Mi', memoryLimit: '192Mi' },
    args: [
      ...['network', 'place', '--node', '$(POD_NAME)', '--home', home.mountPath],
      ...['--files', NETWORK_FILES, '--keys', KEYS],
    ],
    env: [{ name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    mounts: [temporary('place'), home, readOnly('network', NETWORK_FILES), readOnly('keys', KEYS)],
  });

const application = ({ name, image }: SequencerNetwork) =>
  programContainer(sequencer, {
    ...{ image, settings: `${name}-settings`, cpu: '100m', memory: '192Mi', memoryLimit: '512Mi' },
    ports: { grpc: PORTS.grpc, 'seq-met': PORTS.metrics },
    probes: { alive: { grpc: { port: PORTS.grpc } }, startup: SLOW_START },
    mounts: [temporary(SEQUENCER), toState(SEQUENCER)],
  });

const engine = ({ cometImage }: SequencerNetwork) =>
  container({
    ...{ name: COMETBFT, image: cometImage, cpu: '100m', memory: '96Mi', memoryLimit: '512Mi' },
    command: ['cometbft', 'start', '--home', home.mountPath],
    env: [{ name: 'GOMEMLIMIT', value: '400MiB' }],
    ports: { rpc: PORTS.rpc, p2p: PORTS.p2p, 'comet-met': PORTS.cometMetrics },
    // It answers before its application does: the startup probe of that one holds the pod back.
    probes: { alive: { httpGet: { path: '/health', port: PORTS.rpc } }, startup: SLOW_START },
    mounts: [temporary(COMETBFT), home],
  });
