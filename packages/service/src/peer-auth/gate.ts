import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError, type ContextValues, createContextValues } from '@connectrpc/connect';
import type { Rejections } from '../rejections.ts';
import type { Authenticator } from './authenticator.ts';
import { type Caller, callerKey, type Peer } from './caller.ts';

/** Refuses calls without a valid credential at the edge of a server, each in the form of its protocol. */
export class AuthGate {
  readonly #authenticator: Authenticator;
  readonly #rejections: Rejections;

  /** @param rejections Of the listener. */
  constructor(authenticator: Authenticator, rejections: Rejections) {
    this.#authenticator = authenticator;
    this.#rejections = rejections;
  }

  /** @returns the caller, or undefined where the call has been refused and its stream ended. */
  ofStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: Peer): Caller | undefined {
    const admission = this.#authenticator.admit(peer, headers, headers[':path']);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
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

  /** @returns the caller of a request over HTTP/1, or undefined where the request has been refused and answered. */
  ofRequest(request: IncomingMessage, response: ServerResponse, peer: Peer): Caller | undefined {
    const path = request.url?.replace(/\?.*$/s, '');
    const admission = this.#authenticator.admit(peer, request.headers, path);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
    response.writeHead(401, { 'content-type': 'application/json', connection: 'close' });
    response.end(body(admission.reason));
    return undefined;
  }

  /** @throws {ConnectError} where a call within this process has been refused. */
  ofCall(headers: Readonly<Record<string, string>>, path: string, peer: Peer): Caller {
    const admission = this.#authenticator.admit(peer, headers, path);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
    throw new ConnectError(admission.reason, Code.Unauthenticated);
  }

  #note({ address }: Peer, message: string): void {
    this.#rejections.add('unauthenticated', address, { message });
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
