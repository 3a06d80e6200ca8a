import type { ServiceStatus } from '@switchyard/network/supervisor/events';
import type { Overview } from '../status/network.ts';

/*
 * Protocol of the socket of the tool that runs an instance: JSON over HTTP. A refusal is `{ error }` with a status of
 * 400 or more, and the error is a line for people.
 */

/** `GET /status` */
export interface ControlStatus {
  readonly overview: Overview;
  readonly services: readonly ServiceStatus[];
  /** All services are stopped until `resume`. */
  readonly paused: boolean;
  /** Files that were edited since they were last read. */
  readonly changedFiles: readonly string[];
}

/** Actions on one service: `POST /services/NAME/VERB`. */
export const SERVICE_VERBS = ['start', 'stop', 'restart'] as const;
export type ServiceVerb = (typeof SERVICE_VERBS)[number];

/** Actions on all services: `POST /VERB`. */
export const INSTANCE_VERBS = ['restart', 'pause', 'resume'] as const;
export type InstanceVerb = (typeof INSTANCE_VERBS)[number];
