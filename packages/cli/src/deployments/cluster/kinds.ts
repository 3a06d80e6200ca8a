import type {
  V1ConfigMap,
  V1Deployment,
  V1Ingress,
  V1IngressClass,
  V1Job,
  V1Namespace,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
  V1StorageClass,
} from '@kubernetes/client-node';

/** Kinds of objects that are read from a cluster, with their types. */
export interface Kinds {
  readonly Namespace: V1Namespace;
  readonly ServiceAccount: V1ServiceAccount;
  readonly Secret: V1Secret;
  readonly ConfigMap: V1ConfigMap;
  readonly Service: V1Service;
  readonly NetworkPolicy: V1NetworkPolicy;
  readonly PodDisruptionBudget: V1PodDisruptionBudget;
  readonly StatefulSet: V1StatefulSet;
  readonly Ingress: V1Ingress;
  readonly Pod: V1Pod;
  readonly PersistentVolumeClaim: V1PersistentVolumeClaim;
  readonly IngressClass: V1IngressClass;
  readonly StorageClass: V1StorageClass;
  readonly Deployment: V1Deployment;
  readonly Job: V1Job;
  readonly Node: V1Node;
}

export type Kind = keyof Kinds;

interface KindFacts {
  readonly apiVersion: string;
  /** Plural name, as in access rules and URLs. */
  readonly resource: string;
}

export const KINDS: Readonly<Record<Kind, KindFacts>> = {
  Namespace: { apiVersion: 'v1', resource: 'namespaces' },
  ServiceAccount: { apiVersion: 'v1', resource: 'serviceaccounts' },
  Secret: { apiVersion: 'v1', resource: 'secrets' },
  ConfigMap: { apiVersion: 'v1', resource: 'configmaps' },
  Service: { apiVersion: 'v1', resource: 'services' },
  NetworkPolicy: { apiVersion: 'networking.k8s.io/v1', resource: 'networkpolicies' },
  PodDisruptionBudget: { apiVersion: 'policy/v1', resource: 'poddisruptionbudgets' },
  StatefulSet: { apiVersion: 'apps/v1', resource: 'statefulsets' },
  Ingress: { apiVersion: 'networking.k8s.io/v1', resource: 'ingresses' },
  Pod: { apiVersion: 'v1', resource: 'pods' },
  PersistentVolumeClaim: { apiVersion: 'v1', resource: 'persistentvolumeclaims' },
  IngressClass: { apiVersion: 'networking.k8s.io/v1', resource: 'ingressclasses' },
  StorageClass: { apiVersion: 'storage.k8s.io/v1', resource: 'storageclasses' },
  Deployment: { apiVersion: 'apps/v1', resource: 'deployments' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
  Node: { apiVersion: 'v1', resource: 'nodes' },
};

/** Kinds of the objects that a rollup consists of inside its namespace, in the order in which they are removed. */
export const OURS = [
  'Ingress',
  'StatefulSet',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'Service',
  'ConfigMap',
  'Secret',
  // The first to be applied: while it is there, the rollup is listed.
  'ServiceAccount',
] as const satisfies readonly Kind[];
