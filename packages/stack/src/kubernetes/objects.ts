import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Namespace, Secret, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { Ingress, NetworkPolicy, NetworkPolicyPort } from 'kubernetes-types/networking/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';

/** Every kind of object that is deployed. */
export type KubernetesObject =
  | Namespace
  | ServiceAccount
  | Secret
  | ConfigMap
  | Service
  | NetworkPolicy
  | StatefulSet
  | PodDisruptionBudget
  | Ingress;

/** Kinds of objects, each after the kinds that it refers to. */
const KINDS: readonly (string | undefined)[] = [
  ...['Namespace', 'ServiceAccount', 'Secret', 'ConfigMap', 'Service'],
  ...['NetworkPolicy', 'PodDisruptionBudget', 'StatefulSet', 'Ingress'],
];

/** In the order in which they are applied; objects of one kind keep their order. */
export function inOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

export const MANAGER = 'switchyard';

/** Things that are deployed under a name of their own, and the label that tells them apart. Labels never change. */
export const PART_OF = { rollup: 'switchyard', sequencer: 'switchyard-sequencer' } as const;

export type Family = keyof typeof PART_OF;

/** A rollup or a sequencer network, to which objects belong. */
export interface Owner {
  readonly family: Family;
  readonly name: string;
  readonly namespace: string;
}

export type Metadata = ObjectMeta & { readonly name: string };

type Labels = { [key: string]: string };

/** Labels that select the pods of a workload. They never change: a selector of a StatefulSet cannot. */
export function toSelector(owner: string, workload: string): Labels {
  return { 'app.kubernetes.io/instance': owner, 'app.kubernetes.io/name': workload };
}

/** Metadata of an object. @param workload Undefined for an object of the whole. */
export function toMetadata(owner: Owner, name: string, workload: string | undefined, more: Labels = {}): Metadata {
  return {
    name,
    namespace: owner.namespace,
    labels: {
      'app.kubernetes.io/instance': owner.name,
      ...(workload === undefined ? {} : { 'app.kubernetes.io/name': workload }),
      'app.kubernetes.io/part-of': PART_OF[owner.family],
      'app.kubernetes.io/managed-by': MANAGER,
      ...more,
    },
  };
}

/** Its namespace, and the account of its pods, which has no rights. */
export function ownerObjects(owner: Owner): [Namespace, ServiceAccount] {
  const labels = { 'app.kubernetes.io/managed-by': MANAGER };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: owner.namespace, labels } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: toMetadata(owner, owner.name, owner.family === 'sequencer' ? owner.family : undefined),
      automountServiceAccountToken: false,
    },
  ];
}

export function secretObject(metadata: Metadata, stringData: { [key: string]: string }): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', stringData };
}

export function configMap(metadata: Metadata, data: { [key: string]: string }): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

/** Ports by name; containers have the same names. */
export type Ports = Readonly<Record<string, number>>;

/** @param pods The pods that it leads to: the ready ones, all of them, or each by a name of its own. */
export function serviceObject(
  metadata: Metadata,
  selector: Labels,
  ports: Ports,
  pods: 'ready' | 'all' | 'each',
): Service {
  const always = { publishNotReadyAddresses: true };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: {
      ...(pods === 'each' ? { clusterIP: 'None', ...always, selector } : { selector }),
      ...(pods === 'all' ? always : {}),
      ports: Object.entries(ports).map(([name, port]) => ({ name, port, targetPort: name })),
    },
  };
}

/** A host name, the Service that it leads to, and the name of the port there. */
export type Route = readonly [host: string, service: string, port: string];

export function ingressObject(
  metadata: Metadata,
  routes: readonly Route[],
  { className, tlsSecret }: { readonly className: string | undefined; readonly tlsSecret?: string | undefined },
): Ingress {
  const hosts = routes.map(([host]) => host);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata,
    spec: {
      ...(className === undefined ? {} : { ingressClassName: className }),
      ...(tlsSecret === undefined ? {} : { tls: [{ hosts, secretName: tlsSecret }] }),
      rules: routes.map(([host, name, port]) => ({
        host,
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name, port: { name: port } } } }] },
      })),
    },
  };
}

export const tcp = (...ports: readonly number[]): NetworkPolicyPort[] =>
  ports.map((port) => ({ protocol: 'TCP', port }));

/** For rules about calls that leave a pod, which begin with a name. */
export const dns = (): NetworkPolicyPort[] => [{ protocol: 'UDP', port: 53 }, ...tcp(53)];

/** The pods of a workload, as rules name them. */
export const toPods = (owner: string, workload: string) => ({
  podSelector: { matchLabels: toSelector(owner, workload) },
});

export const podsIn = (namespace: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
});

/** Pods of every namespace. */
export const anyPods = () => ({ namespaceSelector: {} });
