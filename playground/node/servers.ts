/*
 * Servers of `node:http`, `node:http2` and `node:net` in a page, where nothing listens: parts of the network reach each other by their links.
 */

/** Listeners are kept and never called, except for the end. */
export class Server {
  on(): this {
    return this;
  }
  once = this.on;
  off = this.on;
  setTimeout = this.on;
  removeAllListeners = this.on;
  closeIdleConnections = this.on;
  closeAllConnections = this.on;

  listeners(): readonly never[] {
    return [];
  }

  close(done: () => void): this {
    queueMicrotask(done);
    return this;
  }
}

/** A stand-in for the library `ws`. */
export class WebSocketServer extends Server {
  readonly clients: readonly never[] = [];
}

export const createServer = (): Server => new Server();
export const isIP = (host: string): number => (/^\d+(\.\d+){3}$/.test(host) ? 4 : host.includes(':') ? 6 : 0);
/** For requests over sockets. */
export class Agent {}
/** Addresses of proxies, of which a page has none. */
export class BlockList {
  addAddress(): void {}
  addSubnet(): void {}
  check(): boolean {
    return false;
  }
}
