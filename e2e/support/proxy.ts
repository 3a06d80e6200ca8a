import { connect, createServer, type Server, type Socket } from 'node:net';

/** A fault of a connection, as its user sees it. */
export type ProxyFault =
  /** Refuses and ends all connections. */
  | { readonly kind: 'cut' }
  /** Ends all connections with RST, new ones too. */
  | { readonly kind: 'reset' }
  /** Takes connections and bytes, and passes nothing on. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Inverts one byte in each piece that the server sends, at this share of its length. */
  | { readonly kind: 'garbage'; readonly at: number }
  /** Ends a connection with RST once the server has sent this many bytes on it. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** Answers a request as the same request was answered first, if both fit in one piece (HTTP/1 without TLS). */
  | { readonly kind: 'stale' };

/** A way to a TCP port that can be cut, and that can change answers. */
export interface TcpProxy {
  readonly url: string;
  /** Refuses and ends all connections. */
  cut(): void;
  repair(): void;
  /** From now on, until `repair`; connections that are open are affected too. */
  fail(fault: ProxyFault): void;
  /** Replaces bytes sent by the server, from now on, by others of the same length. */
  alter(from: string, to: string): void;
  close(): Promise<void>;
}

const MAX_REMEMBERED = 1_000;

export async function createProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let fault: ProxyFault | undefined;
  let change: readonly [Buffer, Buffer] | undefined;
  /** First answers by request, for `stale`. */
  const answers = new Map<string, Buffer>();

  const server: Server = createServer((client) => {
    if (fault?.kind === 'cut') return void client.destroy();
    if (fault?.kind === 'reset') return void client.resetAndDestroy();
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let request = '';
    let sent = 0;
    const pass = (to: Socket, chunk: Buffer): void => {
      if (fault?.kind === 'stall') return;
      const write = (): void => void (to.writable && to.write(chunk));
      if (fault?.kind === 'delay') setTimeout(write, fault.ms);
      else write();
    };
    client.on('data', (chunk: Buffer) => {
      request = chunk.length <= 4_096 ? chunk.toString('latin1') : '';
      const old = fault?.kind === 'stale' ? answers.get(request) : undefined;
      if (old === undefined) pass(upstream, chunk);
      else client.write(old);
    });
    upstream.on('data', (chunk: Buffer) => {
      if (request !== '' && !answers.has(request) && answers.size < MAX_REMEMBERED) answers.set(request, chunk);
      request = '';
      sent += chunk.length;
      if (fault?.kind === 'truncate' && sent > fault.bytes) return void client.resetAndDestroy();
      pass(client, altered(chunk));
    });
  });

  function altered(chunk: Buffer): Buffer {
    if (fault?.kind === 'garbage') {
      const copy = Buffer.from(chunk);
      const at = Math.floor(fault.at * copy.length);
      copy[at] = ~(copy[at] ?? 0) & 255;
      return copy;
    }
    if (change === undefined) return chunk;
    const [from, to] = change;
    const copy = Buffer.from(chunk);
    for (let at = copy.indexOf(from); at >= 0; at = copy.indexOf(from, at + 1)) to.copy(copy, at);
    return copy;
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  const fail = (next: ProxyFault): void => {
    fault = next;
    if (next.kind === 'cut') for (const socket of sockets) socket.destroy();
    if (next.kind === 'reset') for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: () => fail({ kind: 'cut' }),
    repair() {
      // Bytes that were held back are gone, so their connections cannot continue.
      if (fault?.kind === 'stall' || fault?.kind === 'garbage') for (const socket of sockets) socket.destroy();
      fault = undefined;
    },
    fail,
    alter(from, to) {
      if (from.length !== to.length) throw new RangeError('the lengths differ');
      change = [Buffer.from(from), Buffer.from(to)];
    },
    close() {
      fail({ kind: 'cut' });
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
