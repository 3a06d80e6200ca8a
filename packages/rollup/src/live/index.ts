/** Clients that keep rows and execute actions at once, in Node and in web pages. */
export { liveHook, liveRef, liveSignal } from './adapters.ts';
export { type LiveClient, liveClient } from './client.ts';
export {
  type Connection,
  type ConnectionHandlers,
  connect,
  type OpenSocket,
  type PartRequest,
  type Socket,
} from './connection.ts';
export type { NewestEntries } from './newest.ts';
export type {
  ConnectionState,
  Head,
  LiveOptions,
  ProofState,
  SendOptions,
  VerifierWorker,
} from './options.ts';
export { memoryOutbox, type Outbox, type SignedAction, type StoredAction } from './outbox.ts';
export { type Answer, type LiveValueOptions, NothingThere } from './queries.ts';
export type { Sent, SentState } from './sent.ts';
export type { Live } from './store.ts';
export type { LiveVerifier } from './verify/verdict.ts';
