import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Secret, Service } from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { settingsIn } from '../process.ts';
import { LOCAL_LAYER, localLayerSettings } from '../processes/da.ts';
import { relayerSettings } from '../processes/relayer.ts';
import { type LayerProcess, PROGRAMS } from '../programs.ts';
import { digestOf } from '../workloads/digest.ts';
import { EMPTY_LAYER_BLOCK_MS, LAYER_MEMORY, LOCAL_BATCH_MS } from '../workloads/layer.ts';
import { labelsOf, SEQUENCER, selectorOf } from '../workloads/metadata.ts';
import type { KubernetesObject } from '../workloads/objects.ts';
import { commandOf, containerSecurity, podDefaults } from '../workloads/pods.ts';
import { LAYER_PORTS, PLACES } from '../workloads/site.ts';
import {
  type CelestiaLayer,
  LOCAL_LAYER_PART,
  type LocalNetworkLayer,
  type NetworkRelayer,
  namesInside,
  partName,
  RELAYER,
  SEQUENCER_PORTS,
  type SequencerNetwork,
  sequencerUrls,
} from './network.ts';

/** On everything of the local layer: it gives no availability. */
export const DEVELOPMENT_LABEL = 'switchyard/development-only';

const CLAIM = 'data';
/** The relayer keeps some positions and the transactions under way. */
const RELAYER_STORAGE = '256Mi';

/** Objects of the relayer of a network, and of the local layer where it posts to that one. */
export function layerObjects(network: SequencerNetwork): readonly KubernetesObject[] {
  const { relayer } = network;
  if (relayer === undefined) return [];
  const { layer } = relayer;
  return [...(layer.kind === 'local' ? localLayerObjects(network, layer) : []), ...relayerObjects(network, relayer)];
}

function relayerObjects(network: SequencerNetwork, { key, layer, allowDevKey }: NetworkRelayer): KubernetesObject[] {
  const { name, namespace, chainId, logLevel } = network;
  const { rpc, grpc } = sequencerUrls(network);
  const of = celestiaOf(network, layer);
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(network, RELAYER, '-key'),
    type: 'Opaque',
    stringData: { [PLACES.keyFile]: key },
  };
  const settings: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(network, RELAYER, '-settings'),
    data: settingsIn(
      relayerSettings({
        sequencer: { rpc, grpc, chainId },
        ...{
          layerGrpc: of.grpc,
          layerChainId: of.chainId,
          batchMs: layer.kind === 'local' ? LOCAL_BATCH_MS : undefined,
        },
        ...{ keyFile: `${PLACES.key}/${PLACES.keyFile}`, allowDevKey },
        // The relayer's positions are those of one layer: with another one it begins anew.
        data: `${PLACES.data}/${RELAYER}/${of.chainId}`,
        ...{ health: all(LAYER_PORTS.relayer.health), metrics: all(LAYER_PORTS.relayer.metrics), log: logLevel },
        hostNames: namesInside(partName(name, RELAYER), namespace),
      }),
    ),
  };
  const policy: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(network, RELAYER),
    spec: {
      podSelector: { matchLabels: selectorOf(name, RELAYER) },
      // A node of Celestia may be anywhere.
      policyTypes: layer.kind === 'local' ? ['Ingress', 'Egress'] : ['Ingress'],
      // Explorers are in any namespace. It takes no orders.
      ingress: [
        {
          from: [{ namespaceSelector: {} }],
          ports: [tcp(LAYER_PORTS.relayer.health), tcp(LAYER_PORTS.relayer.metrics)],
        },
      ],
      ...(layer.kind === 'local'
        ? {
            egress: [
              {
                to: [{ podSelector: { matchLabels: selectorOf(name, SEQUENCER) } }],
                ports: [tcp(SEQUENCER_PORTS.rpc), tcp(SEQUENCER_PORTS.grpc)],
              },
              {
                to: [{ podSelector: { matchLabels: selectorOf(name, LOCAL_LAYER_PART) } }],
                ports: [tcp(LAYER_PORTS.da.grpc)],
              },
              { ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] },
            ],
          }
        : {}),
    },
  };
  const set = statefulSet(network, {
    ...{ part: RELAYER, health: LAYER_PORTS.relayer.health, ports: LAYER_PORTS.relayer },
    ...{ cpu: '100m', storage: RELAYER_STORAGE, digest: digestOf([secret, settings]), secret: secretName(network) },
  });
  return [secret, settings, headless(network), policy, budget(network, RELAYER), set];
}

function localLayerObjects(network: SequencerNetwork, { account }: LocalNetworkLayer): KubernetesObject[] {
  const { name, namespace, logLevel, storageSize } = network;
  const part = LOCAL_LAYER_PART;
  const { rpc, grpc, metrics } = LAYER_PORTS.da;
  const settings: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(network, part, '-settings'),
    data: settingsIn(
      localLayerSettings({
        ...{ account, rpc: all(rpc), grpc: all(grpc), metrics: all(metrics), log: logLevel },
        ...{ emptyBlockMs: EMPTY_LAYER_BLOCK_MS, data: `${PLACES.data}/${part}` },
        hostNames: namesInside(partName(name, part), namespace),
      }),
    ),
  };
  const service: Service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(network, part),
    spec: {
      selector: selectorOf(name, part),
      // There is no other pod to ask, and it has blocks as soon as it listens.
      publishNotReadyAddresses: true,
      ports: [
        { name: 'rpc', port: rpc, targetPort: 'rpc' },
        { name: 'grpc', port: grpc, targetPort: 'grpc' },
      ],
    },
  };
  const policy: NetworkPolicy = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: metadata(network, part),
    spec: {
      podSelector: { matchLabels: selectorOf(name, part) },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        { ports: [tcp(rpc)] },
        { from: [{ podSelector: { matchLabels: selectorOf(name, RELAYER) } }], ports: [tcp(grpc)] },
        { from: [{ namespaceSelector: {} }], ports: [tcp(metrics)] },
      ],
      // It calls no other process.
      egress: [],
    },
  };
  const set = statefulSet(network, {
    ...{ part, health: rpc, ports: LAYER_PORTS.da, cpu: '100m', storage: storageSize, digest: digestOf(settings) },
  });
  return [settings, service, policy, budget(network, part), set];
}

/** Where the relayer reaches the layer, and of which chain that is. */
function celestiaOf({ name, namespace }: SequencerNetwork, layer: LocalNetworkLayer | CelestiaLayer) {
  if (layer.kind === 'celestia') return layer;
  const host = `${partName(name, LOCAL_LAYER_PART)}.${namespace}.svc`;
  return { grpc: `http://${host}:${LAYER_PORTS.da.grpc}`, chainId: LOCAL_LAYER };
}

type Part = typeof RELAYER | typeof LOCAL_LAYER_PART;

const all = (port: number) => `0.0.0.0:${port}`;
const tcp = (port: number) => ({ protocol: 'TCP' as const, port });
const secretName = ({ name }: SequencerNetwork) => `${partName(name, RELAYER)}-key`;

function metadata({ name, namespace }: SequencerNetwork, part: Part, rest = '') {
  return {
    name: `${partName(name, part)}${rest}`,
    namespace,
    labels: {
      ...labelsOf('sequencer', name, part),
      ...(part === LOCAL_LAYER_PART ? { [DEVELOPMENT_LABEL]: 'true' } : {}),
    },
  };
}

/** Its StatefulSet has to name one. It answers what it has posted while it cannot post, too. */
function headless(network: SequencerNetwork): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(network, RELAYER),
    spec: {
      ...{ clusterIP: 'None', publishNotReadyAddresses: true, selector: selectorOf(network.name, RELAYER) },
      ports: [
        { name: 'health', port: LAYER_PORTS.relayer.health, targetPort: 'health' },
        { name: 'metrics', port: LAYER_PORTS.relayer.metrics, targetPort: 'metrics' },
      ],
    },
  };
}

function budget(network: SequencerNetwork, part: Part): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: metadata(network, part),
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: selectorOf(network.name, part) },
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
}

interface OnePod {
  /** Also the name of the program. */
  readonly part: Part & LayerProcess;
  readonly health: number;
  readonly ports: Readonly<Record<string, number>>;
  readonly cpu: string;
  readonly storage: string;
  /** Digest of all that the pod reads when it starts. */
  readonly digest: string;
  /** With its key. */
  readonly secret?: string;
}

/** One pod with its volume, and never a second one: a key signs in one place, and a chain has one writer. */
function statefulSet(network: SequencerNetwork, of: OnePod): StatefulSet {
  const { name, image, storageClassName } = network;
  const { part, health, ports, cpu, storage, digest, secret } = of;
  const memory = LAYER_MEMORY[part];
  const program = PROGRAMS[part];
  const meta = metadata(network, part);
  const probe = (path: string) => ({ httpGet: { path, port: health } });
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta,
    spec: {
      replicas: 1,
      serviceName: partName(name, part),
      selector: { matchLabels: selectorOf(name, part) },
      template: {
        metadata: { labels: { ...meta.labels }, annotations: { 'switchyard/settings': digest } },
        spec: {
          ...podDefaults({ name }),
          containers: [
            {
              name: part,
              image,
              imagePullPolicy: 'IfNotPresent',
              command: commandOf(program, memory),
              envFrom: [{ configMapRef: { name: `${partName(name, part)}-settings` } }],
              ports: Object.entries(ports).map(([port, number]) => ({ name: port, containerPort: number })),
              resources: { requests: { cpu, memory }, limits: { memory } },
              securityContext: containerSecurity(),
              // A long chain may take a while to open.
              startupProbe: { ...probe('/healthz'), periodSeconds: 1, failureThreshold: 600 },
              livenessProbe: { ...probe('/healthz'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
              readinessProbe: { ...probe(program.ready.path), periodSeconds: 3, timeoutSeconds: 3 },
              volumeMounts: [
                { name: 'tmp', mountPath: '/tmp' },
                { name: CLAIM, mountPath: `${PLACES.data}/${part}`, subPath: part },
                ...(secret === undefined ? [] : [{ name: 'key', mountPath: PLACES.key, readOnly: true }]),
              ],
            },
          ],
          volumes: [
            ...(secret === undefined ? [] : [{ name: 'key', secret: { secretName: secret, defaultMode: 0o400 } }]),
            { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: CLAIM, labels: { ...meta.labels } },
          spec: {
            accessModes: ['ReadWriteOnce'],
            ...(storageClassName === undefined ? {} : { storageClassName }),
            resources: { requests: { storage } },
          },
        },
      ],
    },
  };
}
