/** The part that needs nothing of Node, for clients that also run in web pages. */
export { aborted, deadline, isAbort, sleep, TimedOut, withDeadline } from './abort.ts';
export { AnswerTooLong, readBody } from './http-read.ts';
export { isTransportFailure, TransportFailure } from './transport-failure.ts';
