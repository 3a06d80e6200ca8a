import type { AddressInfo, Server } from 'node:net';
import type { Listen } from './parsers.ts';

/** A server could not be bound to its address. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}

/** A server that answers. */
export interface Running {
  /** The real port, also where port 0 was asked for. */
  readonly port: number;
  readonly url: string;
  /** Takes no new requests, lets those under way end for a short time, then cuts them. May be called twice. */
  close(): Promise<void>;
}

/**
 * Binds a server.
 *
 * @param setting The variable that holds the address, named where it cannot be used.
 * @throws {CannotListen} with one line that names address, setting and what to do.
 */
export function bind(server: Server, { host, port }: Listen, setting: string): Promise<{ port: number; url: string }> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      reject(new CannotListen(listenProblem(error, { host, port }, setting)));
    };
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      // A server bound to a host and port has an address of this form; only pipes have a string.
      const bound = (server.address() as AddressInfo).port;
      resolve({ port: bound, url: `http://${reachable(host)}:${bound}` });
    });
  });
}

function listenProblem(error: NodeJS.ErrnoException, { host, port }: Listen, setting: string): string {
  const where = `cannot listen on ${reachable(host, host)}:${port} (${setting})`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${where}: port ${port} is already in use; stop the program that uses it or set ${setting} to another port`;
    case 'EACCES':
      return `${where}: no permission for port ${port}; set ${setting} to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${where}: ${host} is not an address of this machine; set ${setting} to 127.0.0.1:${port} or 0.0.0.0:${port}`;
    default:
      return `${where}: ${error.message}; check ${setting}`;
  }
}

/** Where a client on this machine finds the server. */
function reachable(host: string, any = '127.0.0.1'): string {
  const one = host === '0.0.0.0' || host === '::' ? any : host;
  return one.includes(':') ? `[${one}]` : one;
}
