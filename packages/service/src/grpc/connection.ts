import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  constants,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import { lost } from './lost.ts';

export interface ConnectionOptions {
  readonly session: SecureClientSessionOptions;
  /** A connection that is silent for this long is tested before it is used, and while calls wait on it. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** For name lookup, TCP and TLS together. */
  readonly connectTimeoutMs: number;
  /** A connection without calls ends after this time. */
  readonly idleMs: number;
}

const MAX_ATTEMPTS = 3;

/** One connection with its state. */
interface Link {
  readonly session: ClientHttp2Session;
  /** Streams that are open. */
  open: number;
  /** When its peer last sent anything, by `performance.now()`. */
  receivedAt: number;
  pinging: Promise<void> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The HTTP/2 connection to one server: opened by the first call, and again by the first call after it was lost. What
 * fails before a call has its stream fails that call as lost in transport.
 *
 * Connect brings a manager of its own, which stops listening for errors of a connection when it gives it up; an error
 * that Node reports after that ends the process. Here every connection has a listener for as long as it exists.
 */
export class Connection {
  readonly authority: string;
  readonly #options: ConnectionOptions;
  #opening: Promise<Link> | undefined;
  #link: Link | undefined;
  /** Each session, with a function that ends its socket. */
  readonly #links = new Map<ClientHttp2Session, AbortController>();

  constructor(url: string, options: ConnectionOptions) {
    this.authority = new URL(url).origin;
    this.#options = options;
  }

  /** @throws {ConnectError} that `isTransportFailure` knows. */
  async request(method: string, path: string, headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions) {
    for (let attempt = 1; ; attempt += 1) {
      const link = await this.#usable();
      try {
        const stream = link.session.request({ ...headers, ':method': method, ':path': path }, options);
        this.#watch(link, stream);
        return stream;
      } catch (error) {
        if (!link.session.closed && !link.session.destroyed) throw error;
        // Lost between the two lines above: nothing was sent, so another connection may be tried.
        if (attempt === MAX_ATTEMPTS) throw lost('the connection was lost', error);
      }
    }
  }

  notifyResponseByteRead({ session }: ClientHttp2Stream): void {
    if (this.#link !== undefined && session === this.#link.session) this.#link.receivedAt = performance.now();
  }

  /** Ends the calls under way. A later call opens a new connection. */
  abort(): void {
    this.#link = undefined;
    this.#opening = undefined;
    for (const [session, socket] of this.#links) {
      session.destroy();
      socket.abort();
    }
  }

  async #usable(): Promise<Link> {
    const link = this.#link;
    if (link !== undefined && !link.session.closed && !link.session.destroyed) {
      if (performance.now() - link.receivedAt <= this.#options.pingIntervalMs) return link;
      await this.#ping(link);
      if (!link.session.closed && !link.session.destroyed) return link;
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  #open(): Promise<Link> {
    const { session: sessionOptions, connectTimeoutMs, idleMs } = this.#options;
    return new Promise((resolve, reject) => {
      // A session that is destroyed while its socket connects waits for that as long as the system tries, two minutes.
      const socket = new AbortController();
      const options = { ...sessionOptions, signal: socket.signal };
      const session = connect(this.authority, options);
      this.#links.set(session, socket);
      const late = setTimeout(() => {
        reject(lost(`cannot connect: no connection to ${this.authority} within ${connectTimeoutMs} ms`));
        socket.abort();
      }, connectTimeoutMs);
      const link: Link = { session, open: 0, receivedAt: performance.now(), pinging: undefined, timer: undefined };
      session.on('error', (error) => reject(lost(`cannot connect: ${error.message}`, error)));
      session.on('close', () => {
        clearTimeout(late);
        clearTimeout(link.timer);
        this.#links.delete(session);
        if (this.#link === link) this.#link = undefined;
        reject(lost('the connection was lost'));
      });
      // Node takes no new streams after this, but keeps a connection without any.
      session.on('goaway', () => {
        if (link.open === 0) session.destroy();
      });
      session.on('connect', () => {
        clearTimeout(late);
        link.receivedAt = performance.now();
        this.#link = link;
        session.setTimeout(idleMs, () => {
          if (link.open === 0) session.close();
        });
        session.unref();
        resolve(link);
      });
    });
  }

  /** Streams keep the process alive, and a connection that is silent while they wait is tried. */
  #watch(link: Link, stream: ClientHttp2Stream): void {
    if (link.open++ === 0) {
      link.session.ref();
      this.#tryAfter(link, this.#options.pingIntervalMs);
    }
    // The caller may listen for errors too late or no longer, and one without a listener would end the process.
    stream.on('error', () => undefined);
    let isAnswered = false;
    stream.once('response', () => {
      isAnswered = true;
    });
    stream.once('close', () => {
      if (!isAnswered && stream.rstCode === constants.NGHTTP2_CANCEL) this.#retire(link);
      if (--link.open > 0) return;
      clearTimeout(link.timer);
      link.session.unref();
    });
  }

  /**
   * A call was given up before anything came back. Pings may be answered all the same, by proxies in between: later calls
   * get another connection, and those under way keep this one.
   */
  #retire(link: Link): void {
    if (this.#link !== link) return;
    this.#link = undefined;
    link.session.close();
  }

  #tryAfter(link: Link, ms: number): void {
    clearTimeout(link.timer);
    link.timer = setTimeout(() => {
      const rest = link.receivedAt + this.#options.pingIntervalMs - performance.now();
      if (rest > 0) return this.#tryAfter(link, rest);
      void this.#ping(link).then(() => {
        if (link.open > 0 && !link.session.destroyed) this.#tryAfter(link, this.#options.pingIntervalMs);
      });
    }, ms).unref();
  }

  /** Resolves when the peer has answered, or the connection has ended because it did not. */
  #ping(link: Link): Promise<void> {
    const { pingTimeoutMs } = this.#options;
    link.pinging ??= new Promise<void>((resolve) => {
      const { session } = link;
      const timer = setTimeout(() => {
        session.destroy(new Error(`the connection was silent, and its peer did not answer within ${pingTimeoutMs} ms`));
      }, pingTimeoutMs).unref();
      const done = (error: Error | null): void => {
        clearTimeout(timer);
        if (error === null) link.receivedAt = performance.now();
        else session.destroy(error);
        link.pinging = undefined;
        resolve();
      };
      try {
        if (!session.ping(done)) done(new Error('the connection cannot be tried'));
      } catch {
        // It has ended in the meantime.
        done(new Error('the connection was lost'));
      }
    });
    return link.pinging;
  }
}
