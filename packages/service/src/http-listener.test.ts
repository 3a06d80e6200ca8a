import { spawnSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { CLOSED } from './access/access.ts';
import { clientOfRequest } from './access/client.ts';
import { LoopShares } from './connections/loop-shares.ts';
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

test('of a connection that was reset before it was accepted, nothing is made', async () => {
  let begun = 0;
  const { port, server } = await listening({
    route(socket) {
      closers.push(() => void socket.destroy());
      begun += 1;
    },
  });
  let made = 0;
  server.prependListener('connection', () => {
    made += 1;
  });
  // This process accepts when the other one has ended.
  const program = `
    const socket = require('node:net').connect(${port}, '127.0.0.1', () => socket.resetAndDestroy());
  `;
  expect(spawnSync(process.execPath, ['-e', program]).status).toBe(0);
  client(port, REQUEST);
  await eventually(() => begun > 0);
  expect([made, begun]).toEqual([1, 1]);
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

test.runIf(process.platform === 'linux')(
  'while others are served, what an address sends that uses much of the time is left unread',
  async () => {
    let now = 0;
    const shares = new LoopShares({ now: () => now, cpu: () => now });
    let greedy = 0;
    const { port, server } = await listening({
      shares,
      handle(request, response) {
        if (request.url === '/greedy') {
          greedy += 1;
          now += 100;
        }
        response.end('here');
      },
    });
    let parsed = 0;
    server.on('request', ({ url }) => {
      if (url === '/greedy') parsed += 1;
    });
    const from = (localAddress: string, path: string) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      closers.push(() => void socket.destroy());
      return () =>
        new Promise((resolve) => {
          socket.once('data', resolve);
          socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
        });
    };
    const [honest, attack, newcomer] = [
      from('127.0.0.1', '/'),
      from('127.0.0.2', '/greedy'),
      from('127.0.0.2', '/greedy'),
    ];
    await honest();
    await attack();
    const waiting = [attack(), newcomer()];
    for (let count = 0; count < 20; count += 1) await honest();
    expect([greedy, parsed]).toEqual([1, 1]);
    now += 10_000;
    await Promise.all(waiting);
    expect(greedy).toBe(3);
  },
);

const requestFor = (address: string): string => REQUEST.replace('\r\n\r\n', `\r\nx-forwarded-for: ${address}\r\n\r\n`);

test('behind a proxy, the time of each client is its own, whichever connection its requests come on', async () => {
  const waiting: (() => void)[] = [];
  class Greedy extends LoopShares {
    override whenFree(peer: string, begin: () => void): void {
      if (peer === '10.0.0.1') waiting.push(begin);
      else super.whenFree(peer, begin);
    }
  }
  const { port } = await listening({
    access: { ...CLOSED, proxyCount: 1 },
    shares: new Greedy(),
    handle: (request, response) => void response.end(`you are ${clientOfRequest(request)}`),
  });
  const answers = ['', '', ''];
  for (const [index, address] of ['10.0.0.1', '10.0.0.2', '10.0.0.1, 10.0.0.3'].entries()) {
    client(port, requestFor(address)).on('data', (data) => {
      answers[index] += data.toString();
    });
  }
  await eventually(() => answers.filter((answer) => answer !== '').length === 2);
  expect(answers).toEqual(['', expect.stringContaining('you are 10.0.0.2'), expect.stringContaining('10.0.0.3')]);
  expect(waiting).toHaveLength(1);
  for (const begin of waiting) begin();
  await eventually(() => answers[0]?.includes('you are 10.0.0.1') === true);
});

test('X-Forwarded-For of a client is ignored where no proxy stands in front', async () => {
  const { port } = await listening({
    handle: (request, response) => void response.end(`you are ${clientOfRequest(request)}`),
  });
  let answer = '';
  client(port, requestFor('10.0.0.1')).on('data', (data) => {
    answer += data.toString();
  });
  await eventually(() => answer.includes('you are 127.0.0.1'));
});
