import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Code, ConnectError, type ContextValues, createContextValues } from '@connectrpc/connect';
import type { Authenticator } from '../peer-auth/authenticator.ts';
import { type Caller, callerKey, type Peer } from '../peer-auth/caller.ts';
import type { Rejections } from '../telemetry/rejections.ts';
import { refuseCall } from './refuse-call.ts';

/** Refuses calls without a valid credential at the edge of a server. */
export class AuthGate {
  readonly #authenticator: Authenticator;
  readonly #rejections: Rejections;

  /** @param rejections Of the listener. */
  constructor(authenticator: Authenticator, rejections: Rejections) {
    this.#authenticator = authenticator;
    this.#rejections = rejections;
  }

  /** @returns the caller, or undefined if the call has been refused and its stream ended. */
  ofStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, peer: Peer): Caller | undefined {
    const admission = this.#authenticator.admit(peer, headers, headers[':path']);
    if (admission.kind === 'admitted') return admission.caller;
    this.#note(peer, admission.reason);
    refuseCall(stream, Code.Unauthenticated, admission.reason);
    return undefined;
  }

  /** @throws {ConnectError} if a call within this process has been refused. */
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

export function getContext(caller: Caller | undefined): ContextValues {
  const values = createContextValues();
  return caller === undefined ? values : values.set(callerKey, caller);
}
