/** The part that needs nothing of Node, for clients that also run in web pages. */
export { aborted, anySignal, deadline, forManyListeners, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { systemClock, systemRandom } from './clock.ts';
export { AnswerTooLong, readBody } from './http-read.ts';
export { retry } from './retry.ts';
export { isTransportFailure, neverConnected, TransportFailure } from './transport-failure.ts';
