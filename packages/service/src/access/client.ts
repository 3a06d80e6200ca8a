import type { IncomingHttpHeaders } from 'node:http';
import { findPeer, isLoopbackPeer } from './peer.ts';
import type { Proxies } from './proxies.ts';

/** Parts of a request that are read, in every protocol version. */
interface Request {
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Clients of requests that came through proxies. */
const clients = new WeakMap<object, string>();

/** Decides once for a request whose client it is. */
export function nameClient(request: Request, proxies: Proxies): void {
  clients.set(request, proxies.clientOf(request.headers, socketPeer(request)));
}

/** The client of a request, as the listener that took it has named it. */
export const clientOfRequest = (request: Request): string => clients.get(request) ?? socketPeer(request);

/** The client of a Hono context's `env`, if there is a connection behind it. */
export function clientOf(env: unknown): string {
  const { incoming } = (env ?? {}) as { incoming?: Request };
  return incoming?.socket === undefined ? 'local' : clientOfRequest(incoming);
}

/** Headers of which a proxy adds one or another, whether it is counted or not. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/** Whether a program of this machine makes the request of a Hono context's `env` itself. */
export function isOfThisMachine(env: unknown): boolean {
  const { incoming } = (env ?? {}) as { incoming?: Request };
  return isLoopbackPeer(clientOf(env)) && OF_PROXIES.every((name) => incoming?.headers[name] === undefined);
}

const socketPeer = ({ socket }: Request): string => findPeer(socket.remoteAddress) ?? 'local';
