/** A port that a service binds, and where to change it. */
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

/** How to ask a service whether it is ready: an HTTP status below 300 from our own process means yes. */
export interface Readiness {
  readonly url: string;
  readonly port: number;
}

/** A process to start and keep running. Everything in it is plain data. */
export interface ServiceSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. Keys come as files named in it, never as values. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** One of ours: it ends when its standard input closes, so it cannot outlive the supervisor. */
  readonly own: boolean;
  readonly ports: readonly PortUse[];
  /** Absent: the service counts as ready once its process runs. */
  readonly ready?: Readiness;
  /** Services that have to be ready before this one is started. */
  readonly after: readonly string[];
}
