import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { httpApp } from '../http/http.ts';
import { Links } from '../links.ts';
import { eventually, memoryLogger } from '../testing.ts';
import { type Clock, systemClock } from '../timing/clock.ts';
import type { JsonRpcBounds } from './bounds.ts';
import type { JsonRpcMethods, Subscriber } from './context.ts';
import { JsonBytes } from './json-bytes.ts';
import { serveJsonRpc } from './serve.ts';
import { jsonRpcServer } from './server.ts';

const MB = 1_048_576;
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(methods: JsonRpcMethods, bounds: Partial<JsonRpcBounds> = {}) {
  const { log, lines } = memoryLogger();
  const running = await serveJsonRpc({
    server: jsonRpcServer({ methods, bounds, log }),
    listen: { host: '127.0.0.1', port: 0 },
    name: 'X_LISTEN_ADDR',
    app: httpApp(),
  });
  closers.push(running.close);
  return { url: running.url, lines };
}

async function connect(url: string) {
  const socket = new WebSocket(url.replace('http', 'ws'));
  closers.push(() => socket.terminate());
  let closed: { code: number; reason: string } | undefined;
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) };
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const send = (method: string) => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method }));
  return { socket, send, closed: () => closed };
}

// Defect: EVM: others waited seconds for a hundred WebSockets
test('requests that arrive in one piece, on several connections, are begun over many rounds of the event loop', async () => {
  const [connections, requests, maxAtWork] = [4, 500, 64];
  const begunIn = new Map<number, number>();
  let round = 0;
  let tick = setImmediate(function next() {
    round += 1;
    tick = setImmediate(next);
  });
  closers.push(() => clearImmediate(tick));
  const { url } = await serve({ count: () => begunIn.set(round, (begunIn.get(round) ?? 0) + 1).size }, { maxAtWork });
  const clients = await Promise.all(Array.from({ length: connections }, () => connect(url)));
  let answers = 0;
  for (const { socket, send } of clients) {
    socket.on('message', () => {
      answers += 1;
    });
    for (let count = 0; count < requests; count += 1) send('count');
  }
  await eventually(() => answers === connections * requests);
  // Two if a turn is before the count of one round and after that of the next.
  expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(2 * maxAtWork);
});

// Defect: EVM: unbounded memory for subscribers that together read nothing
test('of subscribers that together do not read their notifications, the one that lags most is closed', async () => {
  const subscribers: Subscriber[] = [];
  const { url, lines } = await serve(
    { subscribe: (_, { subscriber }) => subscriber !== undefined && subscribers.push(subscriber) },
    { maxUnsentBytes: 1_000 * MB, maxUnsentBytesTotal: 20 * MB },
  );
  const clients = [await connect(url), await connect(url), await connect(url)];
  for (const [index, { send }] of clients.entries()) {
    send('subscribe');
    await eventually(() => subscribers.length === index + 1);
  }
  const [quick, slow, slowest] = clients;
  slow?.socket.pause();
  slowest?.socket.pause();
  const large = 'x'.repeat(MB);
  for (let count = 0; count < 12; count += 1) subscribers[1]?.notify(large);
  for (let count = 0; count < 40 && slowest?.socket.readyState === WebSocket.OPEN; count += 1) {
    subscribers[2]?.notify(large);
  }
  expect(lines.map(({ reason }) => reason)).toEqual(['notifications-unread']);
  for (const each of clients) each.socket.resume();
  await eventually(() => slowest?.closed());
  expect([quick?.closed(), slow?.closed()]).toEqual([undefined, undefined]);
});

// Defect: A subscriber was closed as lagging while its own answer was on its way
test('a long answer on its way does not count as notifications that are not read', async () => {
  const subscribers: Subscriber[] = [];
  const { url } = await serve(
    {
      subscribe: (_, { subscriber }) => subscriber !== undefined && subscribers.push(subscriber),
      long: () => new JsonBytes([Buffer.from(`"${'x'.repeat(20 * MB)}`), Buffer.from('"')]),
      done: () => 'done',
    },
    { maxUnsentBytes: MB },
  );
  const { socket, send, closed } = await connect(url);
  const got: { id?: number; result?: string; note?: string }[] = [];
  socket.on('message', (text) => got.push(JSON.parse(String(text))));
  send('subscribe');
  await eventually(() => got.length === 1);
  socket.pause();
  send('long');
  const other = await connect(url);
  const answered = new Promise((resolve) => other.socket.once('message', resolve));
  other.send('done');
  await answered;
  for (let count = 0; count < 3; count += 1) subscribers[0]?.notify('{"note":"new block"}');
  socket.resume();
  await eventually(() => got.length === 5);
  expect([got[1]?.result?.length, got.slice(2).map(({ note }) => note), closed()]).toEqual([
    20 * MB,
    ['new block', 'new block', 'new block'],
    undefined,
  ]);
});

// Defect: Sequencer: short answers unread over WebSockets bounded for each connection only
test('of clients that do not read their answers, over HTTP or WebSocket, the one that holds most is cut off', async () => {
  const { url, lines } = await serve(
    { large: () => 'x'.repeat(10 * MB), larger: () => 'x'.repeat(40 * MB) },
    { maxUnreadAnswerBytes: 50 * MB },
  );
  const [modest, greedy] = [await connect(url), await connect(url)];
  const answered = new Promise((resolve) => modest.socket.once('message', resolve));
  for (const { socket } of [modest, greedy]) socket.pause();
  greedy.send('larger');
  modest.send('large');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'large' });
  await eventually(async () => {
    // Its header is waited for, and nothing of its body read.
    const unread = await fetch(url, { method: 'POST', body });
    closers.push(() => unread.body?.cancel());
    return lines.some(({ reason }) => reason === 'answers-unread');
  });
  for (const { socket } of [modest, greedy]) socket.resume();
  await eventually(() => greedy.closed());
  await answered;
  expect(modest.closed()).toBeUndefined();
});

// Defect: WebSocket message in thousands of tiny frames read to its end
test('a message in more frames than its length explains ends the connection; one in large frames is answered', async () => {
  const { url } = await serve({ echo: () => 'echo' }, { maxBodyBytes: 256 * 1_024 });
  const request = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo' }).padEnd(200_000));
  const sendIn = (socket: WebSocket, frameBytes: number): void => {
    for (let at = 0; at < request.length; at += frameBytes) {
      socket.send(request.subarray(at, at + frameBytes), { binary: false, fin: at + frameBytes >= request.length });
    }
  };
  const usual = await connect(url);
  const answer = new Promise((resolve) => usual.socket.once('message', (text) => resolve(String(text))));
  sendIn(usual.socket, 4_096);
  expect(await answer).toContain('echo');
  const sockets = () => process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length;
  const before = sockets();
  const crumbling = await connect(url);
  sendIn(crumbling.socket, 100);
  expect(await eventually(() => crumbling.closed())).toMatchObject({ code: 1_008 });
  // Both ends, long before the library would give up.
  await eventually(() => sockets() <= before, 20_000);
});

test('nothing is left of a part that is cut off while a client is connected', async () => {
  const links = new Links().of('part');
  let timers = 0;
  const clock: Clock = {
    now: systemClock.now,
    after(...timer) {
      timers += 1;
      const cancel = systemClock.after(...timer);
      return () => {
        timers -= 1;
        cancel();
      };
    },
  };
  const { log } = memoryLogger();
  const server = jsonRpcServer({ methods: {}, log, clock });
  const running = await serveJsonRpc({
    ...{ server, links, listen: { host: '127.0.0.1', port: 0 }, name: 'X_LISTEN_ADDR', app: httpApp() },
  });
  const { closed } = await connect(running.url);
  expect(timers).toBeGreaterThan(0);
  links.cutOff();
  await eventually(() => expect(closed()).toBeDefined());
  expect(timers).toBe(0);
});
