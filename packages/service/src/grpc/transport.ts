import { connect as connectSocket } from 'node:net';
import type { Transport } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import type { Links } from '../links.ts';
import { credentialHeaders, type PeerCredentials } from '../peer-auth/credentials.ts';
import { unixPath } from '../settings/parsers.ts';
import { Connection } from './connection.ts';
import { linkedTransport } from './linked-calls.ts';
import { withoutStatus } from './lost.ts';
import { WINDOW_BYTES } from './server.ts';
import { unaryCalls } from './unary-client.ts';

export interface TransportOptions {
  /** Deadline of unary calls that name none. Streams have none of their own: watch for their heartbeats. */
  readonly timeoutMs?: number;
  /** Bound on each message, both ways. */
  readonly maxMessageBytes?: number;
  /** A connection that is silent for this long is tested, and replaced if it does not answer. */
  readonly pingIntervalMs?: number;
  readonly pingTimeoutMs?: number;
  readonly credentials?: PeerCredentials;
  /** Servers that are called without a connection, while they listen. */
  readonly links?: Links | undefined;
}

export interface GrpcTransport extends Transport {
  /** Ends the connection and the calls on it. A later call opens a new one. */
  close(): void;
}

/**
 * Calls to one gRPC server (`http://`, `https://` or `unix:/path`) over one connection, opened by the first call and by
 * the first one after a loss. A server that is away makes calls fail at once with `Unavailable`.
 *
 * Any call that fails on the way has a `TransportFailure` as its cause: see `isTransportFailure`.
 */
export function grpcTransport(url: string, options: TransportOptions = {}): GrpcTransport {
  const {
    timeoutMs = 10_000,
    maxMessageBytes = 16 * 1_048_576,
    pingIntervalMs = 10_000,
    pingTimeoutMs = 5_000,
    credentials = {},
    links,
  } = options;
  const socket = unixPath(url);
  const baseUrl = socket === undefined ? url : 'http://localhost';
  const connection = new Connection(baseUrl, {
    session: {
      settings: { initialWindowSize: WINDOW_BYTES },
      maxSessionMemory: 64,
      ...credentials.tls,
      ...(socket !== undefined && { createConnection: () => connectSocket(socket) }),
    },
    pingIntervalMs,
    pingTimeoutMs,
    connectTimeoutMs: 10_000,
    idleMs: 600_000,
  });
  const inner = createGrpcTransport({
    baseUrl,
    sessionManager: connection,
    readMaxBytes: maxMessageBytes,
    writeMaxBytes: maxMessageBytes,
    acceptCompression: [],
  });
  const wire: GrpcTransport = {
    unary: unaryCalls(connection, { url: baseUrl, timeoutMs, maxMessageBytes, credentials }),
    stream: streamCalls(inner.stream, credentials),
    close: () => connection.abort(),
  };
  return links === undefined ? wire : linkedTransport(links, wire, { url, timeoutMs, credentials });
}

/** The streams of Connect, whose errors tell a failure of the connection from a status of the peer as unary calls do. */
function streamCalls(stream: Transport['stream'], credentials: PeerCredentials): Transport['stream'] {
  return async (method, signal, ms, header, ...rest) => {
    try {
      const shown = new Headers(header);
      for (const [name, value] of Object.entries(credentialHeaders(credentials))) shown.set(name, value);
      const answer = await stream(method, signal, ms, shown, ...rest);
      return { ...answer, message: iterateMessages(answer.message, signal) };
    } catch (error) {
      throw withoutStatus(error, signal);
    }
  };
}

async function* iterateMessages<T>(messages: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  try {
    yield* messages;
  } catch (error) {
    throw withoutStatus(error, signal);
  }
}
