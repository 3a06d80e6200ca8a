import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type {
  ConfigMap,
  Container,
  PersistentVolumeClaim,
  Probe,
  Secret,
  Service,
  Volume,
  VolumeMount,
} from 'kubernetes-types/core/v1.js';
import type { NetworkPolicy, NetworkPolicySpec } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import { getCommand, PLACES, USER } from '../container.ts';
import type { Program } from '../process.ts';
import { type KubernetesObject, type Metadata, type Ports, toSelector } from './objects.ts';

/*
 * Pods of a rollup and of a sequencer network: no rights in the cluster, the `restricted` profile of Kubernetes, and one volume
 * for all of their state.
 */

/** The volume of a pod. */
export const CLAIM = 'data';
/** On a claim: the digest of the genesis of the chain that is on the volume. */
export const GENESIS_ANNOTATION = 'switchyard/genesis';

/** A container; its bound of memory is its request, if no other is given. */
export interface Contained {
  readonly name: string;
  readonly image: string;
  readonly command?: string[];
  readonly args?: string[];
  /** The ConfigMap with its environment. */
  readonly settings?: string;
  readonly env?: Container['env'];
  readonly ports?: Ports;
  readonly cpu?: string;
  readonly memory: string;
  readonly memoryLimit?: string;
  readonly probes?: Probes;
  readonly mounts: VolumeMount[];
}

export interface Probes {
  readonly alive: Probe;
  /** Equals `alive`, if absent. */
  readonly ready?: Probe;
  /** How often it is probed until it is alive: a long chain may take minutes to open. */
  readonly startup?: Probe;
}

/** A process that answers `alive` only once it has found others. */
export const SLOW_START: Probe = { periodSeconds: 2, failureThreshold: 300 };

export function container(item: Contained): Container {
  const { name, image, command, args, settings, env, ports, cpu, memory, memoryLimit = memory, probes } = item;
  return {
    ...{ name, image, imagePullPolicy: 'IfNotPresent' },
    ...(command && { command }),
    ...(args && { args }),
    ...(settings === undefined ? {} : { envFrom: [{ configMapRef: { name: settings } }] }),
    ...(env && { env }),
    ...(ports && { ports: Object.entries(ports).map(([port, number]) => ({ name: port, containerPort: number })) }),
    resources: { requests: { ...(cpu === undefined ? {} : { cpu }), memory }, limits: { memory: memoryLimit } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    ...(probes && toProbes(probes)),
    volumeMounts: item.mounts,
  };
}

function toProbes({ alive, ready = alive, startup = { periodSeconds: 1, failureThreshold: 600 } }: Probes) {
  return {
    startupProbe: { ...alive, ...startup },
    livenessProbe: { ...alive, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    readinessProbe: { ...ready, periodSeconds: ready.periodSeconds ?? 3, timeoutSeconds: ready.timeoutSeconds ?? 3 },
  };
}

interface Shown {
  /** Ports by listener. */
  readonly ports: Ports;
  /** Else that of the program. */
  readonly name?: string;
  /** The entry point of the image is the program; Node gets its options from the environment. */
  readonly isEntryPoint?: boolean;
}

/** @param named How its ports are called in the pod. */
export function programContainer(
  program: Program,
  { isEntryPoint = false, ...item }: Omit<Contained, 'name' | 'command'> & Shown,
  named = (listener: string) => listener,
): Container {
  const { listener, path } = program.ready;
  const ask = (path: string) => ({ httpGet: { path, port: item.ports[listener] ?? listener } });
  return container({
    probes: { alive: ask('/healthz'), ready: ask(path) },
    ...{ name: program.name, ...item },
    ...(isEntryPoint ? {} : { command: getCommand(program, item.memoryLimit ?? item.memory) }),
    ports: Object.fromEntries(Object.entries(item.ports).map(([port, number]) => [named(port), number])),
  });
}

/** @param part Of several containers in one pod. */
export const temporary = (part?: string): VolumeMount => ({
  ...{ name: 'tmp', mountPath: '/tmp' },
  ...(part === undefined ? {} : { subPath: part }),
});

/** The directory of a process on the volume of its pod. */
export const toState = (part: string): VolumeMount => ({
  ...{ name: CLAIM, mountPath: `${PLACES.data}/${part}`, subPath: part },
});

export const readOnly = (name: string, mountPath: string): VolumeMount => ({ name, mountPath, readOnly: true });

/** @param keys Files that are mounted; all, if absent. */
export const secretVolume = (name: string, secretName: string, keys?: readonly string[]): Volume => ({
  name,
  secret: {
    ...{ secretName, defaultMode: 0o400 },
    ...(keys && { items: keys.map((key) => ({ key, path: key })) }),
  },
});

export interface PodSet {
  /** Metadata of its StatefulSet, its policy and its budget. */
  readonly metadata: Metadata;
  /** Name of the rollup or network, which is that of the service account, and the label of the pods. */
  readonly owner: string;
  readonly workload: string;
  /** Objects that its pods read when they start, and their digest: another one replaces the pods. */
  readonly reads: readonly (Secret | ConfigMap)[];
  readonly digest: string;
  readonly services: readonly Service[];
  /** The Service that names its pods. */
  readonly serviceName: string;
  /** Rules about calls. Without `egress` the pods may call anybody. */
  readonly policy: Pick<NetworkPolicySpec, 'ingress' | 'egress'>;
  /** The first one ends before the others start. */
  readonly init?: Container;
  readonly containers: Container[];
  readonly volumes: Volume[];
  /** The volume with its state; nothing is kept, if absent. */
  readonly storage?: Storage;
  /** Several pods, each with a volume; one, if absent, and never a second: a chain has one writer, and a key one place. */
  readonly several?: { readonly replicas: number; readonly maxUnavailable: number };
}

interface Storage {
  readonly size: string;
  /** Else the default of the cluster. */
  readonly className: string | undefined;
  /** Digest of the genesis of the chain to which the volume belongs for ever. */
  readonly genesis?: string;
}

/** A StatefulSet with everything that belongs to it. */
export function podObjects(item: PodSet): KubernetesObject[] {
  return [...item.reads, ...item.services, networkPolicy(item), budget(item), statefulSet(item)];
}

const selectorIn = ({ owner, workload }: PodSet) => ({ matchLabels: toSelector(owner, workload) });

function networkPolicy(item: PodSet): NetworkPolicy {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: item.metadata,
    spec: {
      podSelector: selectorIn(item),
      policyTypes: item.policy.egress === undefined ? ['Ingress'] : ['Ingress', 'Egress'],
      ...item.policy,
    },
  };
}

/** A drain may take the one pod; it comes back elsewhere, with its volume. */
function budget(item: PodSet): PodDisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: item.metadata,
    spec: {
      maxUnavailable: item.several?.maxUnavailable ?? 1,
      selector: selectorIn(item),
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
    },
  };
}

function statefulSet(item: PodSet): StatefulSet {
  const { metadata, owner, several, storage, init } = item;
  const selector = selectorIn(item);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: several?.replicas ?? 1,
      serviceName: item.serviceName,
      // None of several makes a block alone. Changes are made one pod after another, which has the blocks of the others by then.
      ...(several && { podManagementPolicy: 'Parallel', minReadySeconds: 5 }),
      selector,
      template: {
        metadata: { labels: { ...metadata.labels }, annotations: { 'switchyard/settings': item.digest } },
        spec: {
          serviceAccountName: owner,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 30,
          securityContext: {
            ...{ runAsNonRoot: true, runAsUser: USER, runAsGroup: USER, fsGroup: USER },
            fsGroupChangePolicy: 'OnRootMismatch',
            seccompProfile: { type: 'RuntimeDefault' },
          },
          ...(several && {
            topologySpreadConstraints: [
              {
                ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
                labelSelector: selector,
              },
            ],
          }),
          ...(init && { initContainers: [init] }),
          containers: item.containers,
          volumes: [
            ...item.volumes,
            ...(storage === undefined ? ['tmp', CLAIM] : ['tmp']).map((name) => ({
              name,
              emptyDir: { sizeLimit: '64Mi' },
            })),
          ],
        },
      },
      ...(storage && { volumeClaimTemplates: [claim(metadata, storage)] }),
    },
  };
}

function claim({ labels }: Metadata, { size, className, genesis }: Storage): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...{ name: CLAIM, labels: { ...labels } },
      ...(genesis === undefined ? {} : { annotations: { [GENESIS_ANNOTATION]: genesis } }),
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(className === undefined ? {} : { storageClassName: className }),
      resources: { requests: { storage: size } },
    },
  };
}
