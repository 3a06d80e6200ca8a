import type { IncomingHttpHeaders } from 'node:http';
import { peerOf } from './peer.ts';

/** What is read of a request of any protocol version. */
interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Of requests that came through proxies. */
const clients = new WeakMap<object, string>();

/**
 * Who made a request, for limits.
 *
 * @param peer At the other end of the connection.
 * @param proxies How many proxies stand in front, all of them our own. Each adds to the end of `X-Forwarded-For` the address
 * that it was asked from; what comes before that is not trusted.
 */
export function forwardedFor(
  { 'x-forwarded-for': header }: IncomingHttpHeaders,
  peer: string,
  proxies: number,
): string {
  if (proxies === 0) return peer;
  const forwarded = Array.isArray(header) ? header.join(',') : header;
  return peerOf(forwarded?.split(',').at(-proxies)?.trim()) ?? peer;
}

/** Decides once for a request whose client it is. */
export function nameClient(request: Request, proxies: number): void {
  if (proxies > 0) clients.set(request, forwardedFor(request.headers, socketPeer(request), proxies));
}

/** The client of a request, as the listener that took it has named it. */
export const clientOfRequest = (request: Request): string => clients.get(request) ?? socketPeer(request);

/** The client of a Hono context's `env`, where there is a connection behind it. */
export function clientOf(env: unknown): string {
  const { incoming } = (env ?? {}) as { incoming?: Request };
  return incoming?.socket === undefined ? 'local' : clientOfRequest(incoming);
}

const socketPeer = ({ socket }: Request): string => peerOf(socket.remoteAddress) ?? 'local';
