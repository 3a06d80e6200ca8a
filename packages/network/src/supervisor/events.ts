import type { Exit } from './restart.ts';

export type ServiceState =
  /** Others have to be ready first. */
  | 'waiting'
  | 'starting'
  | 'ready'
  /** Ended, and will be started again after a pause. */
  | 'restarting'
  | 'stopping'
  | 'stopped'
  /** A program of the user's that ended with status 0. */
  | 'finished'
  /** Its configuration is wrong, or its program is absent: to be corrected, then started by hand. */
  | 'failed';

export interface ServiceStatus {
  readonly name: string;
  readonly state: ServiceState;
  readonly pid: number | undefined;
  /** Times it was started again after it had ended on its own. */
  readonly restarts: number;
  /** Why it is not ready, as the service reports it. */
  readonly reason: string | undefined;
  /** How long its present process has run. */
  readonly uptimeMs?: number | undefined;
  /** How its last process ended, unless on request. */
  readonly lastExit?: string | undefined;
  /** The last lines of that process. */
  readonly lastLines?: readonly string[] | undefined;
  /** Times in a row that it has ended without running long in between. */
  readonly failures?: number | undefined;
  /** While it waits to be started again. */
  readonly startsInMs?: number | undefined;
}

/** Event of a supervisor: a line that a service printed, or a change of its state. */
export type SupervisorEvent =
  | { readonly kind: 'line'; readonly service: string; readonly text: string }
  | { readonly kind: 'started'; readonly service: string; readonly pid: number }
  | { readonly kind: 'not-ready'; readonly service: string; readonly reason: string }
  | { readonly kind: 'ready'; readonly service: string; readonly ms: number }
  | { readonly kind: 'exited'; readonly service: string; readonly exit: Exit; readonly lastLines: readonly string[] }
  | {
      readonly kind: 'restarting';
      readonly service: string;
      readonly afterMs: number;
      /** In a row, without a healthy run in between. */
      readonly failures: number;
    }
  | { readonly kind: 'finished'; readonly service: string }
  | {
      readonly kind: 'failed';
      readonly service: string;
      readonly reason: string;
      /** Services that cannot start, or cannot work, without this one. */
      readonly waiting?: readonly string[];
    }
  | { readonly kind: 'stopped'; readonly service: string; readonly killed: boolean };
