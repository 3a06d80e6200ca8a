import type { Kind, Kinds } from './kinds.ts';

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
  /** Calls back with what is logged, until the container ends. */
  follow(container: ContainerRef, lines: number, onText: (text: string) => void): Promise<void>;
}

/** Object to apply, in a type that both the client and our functions accept. */
export interface Applied {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

export interface ListOptions {
  /** Else in all. */
  readonly namespace?: string;
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
