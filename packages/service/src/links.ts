import type { DescMethodStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { Caller } from './peer-auth/caller.ts';

/** A method of a service and its implementation, called with messages of the method's types. */
export interface Served<M extends DescMethodUnary | DescMethodStreaming> {
  readonly method: M;
  readonly implementation: (request: unknown, context: HandlerContext) => unknown;
}

/** A gRPC server of this process, for callers in the same process. */
export interface LinkedServer {
  /** Methods by their path, `/package.Service/Method`. Streams are those with one request and many answers. */
  readonly unary: ReadonlyMap<string, Served<DescMethodUnary>>;
  readonly streams: ReadonlyMap<string, Served<DescMethodStreaming>>;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Turns an error of an implementation into what the caller gets. */
  readonly translate: (error: unknown, path: string, signal: AbortSignal) => unknown;
  /** @returns the caller. @throws {ConnectError} where it may not call. */
  readonly admit: (headers: Readonly<Record<string, string>>, path: string, connection: Caller['connection']) => Caller;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

/**
 * Servers of the parts that share this process, by their addresses. A call to one of them hands its message over, without a
 * socket and without an encoding. The same parts in processes of their own have no links, and call over the wire.
 */
export class Links {
  readonly #servers = new Map<string, LinkedServer>();

  /** @param url The address that the server listens on. @returns Ends the link. */
  add(url: string, server: LinkedServer): () => void {
    const key = keyOf(url);
    this.#servers.set(key, server);
    return () => {
      if (this.#servers.get(key) === server) this.#servers.delete(key);
    };
  }

  /** @returns undefined where no server of this process listens there at the moment. */
  find(url: string): LinkedServer | undefined {
    return this.#servers.get(keyOf(url));
  }
}

function keyOf(url: string): string {
  if (!/^https?:/.test(url)) return url;
  const { hostname, port } = new URL(url);
  return `${LOOPBACK.has(hostname) ? 'localhost' : hostname}:${port}`;
}
