import type { DescMethodStreaming, DescMethodUnary } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { Caller } from './peer-auth/caller.ts';
import { forManyListeners, sleep } from './timing/abort.ts';
import { turn } from './timing/clock.ts';

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
  /** Turns an error of an implementation into that of the caller. */
  readonly translate: (error: unknown, path: string, signal: AbortSignal) => unknown;
  /** @returns the caller. @throws {ConnectError} if it may not call. */
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

/** An application of this process, which answers requests. */
export interface LinkedApp {
  readonly maxBodyBytes: number;
  /** @param body That of the request. */
  fetch(request: Request, body: Buffer): Response | Promise<Response>;
}

/** How calls travel between the parts of a process if they do not simply arrive. */
export interface LinkPaths {
  /**
   * Carries something from one part to another.
   *
   * @returns undefined if it arrives at once. @throws {Error} if it is lost, now or after a while.
   */
  travel(from: string, to: string): Promise<void> | undefined;
  /** Aborts when calls under way between the two are lost. Without it, none is, as long as both parts run. */
  lost?(from: string, to: string): AbortSignal;
  /** Whether a call arrives a second time, decided for each call. Without it, none does. */
  repeats?(from: string, to: string): Repeat | undefined;
}

/** A call that something on the way sends again. */
export interface Repeat {
  /** Time between the two, in milliseconds. */
  readonly afterMs: number;
  /** The answer that the caller gets; the other one is lost. */
  readonly answered: 'first' | 'second';
}

/** A server as a caller finds it. */
export type Found<T> = T & {
  /** One of them aborts when the part with the server, or the calling part, ends abruptly, or the way between them breaks. */
  readonly lost: readonly AbortSignal[];
  /** Carries a request there, and an answer back. @throws {Error} if it is lost. */
  there(): Promise<void> | undefined;
  back(): Promise<void> | undefined;
};

const NOTHING = Buffer.alloc(0);
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]']);

interface Entry<T> {
  readonly owner: Links;
  readonly server: T;
}

/** Servers of all parts, by their addresses. */
class Servers {
  readonly grpc = new Map<string, Entry<LinkedServer>>();
  readonly rpc = new Map<string, Entry<LinkedRpc>>();
  readonly apps = new Map<string, Entry<LinkedApp>>();
}

export interface LinksOptions {
  /** Whether a part listens on a port of its address. Servers of other ports are found here only. All are open, if absent. */
  readonly isOpen?: (port: number) => boolean;
  readonly ways?: LinkPaths;
}

/**
 * One part's view of the servers of the parts that share this process. A call to one of them hands its message over, without a
 * socket and without an encoding. The same parts in processes of their own have no links, and call over the wire.
 */
export class Links {
  readonly #isOpen: (port: number) => boolean;
  readonly #name: string;
  readonly #ways: LinkPaths | undefined;
  readonly #servers: Servers;
  readonly #gone = new AbortController();

  constructor({ isOpen = () => true, ways }: LinksOptions = {}, name = '', servers = new Servers()) {
    this.#isOpen = isOpen;
    this.#ways = ways;
    this.#name = name;
    this.#servers = servers;
    forManyListeners(this.#gone.signal);
  }

  /** The view of another part. */
  of(name: string): Links {
    const isOpen = this.#isOpen;
    return new Links({ isOpen, ...(this.#ways && { ways: this.#ways }) }, name, this.#servers);
  }

  /** Whether an address of this machine has no socket: its server is found here, or nowhere. */
  isClosed(url: string): boolean {
    const [, port] = /^localhost:(\d+)$/.exec(toKey(url)) ?? [];
    return port !== undefined && !this.#isOpen(Number(port));
  }

  /**
   * The part has ended abruptly: its servers are not found any more, calls from it or to it are lost, and its sockets end, as those of
   * a killed process do.
   */
  cutOff(): void {
    for (const entries of [this.#servers.grpc, this.#servers.rpc, this.#servers.apps])
      for (const [key, { owner }] of entries) if (owner === this) entries.delete(key);
    this.#gone.abort();
  }

  get isCutOff(): boolean {
    return this.#gone.signal.aborted;
  }

  /** Calls `end` when the part ends abruptly, or now if it has. */
  onCutOff(end: () => void): void {
    if (this.isCutOff) end();
    else this.#gone.signal.addEventListener('abort', end, { once: true });
  }

  /** @param url The address that the server listens on. @returns Ends the link. */
  add(url: string, server: LinkedServer): () => void {
    return this.#put(this.#servers.grpc, url, server);
  }

  /** @param url The address that the server listens on. @returns Ends the link. */
  addRpc(url: string, server: LinkedRpc): () => void {
    return this.#put(this.#servers.rpc, url, server);
  }

  /** @param url The address that the application is served on. @returns Ends the link. */
  addApp(url: string, app: LinkedApp): () => void {
    return this.#put(this.#servers.apps, url, app);
  }

  /** @returns undefined if no server of this process listens there at the moment. */
  find(url: string): Found<LinkedServer> | undefined {
    return this.#find(this.#servers.grpc, url);
  }

  /** @returns undefined if no JSON-RPC server of this process listens there at the moment. */
  findRpc(url: string): Found<LinkedRpc> | undefined {
    return new URL(url).pathname === '/' ? this.#find(this.#servers.rpc, url) : undefined;
  }

  /**
   * Like the global one, which it is for addresses that no application of this process is served on. An application follows no
   * redirect and does not notice that a caller has gone, and the body of its answer does not end if the way breaks.
   */
  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const app = this.#find(this.#servers.apps, url);
    const failed = (cause?: unknown) => new TypeError('fetch failed', { cause });
    const body = toBytes(init.body);
    // The server refuses a longer one in its own way.
    if (!this.isClosed(url) && !(app !== undefined && body !== undefined && body.length <= app.maxBodyBytes))
      return globalThis.fetch(url, init);
    if (app === undefined) throw failed();
    // A `Request` with a signal forgets it whenever the garbage collector comes by, which no seed decides.
    const { signal, ...rest } = init;
    const signals = signal ? [signal, ...app.lost] : app.lost;
    const answer = async (): Promise<Response> => {
      // How many steps a `Request` takes differs between versions of Node: no other work comes between them.
      await turn();
      await app.there();
      if (signals.some(({ aborted }) => aborted)) throw failed();
      const request = new Request(url, rest);
      if (body !== undefined && body.length > 0) request.headers.set('content-length', String(body.length));
      const response = await app.fetch(request, body ?? NOTHING);
      await turn();
      await app.back();
      return response;
    };
    return orAborted(answer(), signals, () => (signal?.aborted === true ? signal.reason : failed()));
  };

  /**
   * Makes a call to a server, a second time if the way there repeats it: that one arrives although the caller, or its part, has
   * gone in the meantime.
   *
   * @param call Makes it from a view of a part. @param isAnswered The caller gets its answer, and may take it back.
   */
  deliver<T>(url: string, call: (from: Links, isAnswered: boolean) => Promise<T>): Promise<T> {
    const repeat = this.#ways?.repeats?.(this.#name, this.#ownerOf(url));
    if (repeat === undefined) return call(this, true);
    const isFirst = repeat.answered === 'first';
    const first = call(isFirst ? this : this.of(this.#name), isFirst);
    const second = sleep(repeat.afterMs).then(() => call(isFirst ? this.of(this.#name) : this, !isFirst));
    const [answer, other] = isFirst ? [first, second] : [second, first];
    other.catch(() => undefined);
    return answer;
  }

  #ownerOf(url: string): string {
    const key = toKey(url);
    const entry = this.#servers.grpc.get(key) ?? this.#servers.rpc.get(key);
    return entry === undefined ? '' : entry.owner.#name;
  }

  #put<T>(servers: Map<string, Entry<T>>, url: string, server: T): () => void {
    const key = toKey(url);
    const entry = { owner: this, server };
    if (!this.#gone.signal.aborted) servers.set(key, entry);
    return () => {
      if (servers.get(key) === entry) servers.delete(key);
    };
  }

  #find<T extends object>(servers: Map<string, Entry<T>>, url: string): Found<T> | undefined {
    if (this.#gone.signal.aborted) return undefined;
    const entry = servers.get(toKey(url));
    if (entry === undefined) return undefined;
    const [ways, from, to] = [this.#ways, this.#name, entry.owner.#name];
    const broken = ways?.lost?.(from, to);
    const lost = ways === undefined ? [] : [this.#gone.signal, entry.owner.#gone.signal, ...(broken ? [broken] : [])];
    return {
      ...entry.server,
      ...{ lost, there: () => ways?.travel(from, to), back: () => ways?.travel(to, from) },
    };
  }
}

/** Resolves with `work`, unless one of the signals aborts before. */
export function orAborted<T>(work: Promise<T>, signals: readonly AbortSignal[], failed: () => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(failed());
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
    const end = (): void => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    };
    work.then(resolve, reject).finally(end);
    if (signals.some(({ aborted }) => aborted)) abort();
  });
}

/** Undefined for a body whose bytes are not there yet. */
function toBytes(body: RequestInit['body']): Buffer | undefined {
  if (body === undefined || body === null) return NOTHING;
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : undefined;
}

function toKey(url: string): string {
  if (!/^https?:/.test(url)) return url;
  const { hostname, port } = new URL(url);
  return `${LOOPBACK.has(hostname) ? 'localhost' : hostname}:${port}`;
}
