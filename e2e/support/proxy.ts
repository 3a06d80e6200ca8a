import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a TCP port that can be cut, and that can change what comes back. */
export interface TcpProxy {
  readonly url: string;
  /** Refuses and ends all connections. */
  cut(): void;
  mend(): void;
  /** Replaces bytes of what the server sends, from now on, by others of the same length. */
  alter(from: string, to: string): void;
  close(): Promise<void>;
}

export async function createProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let change: readonly [Buffer, Buffer] | undefined;

  const server: Server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk: Buffer) => upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => client.write(altered(chunk)));
  });

  function altered(chunk: Buffer): Buffer {
    if (change === undefined) return chunk;
    const [from, to] = change;
    const copy = Buffer.from(chunk);
    for (let at = copy.indexOf(from); at >= 0; at = copy.indexOf(from, at + 1)) to.copy(copy, at);
    return copy;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut,
    mend() {
      isCut = false;
    },
    alter(from, to) {
      if (from.length !== to.length) throw new RangeError('the lengths differ');
      change = [Buffer.from(from), Buffer.from(to)];
    },
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
