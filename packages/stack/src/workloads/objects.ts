import type { StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { ConfigMap, Namespace, Secret, Service, ServiceAccount } from 'kubernetes-types/core/v1.js';
import type { Ingress, NetworkPolicy } from 'kubernetes-types/networking/v1.js';
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

/** Kinds of objects, each after those that it refers to. */
const KINDS: readonly (string | undefined)[] = [
  ...['Namespace', 'ServiceAccount', 'Secret', 'ConfigMap', 'Service'],
  ...['NetworkPolicy', 'PodDisruptionBudget', 'StatefulSet', 'Ingress'],
];

/** In the order in which they are applied; what is of one kind stays as it is. */
export function inOrder(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  return [...objects].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}
