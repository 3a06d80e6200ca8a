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
  /** Aborts when the server closes, which lets calls under way end for a while. */
  readonly closing: AbortSignal;
  /** Aborts when the server is closed, and calls that are still under way are lost. */
  readonly closed: AbortSignal;
  /** A closing server waits for the calls in it. */
  readonly underWay: Pick<UnderWay, 'enter'>;
  /** Turns an error of an implementation into what the caller gets. */
  readonly translate: (error: unknown, path: string, signal: AbortSignal) => unknown;
  /** @returns the caller. @throws {ConnectError} where it may not call. */
  readonly admit: (headers: Readonly<Record<string, string>>, path: string, connection: Caller['connection']) => Caller;
}

/** Counts calls from their beginning to their end. */
export class UnderWay {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  /** @returns Ends the call. */
  enter(): () => void {
    this.#count += 1;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    };
  }

  /** Resolves when there is none. */
  async none(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A JSON-RPC server of this process, which answers POSTs to `/`. */
export interface LinkedRpc {
  readonly maxBodyBytes: number;
  /** @param signal Aborts when the caller no longer waits. */
  answer(body: string, signal: AbortSignal): Promise<string>;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

/**
 * Servers of the parts that share this process, by their addresses. A call to one of them hands its message over, without a
 * socket and without an encoding. The same parts in processes of their own have no links, and call over the wire.
 */
export class Links {
  readonly #servers = new Map<string, LinkedServer>();
  readonly #rpcs = new Map<string, LinkedRpc>();

  /** @param url The address that the server listens on. @returns Ends the link. */
  add(url: string, server: LinkedServer): () => void {
    return put(this.#servers, keyOf(url), server);
  }

  /** @param url The address that the server listens on. @returns Ends the link. */
  addRpc(url: string, server: LinkedRpc): () => void {
    return put(this.#rpcs, keyOf(url), server);
  }

  /** @returns undefined where no server of this process listens there at the moment. */
  find(url: string): LinkedServer | undefined {
    return this.#servers.get(keyOf(url));
  }

  /** @returns undefined where no JSON-RPC server of this process listens there at the moment. */
  findRpc(url: string): LinkedRpc | undefined {
    return new URL(url).pathname === '/' ? this.#rpcs.get(keyOf(url)) : undefined;
  }
}

function put<T>(servers: Map<string, T>, key: string, server: T): () => void {
  servers.set(key, server);
  return () => {
    if (servers.get(key) === server) servers.delete(key);
  };
}

function keyOf(url: string): string {
  if (!/^https?:/.test(url)) return url;
  const { hostname, port } = new URL(url);
  return `${LOOPBACK.has(hostname) ? 'localhost' : hostname}:${port}`;
}
