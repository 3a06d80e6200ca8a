import type { ProgramName } from '@switchyard/stack/network';

/** A port that a service binds, and the place to change it. */
export interface PortUse {
  readonly service: string;
  /** Name of the environment variable. */
  readonly setting: string;
  /** The setting and the file it is in, for people. */
  readonly where: string;
  readonly use: string;
  readonly host: string;
  /** 0: the system chooses. */
  readonly port: number;
}

/** How to find out whether a service is ready. Only our own process counts, never a stranger on the same port. */
export type Readiness =
  /** A status below 300 means yes. */
  | { readonly kind: 'http'; readonly url: string; readonly port: number }
  /** A connection that is taken means yes. */
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  /** A line the service prints, matched by this regular expression, means yes. */
  | { readonly kind: 'log'; readonly pattern: string };

/** A process, or a part of this one, to start and keep running. Everything in it is plain data. */
export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. Keys come as files named in it, never as values. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Runs as a part of this process, by its environment alone. */
  readonly part?: ProgramName;
  /** One of ours: it ends when its standard input closes, so it cannot outlive the supervisor. */
  readonly own: boolean;
  /** Never done, regardless of its exit status: started again like one of ours. */
  readonly endless?: boolean;
  readonly ports: readonly PortUse[];
  /** Absent: the service counts as ready once its process runs. */
  readonly ready?: Readiness;
  /** Services that have to be ready before this one is started. */
  readonly after: readonly string[];
  /** Services it cannot do its work without, though it may be started before them. Reported when one of them fails. */
  readonly needs?: readonly string[];
}
