type Client = typeof import('@kubernetes/client-node');

/** Requests of the commands to a cluster, bounded in time. @throws {Failure} from each, with one line. */
export interface ClusterApi {
  /** Context of the kubeconfig, for messages. */
  readonly context: string;
  /** Server-side, as the manager of the fields that the object states. @param force Takes fields from other managers. */
  apply(object: Applied, force: boolean): Promise<void>;
  read<K extends Kind>(kind: K, name: string, namespace?: string): Promise<Kinds[K] | undefined>;
  list<K extends Kind>(kind: K, where?: ListOptions): Promise<readonly Kinds[K][]>;
  /** Removes an object; succeeds also when it is already gone. */
  remove(kind: Kind, name: string, namespace?: string): Promise<void>;
  mayI(review: Review): Promise<boolean>;
  /** Warnings about an object, oldest first. */
  warnings(kind: Kind, name: string, namespace: string): Promise<readonly string[]>;
  /** Runs a program in a container. @returns its output. */
  run(container: ContainerRef, command: readonly string[]): Promise<string>;
  logs(container: ContainerRef, options: { readonly lines: number; readonly previous?: boolean }): Promise<string>;
  /** Calls back with log lines, until the container ends. */
  follow(container: ContainerRef, lines: number, onText: (text: string) => void): Promise<void>;
}

/** Object to apply, in a type that both the client and our functions accept. */
interface Applied {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

export interface ListOptions {
  /** Else in all. */
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Review {
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete';
  readonly kind: Kind;
  readonly subresource?: string;
  readonly namespace?: string;
}

export interface ContainerRef {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Kinds of objects that are read from a cluster, with the plural names that access rules and URLs have. */
export const KINDS = {
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
} as const;

export type Kind = keyof typeof KINDS;

/** The types of the client. */
export type Kinds = { readonly [K in Kind]: InstanceType<Client[`V1${K}`]> };

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
