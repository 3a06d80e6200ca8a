/** The part that needs nothing of Node, for clients that also run in web pages. */
export { aborted, anySignal, deadline, forManyListeners, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { systemClock, systemRandom } from './clock.ts';
export { AnswerTooLong, readBody } from './http-read.ts';
export { isTransportFailure, TransportFailure } from './transport-failure.ts';
