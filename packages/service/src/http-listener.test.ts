import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { MAX_PIPELINED } from './connections/pipeline.ts';
import { closeHttp, type HttpListenerOptions, httpListener } from './http-listener.ts';
import { bind } from './listening.ts';
import { eventually } from './testing.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const listen = { host: '127.0.0.1', port: 0 };

async function listening(options: Partial<HttpListenerOptions> = {}) {
  const listener = httpListener({ listen, handle: (_, response) => void response.end('here'), ...options });
  const { port } = await bind(listener.server, listen, 'X_ADDR');
  closers.push(() => closeHttp(listener.server, 0));
  return { ...listener, port };
}

function client(port: number, bytes: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  closers.push(() => void socket.destroy());
  socket.write(bytes);
  return socket;
}

const REQUEST = 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';

test('connections that come together are begun one in each round of the event loop', async () => {
  const rounds = new Map<number, number>();
  let round = 0;
  let tick = setImmediate(function next() {
    round += 1;
    tick = setImmediate(next);
  });
  closers.push(() => clearImmediate(tick));
  const { port } = await listening({
    route(socket) {
      closers.push(() => void socket.destroy());
      rounds.set(round, (rounds.get(round) ?? 0) + 1);
    },
  });
  for (let count = 0; count < 30; count += 1) client(port, REQUEST);
  await eventually(() => [...rounds.values()].reduce((sum, each) => sum + each, 0) === 30);
  expect(Math.max(...rounds.values())).toBe(1);
});

test('of a connection that was reset before it was accepted, nothing is made', async () => {
  let begun = 0;
  const { port } = await listening({
    route(socket) {
      closers.push(() => void socket.destroy());
      begun += 1;
    },
  });
  // This process accepts when the other one has ended.
  const program = `
    const socket = require('node:net').connect(${port}, '127.0.0.1', () => socket.resetAndDestroy());
  `;
  expect(spawnSync(process.execPath, ['-e', program]).status).toBe(0);
  client(port, REQUEST);
  await eventually(() => begun > 0);
  expect(begun).toBe(1);
});

test('of what was read in one piece, what is behind the end of the connection is not parsed', async () => {
  const { port, server } = await listening({ handle: () => undefined });
  let parsed = 0;
  server.on('request', () => {
    parsed += 1;
  });
  const socket = client(port, REQUEST.repeat(20_000));
  await new Promise((resolve) => socket.once('close', resolve));
  expect(parsed).toBeGreaterThan(MAX_PIPELINED);
  expect(parsed).toBeLessThan(4 * MAX_PIPELINED);
});

test('what follows an upgrade in the same piece reaches whoever takes the connection over', async () => {
  const { port, onUpgrade } = await listening();
  let taken = '';
  onUpgrade((_, socket, head) => {
    closers.push(() => void socket.destroy());
    socket.unshift(head);
    socket.on('data', (chunk: Uint8Array) => (taken += String(chunk)));
  });
  const text = Array.from({ length: 3_000 }, (_, index) => `${index};`).join('');
  client(port, `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n${text}`);
  await eventually(() => taken.length === text.length);
  expect(taken).toBe(text);
});

test('a body of many pieces is read whole', async () => {
  let length = 0;
  const { port } = await listening({
    handle(request, response) {
      request.on('data', (chunk: Uint8Array) => (length += chunk.length));
      request.on('end', () => response.end('done'));
    },
  });
  const body = new Uint8Array(1_000_000);
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  expect([await answer.text(), length]).toEqual(['done', body.length]);
});

// Loopback is a whole network on Linux only.
test.runIf(process.platform === 'linux')(
  'of requests that arrive together, those of an address with few are not behind all of one with many',
  async () => {
    const order: string[] = [];
    const { port } = await listening({
      handle(request, response) {
        order.push(request.url ?? '');
        // Longer than one round should take.
        for (const end = performance.now() + 3; performance.now() < end; );
        response.end('here');
      },
    });
    const client = async (localAddress: string, path: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      closers.push(() => void socket.destroy());
      const ask = () =>
        new Promise((resolve) => {
          socket.once('data', resolve);
          socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
        });
      await ask();
      return ask;
    };
    const greedy = await Promise.all(Array.from({ length: 20 }, () => client('127.0.0.2', '/greedy')));
    const honest = await client('127.0.0.1', '/honest');
    order.length = 0;
    await Promise.all([...greedy, honest].map((ask) => ask()));
    expect(order).toHaveLength(21);
    expect(order.indexOf('/honest')).toBeLessThan(5);
  },
);
