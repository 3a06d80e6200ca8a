/** The part that needs nothing of Node, for clients that also run in web pages. */

export { AnswerTooLong, readBody } from './http/http-read.ts';
export { isTransportFailure, neverConnected, TransportFailure } from './http/transport-failure.ts';
export { InvalidConfig } from './settings/config.ts';
export { readJsonFile } from './settings/read-json-file.ts';
export { findExitCode } from './telemetry/exit-code.ts';
export {
  aborted,
  anySignal,
  deadline,
  forManyListeners,
  isAbort,
  sleep,
  TimedOut,
  withDeadline,
} from './timing/abort.ts';
export { systemClock, systemRandom, wallClock } from './timing/clock.ts';
export { backoffMs, retry } from './timing/retry.ts';
