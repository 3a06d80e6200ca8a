import { type Host, type Keys, type Manifest, routesIn } from '@switchyard/stack';
import type { Heights } from './heights.ts';

/** A target of deployments: a Kubernetes cluster, or supervised processes of this machine. */
export interface Target {
  /**
   * Checks everything before anything is changed, then installs, repairs or upgrades. Returns once the rollup is ready.
   *
   * @throws {Failure} naming all refusals, or the parts that are not ready and why; run again, it continues.
   */
  create(request: CreateRequest): Promise<Deployed>;
  list(): Promise<readonly Listed[]>;
  /** @throws {Failure} when there is none of that name. */
  status(name: string): Promise<Status>;
  /** Writes lines to stdout. */
  logs(name: string, options: LogsOptions): Promise<void>;
  /** Prints the remaining objects. */
  delete(name: string, options: { readonly volumes: boolean }): Promise<void>;
}

export interface LogsOptions {
  /** One process; else all. */
  readonly part: string | undefined;
  readonly follow: boolean;
  /** Lines of each process, from the end. */
  readonly lines: number;
}

export interface CreateRequest {
  readonly manifest: Manifest;
  /** Directory of the manifest, from which relative paths are seen. */
  readonly directory: string;
  readonly keys: Keys;
  readonly force: boolean;
  readonly timeoutMs: number;
}

/** URLs by host name; documented output has one of two words in camel case. */
export const URL_NAMES = {
  blockscout: 'blockscout',
  faucet: 'faucet',
  executor: 'executor',
  'ws-executor': 'wsExecutor',
  api: 'api',
} as const satisfies Readonly<Record<Host, string>>;

/** Address of a rollup for people: an EVM has JSON-RPC, any other an HTTP API. */
export type Urls = Readonly<Partial<Record<(typeof URL_NAMES)[Host], string>>>;

/** @param url Address behind a host name of the rollup. */
export function urlsBy(manifest: Manifest, url: (host: Host) => string): Urls {
  return Object.fromEntries(routesIn(manifest).map(({ host }) => [URL_NAMES[host], url(host)]));
}

/** Address of the node of a rollup. */
export const nodeUrl = ({ executor, api }: Urls): string | undefined => executor ?? api;

export interface Deployed {
  readonly name: string;
  readonly urls: Urls;
}

export interface Listed {
  readonly name: string;
  /** Namespace, or directory. */
  readonly where: string;
  readonly state: string;
  /** Number of the newest block; undefined if unreachable. */
  readonly head?: number;
}

export interface Status extends Listed {
  readonly urls: Urls;
  readonly parts: readonly PartStatus[];
  readonly heights: Heights;
}

export interface PartStatus {
  readonly name: string;
  readonly isReady: boolean;
  /** Why it is not ready, or its activity. */
  readonly note: string;
}
