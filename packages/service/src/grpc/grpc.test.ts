import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Code, ConnectError, type ConnectRouter, createClient } from '@connectrpc/connect';
import { Rejected } from '@switchyard/protocol';
import { ownComposer, primitive } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Status } from '../gen/grpc/health/v1/health_pb.ts';
import { refusalReason } from '../http/refusal.ts';
import { memoryLogger } from '../testing.ts';
import { type GrpcOptions, serveGrpc } from './server.ts';
import { grpcTransport } from './transport.ts';

const { SubmissionService } = ownComposer;
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** `ListPending` makes these tests interesting: it streams the messages that the test chooses. */
function routes(pending: () => AsyncIterable<{ data: Uint8Array[] }> = async function* () {}) {
  return (router: ConnectRouter) =>
    void router.service(SubmissionService, {
      submitBatch: ({ data }) => ({ refusals: data.map((each, index) => ({ index, reason: String(each.length) })) }),
      getSubmission({ hash }) {
        if (hash.length === 0) throw new Rejected('malformed', { field: 'hash' });
        if (hash.length === 1) throw new Rejected('limit-reached');
        if (hash.length === 2) throw new ConnectError('unknown hash', Code.NotFound);
        const error = new Error('password is 123');
        throw hash.length === 3 ? error : new Error('no block', { cause: Object.assign(error, { exitCode: 74 }) });
      },
      listPending: pending,
    });
}

async function serve(options: Partial<GrpcOptions> = {}) {
  const server = await serveGrpc({
    listen: { host: '127.0.0.1', port: 0 },
    name: 'X_GRPC_ADDR',
    services: [SubmissionService],
    routes: routes(),
    graceMs: 50,
    ...options,
  });
  closers.push(server.close);
  const transport = grpcTransport(server.url);
  closers.push(() => transport.close());
  return { ...server, transport, client: createClient(SubmissionService, transport) };
}

const code = (error: unknown) => ConnectError.from(error).code;
const batch = (...data: Uint8Array[]) => ({ data });

test('answers calls with many and with long messages', async () => {
  const { client } = await serve();
  const long = new Uint8Array(3 * 1_048_576);
  expect(await client.submitBatch(batch(new Uint8Array(5), long))).toMatchObject({
    refusals: [
      { index: 0, reason: '5' },
      { index: 1, reason: '3145728' },
    ],
  });
});

const ELSE: readonly (readonly [string, string])[] = [
  ['JSON of Connect', 'application/json'],
  ['binary Connect', 'application/proto'],
  ['a stream of Connect', 'application/connect+json'],
  ['gRPC-web', 'application/grpc-web+proto'],
  ['JSON of gRPC', 'application/grpc+json'],
];

// Defect: 20 kB of requests for blocks stopped every part for 24 s, and kept the process at work for 19 s after their
// sender had gone
test.each(ELSE)('%s is refused over HTTP/1.1 and HTTP/2, and calls nothing', async (_, type) => {
  let calls = 0;
  const { url } = await serve({
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch() {
          calls += 1;
          return {};
        },
      }),
  });
  const path = '/switchyard.composer.v1.SubmissionService/SubmitBatch';
  const headers = { 'content-type': type };
  expect((await fetch(url + path, { method: 'POST', headers, body: '{}' })).status).toBe(415);
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
  stream.on('error', () => undefined);
  stream.end('{}');
  expect(await new Promise((resolve) => stream.once('response', (head) => resolve(head[':status'])))).toBe(415);
  expect(calls).toBe(0);
});

test('GET /health over HTTP/1.1 reports whether the server serves', async () => {
  const { url, health } = await serve();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  health.set(false);
  expect((await fetch(`${url}/health`)).status).toBe(503);
});

// Defect: a conductor ended with an internal error if its rollup could not write
test.each([
  [0, Code.InvalidArgument, 'malformed', /hash/],
  [1, Code.ResourceExhausted, 'limit-reached', /limit/],
  [2, Code.NotFound, undefined, /unknown hash/],
  [3, Code.Internal, undefined, /^internal error$/],
  [4, Code.Unavailable, undefined, /^the process ends, since its data cannot be read or written; try again later$/],
])('translates what a service throws (%i)', async (length, status, reason, message) => {
  const { log } = memoryLogger();
  const { client } = await serve({ log });
  const error = await client.getSubmission({ hash: new Uint8Array(length) }).catch((caught: unknown) => caught);
  expect([code(error), refusalReason(error)]).toEqual([status, reason]);
  expect(ConnectError.from(error).rawMessage).toMatch(message);
});

test('logs unexpected errors', async () => {
  const { log, lines } = memoryLogger();
  const { client } = await serve({ log });
  await client.getSubmission({ hash: new Uint8Array(3) }).catch(() => undefined);
  expect(lines).toMatchObject([
    { level: 'error', err: 'password is 123', method: '/switchyard.composer.v1.SubmissionService/GetSubmission' },
  ]);
});

test('translates a refusal in the middle of a stream', async () => {
  const { client } = await serve({
    routes: routes(async function* () {
      yield batch(new Uint8Array(1));
      throw new Rejected('expired');
    }),
  });
  const seen: number[] = [];
  const read = async () => {
    for await (const { data } of client.listPending({})) seen.push(data.length);
  };
  const error = await read().catch((caught: unknown) => caught);
  expect([seen, refusalReason(error)]).toEqual([[1], 'expired']);
});

test('refuses messages that are too long, both ways', async () => {
  const { client, url } = await serve({ maxMessageBytes: 1_000 });
  await expect(client.submitBatch(batch(new Uint8Array(1_001)))).rejects.toSatisfy(
    (error) => code(error) === Code.ResourceExhausted,
  );
  const small = grpcTransport(url, { maxMessageBytes: 20 });
  closers.push(() => small.close());
  const answer = createClient(SubmissionService, small).submitBatch(batch(...new Array(8).fill(new Uint8Array(0))));
  await expect(answer).rejects.toSatisfy((error) => code(error) === Code.ResourceExhausted);
});

test('a call has a deadline though its caller names none', async () => {
  const { url } = await serve({
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => new Promise(() => undefined),
        getSubmission: () => ({}),
        listPending: routes() as never,
      }),
  });
  const transport = grpcTransport(url, { timeoutMs: 20 });
  closers.push(() => transport.close());
  const hanging = createClient(SubmissionService, transport).submitBatch({});
  await expect(hanging).rejects.toSatisfy((error) => code(error) === Code.DeadlineExceeded);
});

test.each([
  ['application/grpc', 'grpc-timeout', '99999999H'],
  ['application/grpc', 'grpc-timeout', '99999999S'],
])('a call of %s with %s %s has time', async (type, header, limit) => {
  const { url } = await serve({
    routes: (router) =>
      void router.service(SubmissionService, {
        async *listPending(_, { signal }) {
          await sleep(50, undefined, { signal });
          yield { data: [] };
        },
      }),
  });
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const path = '/switchyard.composer.v1.SubmissionService/ListPending';
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, [header]: limit });
  stream.end(Buffer.from([0, 0, 0, 0, 0]));
  let trailer: unknown;
  stream.on('trailers', (each) => {
    trailer = each['grpc-status'];
  });
  for await (const _ of stream);
  expect(trailer).toBe('0');
});

test('a client finds its server again', async () => {
  const first = await serve();
  await first.client.submitBatch({});
  await first.close();
  await expect(first.client.submitBatch({})).rejects.toSatisfy((error) => code(error) === Code.Unavailable);
  const second = await serve({ listen: { host: '127.0.0.1', port: first.port } });
  expect(second.port).toBe(first.port);
  expect(await first.client.submitBatch({})).toMatchObject({ refusals: [] });
});

test('closing ends streams, and cuts those that do not listen', async () => {
  let stopped = false;
  const { client, close } = await serve({
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => new Promise(() => undefined),
        getSubmission: () => ({}),
        async *listPending(_, { signal }) {
          yield batch();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          stopped = true;
        },
      }),
  });
  const hanging = client.submitBatch({}).catch(() => 'cut');
  const stream = client.listPending({})[Symbol.asyncIterator]();
  await stream.next();
  await close();
  await stream.next().catch(() => undefined);
  expect([await hanging, stopped]).toEqual(['cut', true]);
});

test('a connection that sends nothing, too little or nonsense does not stop the others', async () => {
  const { port, client } = await serve();
  const answers = [
    '',
    'P',
    'GET',
    'PRI * nonsense',
    'GET / HTTP/1.0\r\n\r\n',
    'POST /grpc.health.v1.Health/Check HTTP/1.0\r\n\r\n',
  ].map((text) => {
    const socket = connectTcp(port, '127.0.0.1');
    closers.push(() => void socket.destroy());
    socket.write(text);
    return socket;
  });
  await Promise.all(answers.slice(3).map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))));
  expect(await client.submitBatch({})).toMatchObject({ refusals: [] });
});

test('a first byte that comes alone is still understood', async () => {
  const { port } = await serve();
  const socket = connectTcp(port, '127.0.0.1');
  socket.setNoDelay(true);
  const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
  for (const part of ['P', 'O', 'ST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n']) {
    await new Promise<void>((resolve) => socket.write(part, () => setImmediate(resolve)));
  }
  expect(await answered).toMatch(/^HTTP\/1.1 415/);
  socket.destroy();
});

test('a request without a readable host is answered, not fatal', async () => {
  const { url } = await serve();
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': '/switchyard.composer.v1.SubmissionService/SubmitBatch',
    ':authority': '127.0.0.1:99999',
  });
  const status = await new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])));
  expect(status).toBe(415);
});

test('drops a request that stays incomplete, and then the connection', async () => {
  const { url } = await serve({ idleMs: 50 });
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const stream = session.request(
    { ':method': 'POST', ':path': '/switchyard.composer.v1.SubmissionService/SubmitBatch' },
    { endStream: false },
  );
  stream.on('error', () => undefined);
  await new Promise((resolve) => session.once('close', resolve));
  expect(stream.destroyed).toBe(true);
});

test('tells the health of the server and its services', async () => {
  const { transport, health } = await serve();
  const client = createClient(Health, transport);
  const name = SubmissionService.typeName;
  expect(await client.check({})).toMatchObject({ status: Status.SERVING });
  health.set(false, name);
  expect(await client.check({ service: name })).toMatchObject({ status: Status.NOT_SERVING });
  expect(await client.check({})).toMatchObject({ status: Status.SERVING });
  await expect(client.check({ service: 'no.Such' })).rejects.toSatisfy((error) => code(error) === Code.NotFound);
});

test('tells changes of health to whoever watches', async () => {
  const { transport, health } = await serve();
  const changes = createClient(Health, transport).watch({})[Symbol.asyncIterator]();
  const next = async () => (await changes.next()).value?.status;
  expect(await next()).toBe(Status.SERVING);
  health.set(false);
  expect(await next()).toBe(Status.NOT_SERVING);
  health.set(true);
  expect(await next()).toBe(Status.SERVING);
  await changes.return?.();
});

test('keeps byte strings as plain Uint8Arrays', async () => {
  let seen: unknown;
  const { client } = await serve({
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch(request) {
          seen = request.rollupId?.inner;
          return {};
        },
        getSubmission: () => ({}),
        async *listPending() {},
      }),
  });
  await client.submitBatch({ rollupId: { $typeName: primitive.RollupIdSchema.typeName, inner: Uint8Array.of(1, 2) } });
  expect(seen).toEqual(Uint8Array.of(1, 2));
});
