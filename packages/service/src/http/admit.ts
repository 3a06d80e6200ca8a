import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Access, type Gate, type Refusal, toProvenance } from '../access/access.ts';
import { clientOfRequest } from '../access/client.ts';
import { setSecurityHeaders } from '../access/headers.ts';
import type { Proxies } from '../access/proxies.ts';
import type { Rejections } from '../telemetry/rejections.ts';
import { errorAnswer } from './problem.ts';

/** Headers of a cross-origin request and answer that a listener lets pages use. */
const CORS = { methods: 'GET, HEAD, POST, OPTIONS', headers: 'content-type, authorization', exposed: 'retry-after' };

export interface AdmitOptions {
  readonly access: Access;
  readonly gate: Gate;
  readonly proxies: Proxies;
  readonly rejections: Rejections;
}

/**
 * Looks at a request before anything else does: sets the headers of every answer, answers preflights, and refuses requests that the
 * listener's gate refuses.
 *
 * @returns whether the request is to be passed to its handler; otherwise it has been answered.
 */
export function admit(request: IncomingMessage, response: ServerResponse, options: AdmitOptions): boolean {
  const { gate, access, rejections } = options;
  const { origin } = request.headers;
  setSecurityHeaders(response);
  const refusal = gate.refusal(toProvenance(request.headers, request.method, request.url));
  if (refusal !== undefined) {
    rejections.add(refusal.code, clientOfRequest(request), { message: refusal.message });
    refuse(request, response, refusal);
    return false;
  }
  if (access.origins.length === 0) return true;
  const reader = gate.readableBy(origin ?? 'null');
  if (reader !== undefined) {
    response.setHeader('access-control-allow-origin', reader);
    response.setHeader('access-control-expose-headers', CORS.exposed);
  }
  if (reader !== '*') response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS') return true;
  if (reader !== undefined) {
    response.setHeader('access-control-allow-methods', CORS.methods);
    response.setHeader('access-control-allow-headers', CORS.headers);
    response.setHeader('access-control-max-age', '7200');
  }
  response.statusCode = 204;
  response.end();
  return false;
}

/** Checks a request to upgrade to a WebSocket. @returns whether it may; otherwise it has been answered. */
export function admitUpgrade(request: IncomingMessage, socket: Duplex, { gate, rejections }: AdmitOptions): boolean {
  socket.on('error', () => socket.destroy());
  const refusal = gate.refusal({ ...toProvenance(request.headers, request.method, request.url), upgrade: true });
  if (refusal === undefined) return true;
  rejections.add(refusal.code, clientOfRequest(request), { message: refusal.message });
  const body = `${refusal.message}\n`;
  socket.end(
    `HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return false;
}

/** A body that is still coming is not waited for. */
function refuse(request: IncomingMessage, response: ServerResponse, { code, message }: Refusal): void {
  response.statusCode = 403;
  const answer = errorAnswer({ status: 403, code, message, facts: {} }, request.url ?? '/');
  response.setHeader('content-type', answer.type);
  if (!request.complete) response.setHeader('connection', 'close');
  request.resume();
  // `msg` is for clients of the original faucet, `code` and `message` where those of Connect do.
  const compatible = { code: 'permission_denied', message, msg: message };
  response.end(JSON.stringify({ ...compatible, ...JSON.parse(answer.body) }));
}
