import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node';
import { WINDOW_BYTES } from './server.ts';
import { unaryCalls } from './unary-client.ts';

export interface TransportOptions {
  /** Deadline of unary calls that name none. Streams have none of their own: watch for their heartbeats. */
  readonly timeoutMs?: number;
  /** Bound on each message, both ways. */
  readonly maxMessageBytes?: number;
  /** A connection that is silent for so long is tried, and replaced if it does not answer. */
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
}

export interface GrpcTransport extends Transport {
  /** Ends the connection and the calls on it. A later call opens a new one. */
  close(): void;
}

/**
 * Calls to one gRPC server over one connection, which is opened by the first call and again by the first call after it
 * was lost. A server that is away makes calls fail at once with `Unavailable`.
 */
export function grpcTransport(url: string, options: TransportOptions = {}): GrpcTransport {
  const {
    timeoutMs = 10_000,
    maxMessageBytes = 16 * 1_048_576,
    pingIntervalMs = 10_000,
    pingTimeoutMs = 5_000,
  } = options;
  const sessions = new Http2SessionManager(
    url,
    { pingIntervalMs, pingTimeoutMs, idleConnectionTimeoutMs: 600_000 },
    { settings: { initialWindowSize: WINDOW_BYTES }, maxSessionMemory: 64 },
  );
  const inner = createGrpcTransport({
    baseUrl: url,
    sessionManager: sessions,
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
    acceptCompression: [],
  });
  return {
    unary: unaryCalls(sessions, { url, timeoutMs, maxMessageBytes }),
    stream: inner.stream,
    close: () => sessions.abort(),
  };
}
