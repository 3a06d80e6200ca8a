import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code, type ContextValues, createContextValues } from '@connectrpc/connect';
import type { Logger } from '../log.ts';
import type { Authenticator } from './authenticator.ts';
import { type Caller, callerKey, type Peer } from './caller.ts';

const LOG_EVERY_MS = 10_000;

/** Refuses calls at the edge of a server, in the words of the protocol they come in. */
export class AuthGate {
  readonly #authenticator: Authenticator;
  readonly #log: Logger;
  #loggedAt = Number.NEGATIVE_INFINITY;
  #refused = 0;

  constructor(authenticator: Authenticator, log: Logger) {
    this.#authenticator = authenticator;
    this.#log = log;
  }

  /** @returns the caller, or undefined where the call has been refused and its stream ended. */
  ofStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: Peer): Caller | undefined {
    const admission = this.#authenticator.admit(peer, headers, headers[':path']);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
    stream.on('error', () => undefined);
    if (isGrpc(headers['content-type'])) {
      const status = {
        'grpc-status': String(Code.Unauthenticated),
        'grpc-message': encodeURIComponent(admission.reason),
      };
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto', ...status }, { endStream: true });
    } else {
      stream.respond({ ':status': 401, 'content-type': 'application/json' });
      stream.end(body(admission.reason));
    }
    // The rest of a request that is still coming is not read.
    stream.close();
    return undefined;
  }

  /** The same for a request of HTTP/1. */
  ofRequest(request: IncomingMessage, response: ServerResponse, peer: Peer): Caller | undefined {
    const path = request.url?.replace(/\?.*$/s, '');
    const admission = this.#authenticator.admit(peer, request.headers, path);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
    response.writeHead(401, { 'content-type': 'application/json', connection: 'close' });
    response.end(body(admission.reason));
    return undefined;
  }

  #note({ address }: Peer, reason: string): void {
    this.#refused += 1;
    const now = performance.now();
    if (now - this.#loggedAt < LOG_EVERY_MS) return;
    this.#log.warn({ peer: address, reason, calls: this.#refused }, 'calls without a valid credential were refused');
    this.#loggedAt = now;
    this.#refused = 0;
  }
}

export function contextOf(caller: Caller | undefined): ContextValues {
  const values = createContextValues();
  return caller === undefined ? values : values.set(callerKey, caller);
}

function isGrpc(type: string | undefined): boolean {
  return type !== undefined && /^application\/grpc(?!-web)/.test(type);
}

const body = (message: string) => JSON.stringify({ code: 'unauthenticated', message });
