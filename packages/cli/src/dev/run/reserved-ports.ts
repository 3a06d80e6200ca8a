import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Keeps ports from becoming the local end of an outgoing connection before the service that listens on them has
 * bound them, and while it is started again. Most of ours lie in Linux's range of such ports (32,768 to 60,999), and
 * a listener cannot have the port of a connection, nor for a minute after the connection has ended.
 *
 * A port that is bound on purpose is not chosen for a connection, and a listener may still bind it as long as both ask
 * to share it (`SO_REUSEADDR`, as Node and Go do for every listener) and the first does not listen. Node binds without
 * listening only to connect; so each port is connected to a listener of our own and stays silent.
 *
 * Other systems do not let a listener share, so there nothing is reserved.
 */
export class ReservedPorts {
  readonly #held = new Map<number, Socket>();
  #keeper: Promise<Server | undefined> | undefined;

  /** Ports just taken by another process are left out: the service that binds them reports it. */
  async add(ports: Iterable<number>): Promise<void> {
    if (process.platform !== 'linux') return;
    this.#keeper ??= this.#open();
    const keeper = await this.#keeper;
    if (keeper === undefined) return;
    const { port: to } = keeper.address() as AddressInfo; // it listens on TCP
    await Promise.all([...ports].map((port) => this.#hold(port, to)));
  }

  async release(): Promise<void> {
    for (const socket of this.#held.values()) socket.resetAndDestroy();
    this.#held.clear();
    const keeper = await this.#keeper;
    keeper?.close();
    this.#keeper = undefined;
  }

  #hold(port: number, to: number): Promise<void> | undefined {
    if (port === 0 || this.#held.has(port)) return undefined;
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port: to, localAddress: '127.0.0.1', localPort: port });
      this.#held.set(port, socket);
      // Until then it keeps the process alive, since the caller waits.
      socket.once('connect', () => resolve(void socket.unref()));
      socket.on('error', () => {
        this.#held.delete(port);
        resolve();
      });
    });
  }

  #open(): Promise<Server | undefined> {
    return new Promise((resolve) => {
      const server = createServer((socket) => {
        // It ends with the other end.
        socket.on('error', () => {});
        if (this.#held.has(socket.remotePort ?? 0)) socket.unref();
        else socket.destroy();
      });
      server.once('error', () => resolve(undefined));
      server.listen(0, '127.0.0.1', () => resolve(server.unref()));
    });
  }
}
