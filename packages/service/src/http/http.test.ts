import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Code, ConnectError } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import { afterEach, expect, test } from 'vitest';
import { CLOSED } from '../access/access.ts';
import { Links } from '../links.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { askAs, eventually, memoryLogger, settle } from '../testing.ts';
import { healthRoutes } from './health-routes.ts';
import { type HttpOptions, httpApp, serveHttp } from './http.ts';
import type { DirectRoutes } from './http-direct.ts';
import { HttpError } from './http-error.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const anywhere = { host: '127.0.0.1', port: 0 };

async function serve(app: HttpOptions['app'], options: Partial<HttpOptions> = {}) {
  const server = await serveHttp({ listen: anywhere, app, name: 'X_LISTEN_ADDR', graceMs: 50, ...options });
  closers.push(server.close);
  return server;
}

function echo() {
  const app = httpApp();
  app.post('/echo', async (c) => c.text(String((await c.req.arrayBuffer()).byteLength)));
  return app;
}

test('an application learns who is at the other end', async () => {
  const app = httpApp();
  const seen: unknown[] = [];
  app.get('/', ({ env }) => {
    seen.push(env);
    return new Response('hello');
  });
  const { url } = await serve(app);
  await (await fetch(url)).text();
  expect(seen).toMatchObject([{ incoming: { socket: { remoteAddress: expect.stringMatching(/127\.0\.0\.1$/) } } }]);
});

test.each([
  ['malformed', 400],
  ['nonce-too-low', 409],
  ['too-large', 413],
  ['unauthorized', 403],
  ['limit-reached', 429],
] as const)('answers the refusal %s with %i and its facts', async (reason, status) => {
  const app = httpApp();
  app.get('/', () => {
    throw new Rejected(reason, { height: 7n });
  });
  const response = await app.request('/');
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({
    error: { code: reason, message: expect.stringContaining('height'), facts: { height: 7 } },
  });
});

test.each([
  ['an unavailable process behind', new ConnectError('x', Code.Unavailable), 503, 'unavailable'],
  ['a full process behind', new ConnectError('queue is full', Code.ResourceExhausted), 429, 'limit-reached'],
  ['its own status', new HttpError(418, 'teapot', 'short and stout'), 418, 'teapot'],
])('answers %s', async (_, error, status, code) => {
  const app = httpApp();
  app.get('/', () => Promise.reject(error));
  const response = await app.request('/');
  expect([response.status, ((await response.json()) as { error: { code: string } }).error.code]).toEqual([
    status,
    code,
  ]);
});

test.each([
  [new HttpError(429, 'limit-reached', 'slow down'), '1'],
  [new HttpError(429, 'limited', 'once a day', { againInSeconds: 3_600 }), '3600'],
  [new HttpError(409, 'conflict', 'not now'), null],
])('an answer to a limited client states when to retry: %s', async (error, seconds) => {
  const app = httpApp();
  app.get('/', () => Promise.reject(error));
  expect((await app.request('/')).headers.get('retry-after')).toBe(seconds);
});

test('keeps the message of an unforeseen error to the log', async () => {
  const { log, lines } = memoryLogger();
  const app = httpApp(log);
  app.get('/', () => Promise.reject(new Error('password is 123')));
  const response = await app.request('/');
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('123');
  expect(lines).toMatchObject([{ level: 'error', err: 'password is 123' }]);
});

test('answers an unknown route as JSON', async () => {
  const response = await httpApp().request('/nowhere');
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: { code: 'not-found', message: 'no route GET /nowhere', facts: {} } },
  ]);
});

test('reports the port it got and serves there', async () => {
  const { port, url } = await serve(echo());
  expect(url).toBe(`http://127.0.0.1:${port}`);
  const response = await fetch(`${url}/echo`, { method: 'POST', body: 'four' });
  expect(await response.text()).toBe('4');
});

test.each([
  ['whose length is stated', (bytes: number) => new Uint8Array(bytes)],
  ['that is streamed', (bytes: number) => new Blob([new Uint8Array(bytes)]).stream()],
])('bounds a body %s', async (_, body) => {
  const { url } = await serve(echo(), { maxBodyBytes: 1_000 });
  const post = async (bytes: number) => {
    const init = { method: 'POST', body: body(bytes), duplex: 'half' as const };
    const response = await fetch(`${url}/echo`, init);
    return [response.status, await response.text()];
  };
  expect(await post(1_000)).toEqual([200, '1000']);
  expect(await post(1_001)).toEqual([413, expect.stringContaining('longer than 1000 bytes')]);
});

test('who sends far too much still gets the answer', async () => {
  const { url } = await serve(echo(), { maxBodyBytes: 1_000_000 });
  const response = await fetch(`${url}/echo`, { method: 'POST', body: new Uint8Array(3_900_000) });
  expect(response.status).toBe(413);
});

// Defect: Client that sent too much got a closed connection instead of its answer
test('the connection of a body that is too long stays open until the body was sent', async () => {
  const { port } = await serve(echo(), { maxBodyBytes: 1_000 });
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  let ended = false;
  socket.on('data', (piece) => {
    answer += piece;
  });
  socket.on('end', () => {
    ended = true;
  });
  socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3000\r\n\r\n');
  await eventually(() => answer.includes('longer than 1000 bytes'));
  for (let sent = 0; sent < 3_000; sent += 1_000) {
    await settle();
    expect(ended).toBe(false);
    socket.write('x'.repeat(1_000));
  }
  await eventually(() => ended);
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  socket.destroy();
});

test('a request that never becomes complete is cut off', async () => {
  const { port } = await serve(echo(), { requestTimeoutMs: 50 });
  const socket = connect(port, '127.0.0.1');
  socket.write('POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc');
  const answer = await new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('close', () => resolve(text));
  });
  expect(answer).toMatch(/^HTTP\/1.1 408 /);
});

test('who asks for much and does not read is cut off when it is too much, and no other client', async () => {
  const app = httpApp();
  app.get('/long', (c) => c.text('x'.repeat(20_000_000)));
  app.get('/short', (c) => c.text('short'));
  // A quarter of it, which one address may leave unread, is more than one answer and less than two.
  const { port, url } = await serve(app, { maxUnreadBytes: 100_000_000 });
  let cut = 0;
  const ask = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      // Its beginning comes; the rest is not read.
      socket.once('readable', () => resolve());
      socket.once('close', () => {
        cut += 1;
      });
      socket.on('error', () => undefined);
      closers.push(async () => void socket.destroy());
      sockets.push(socket);
    });
  const sockets: Socket[] = [];
  for (let wanted = 0; wanted < 4; wanted += 1) await ask();
  expect(await (await fetch(`${url}/short`)).text()).toBe('short');
  for (const socket of sockets) socket.resume();
  await eventually(() => cut > 0);
  expect(cut).toBeLessThan(4);
});

test('a header that is too long is refused', async () => {
  const { url } = await serve(echo());
  const response = await fetch(`${url}/echo`, { method: 'POST', headers: { long: 'x'.repeat(20_000) } });
  expect(response.status).toBe(431);
});

test('a port in use is one line that names port, setting and what to do', async () => {
  const { port } = await serve(echo());
  const second = serveHttp({ listen: { host: '127.0.0.1', port }, app: echo(), name: 'X_LISTEN_ADDR' });
  await expect(second).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} (X_LISTEN_ADDR): port ${port} is already in use; stop the program that uses it or set X_LISTEN_ADDR to another port`,
  );
});

test('a port that a starting child still holds is waited for where parts share this process', async () => {
  // A search through this many directories takes the child a while, in which it has copies of all sockets.
  const path = '/:'.repeat(60_000);
  const starter = new Worker(
    `const { spawnSync } = require('node:child_process');
     const { workerData } = require('node:worker_threads');
     while (true) spawnSync('there-is-no-such-program', { env: { PATH: workerData } });`,
    { eval: true, workerData: path },
  );
  await once(starter, 'online');
  try {
    let { port } = anywhere;
    for (let round = 0; round < 20; round += 1) {
      const listen = { host: '127.0.0.1', port };
      const server = await serveHttp({ listen, app: echo(), name: 'X', links: new Links() });
      port = server.port;
      await new Promise((resolve) => setTimeout(resolve, 20));
      await server.close();
    }
  } finally {
    await starter.terminate();
  }
});

// Defect: Every listening process ended by a port on which another program had a connection
test.runIf(process.platform === 'linux')(
  'a port that only a connection holds is waited for, in one line of the log',
  async () => {
    const { port: to } = await serve(echo());
    const connection = connect({ host: '127.0.0.1', port: to });
    await once(connection, 'connect');
    const port = connection.localPort ?? 0;
    const lines: unknown[] = [];
    const log = {
      info(fields: object, sentence: string) {
        lines.push([fields, sentence]);
        connection.resetAndDestroy();
      },
      error() {},
      debug() {},
    };
    const waiting = await serveHttp({ listen: { host: '127.0.0.1', port }, app: echo(), name: 'X_LISTEN_ADDR', log });
    await waiting.close();
    expect(lines).toEqual([
      [
        { address: `127.0.0.1:${port}`, setting: 'X_LISTEN_ADDR', connection: 'open', waitsMs: 75_000 },
        'a connection of another program holds the port: waiting for its end',
      ],
    ]);
  },
);

test('an address of another machine is one line too', async () => {
  const foreign = serveHttp({ listen: { host: '192.0.2.1', port: 1 }, app: echo(), name: 'X_LISTEN_ADDR' });
  await expect(foreign).rejects.toThrow(
    '192.0.2.1 is not an address of this machine; set X_LISTEN_ADDR to 127.0.0.1:1 or 0.0.0.0:1',
  );
});

test('closes with the signal, and does not wait for ever for a request under way', async () => {
  const stop = new AbortController();
  const app = httpApp();
  app.get('/hang', () => new Promise<Response>(() => undefined));
  const { url, close } = await serve(app, { signal: stop.signal });
  const hanging = fetch(`${url}/hang`).catch(() => 'cut');
  await expect(fetch(`${url}/other`)).resolves.toMatchObject({ status: 404 });
  stop.abort();
  await close();
  expect(await hanging).toBe('cut');
  await expect(fetch(url)).rejects.toThrow();
});

test('behind a proxy, what is sent to it while it closes is answered, on kept and new connections, each for the last time', async () => {
  const app = httpApp();
  app.get('/', (c) => c.text('here'));
  const server = await serve(app, { access: { ...CLOSED, proxyCount: 1, trustedProxies: ['127.0.0.0/8'] } });
  const port = Number(new URL(server.url).port);
  const open = () => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    return { socket, answers: () => text.split('HTTP/1.1 ').slice(1) };
  };
  const request = 'GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
  const kept = open();
  kept.socket.write(request);
  await eventually(() => kept.answers().length === 1);
  const closed = server.close();
  const fresh = open();
  for (const { socket } of [kept, fresh]) socket.write(request);
  await closed;
  expect([kept.answers(), fresh.answers()].map((answers) => answers.at(-1))).toEqual([
    expect.stringMatching(/^200 [\s\S]*connection: close\r\n[\s\S]*here/i),
    expect.stringMatching(/^200 [\s\S]*connection: close\r\n[\s\S]*here/i),
  ]);
  expect([kept.answers().length, fresh.answers().length]).toEqual([2, 1]);
  await expect(fetch(server.url)).rejects.toThrow();
});

test('tells life, readiness, status and metrics', async () => {
  const metrics = createMetrics('box_', { service: 'box' });
  metrics.counter('things_total', 'things').add(2);
  let ready = false;
  let note: string | undefined;
  const app = healthRoutes({
    ready: () => (ready ? { ok: true, note } : { ok: false, reason: 'waiting for the sequencer' }),
    status: () => ({ height: 5n }),
    metrics,
  });
  const get = async (path: string) => {
    const response = await app.request(path);
    return [response.status, await response.text()];
  };
  const { pid } = process;
  expect(await get('/healthz')).toEqual([200, `{"status":"ok","pid":${pid}}`]);
  expect(await get('/readyz')).toEqual([
    503,
    `{"status":"not ready","pid":${pid},"reason":"waiting for the sequencer"}`,
  ]);
  ready = true;
  expect(await get('/readyz')).toEqual([200, `{"status":"ok","pid":${pid}}`]);
  note = 'sequencer: no block since height 9';
  expect(await get('/readyz')).toEqual([200, `{"status":"ok","pid":${pid},"note":"${note}"}`]);
  expect(await get('/status')).toEqual([200, '{"height":5}']);
  expect(await get('/metrics')).toEqual([200, expect.stringContaining('box_things_total{service="box"} 2')]);
});

test('every answer has the security headers, refusals and errors too, and names no software', async () => {
  const app = echo();
  app.get('/bug', () => Promise.reject(new Error('a bug')));
  app.get('/page', (c) => c.html('<p>', 200, { 'content-security-policy': "default-src 'self'" }));
  const direct: DirectRoutes = {
    answer: ({ path }) => (path === '/' ? Promise.resolve({ status: 200, headers: {}, body: 'x' }) : undefined),
  };
  const { url } = await serve(app, { direct, maxBodyBytes: 100 });
  const answers = [
    await askAs(`${url}/nowhere`),
    await askAs(`${url}/bug`),
    await askAs(url, { method: 'POST', body: 'x' }),
    await askAs(url, { method: 'POST', body: 'x'.repeat(200) }),
    await askAs(url, { headers: { host: 'evil.example' } }),
    await askAs(`${url}/page`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 500, 200, 413, 403, 200]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(/^default-src '(?:none'.*frame-ancestors 'none|self)'$/),
    });
    expect(Object.keys(headers)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:server|x-powered-by)$/)]),
    );
  }
});

test('a connection ends with the answer that is under way when the server closes', async () => {
  const app = echo();
  const wanted: (() => void)[] = [];
  app.get('/slow', async (c) => {
    await new Promise<void>((answer) => void wanted.push(answer));
    return c.text('done');
  });
  const server = await serve(app);
  const answered = fetch(`${server.url}/slow`);
  await eventually(() => wanted.length > 0);
  const closed = server.close();
  wanted[0]?.();
  const response = await answered;
  expect([response.headers.get('connection'), await response.text()]).toEqual(['close', 'done']);
  await closed;
});
