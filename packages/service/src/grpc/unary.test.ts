import { once } from 'node:events';
import { connect, createServer, type Http2Server } from 'node:http2';
import { Code, ConnectError, type ConnectRouter, createClient, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter, createGrpcTransport } from '@connectrpc/connect-node';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { bind } from '../http/listening.ts';
import { eventually } from '../testing.ts';
import { serveGrpc } from './server.ts';
import { grpcTransport } from './transport.ts';

/* Both ends of a unary call are our own; each is held here against the other side of Connect, and the two to each other. */

const { SubmissionService } = ownComposer;
const PATH = '/switchyard.composer.v1.SubmissionService/GetSubmission';
const anywhere = { host: '127.0.0.1', port: 0 };
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Handler = (hash: Uint8Array, context: HandlerContext) => Promise<{ reason: string }> | { reason: string };

function routes(handler: Handler) {
  return (router: ConnectRouter) =>
    void router.service(SubmissionService, {
      submitBatch: () => ({}),
      async getSubmission({ hash }, context) {
        return { state: { case: 'refused', value: await handler(hash, context) } };
      },
      async *listPending() {},
    });
}

async function ourServer(handler: Handler): Promise<string> {
  const server = await serveGrpc({
    listen: anywhere,
    name: 'X',
    services: [SubmissionService],
    routes: routes(handler),
    graceMs: 50,
    maxMessageBytes: 1_000,
  });
  closers.push(server.close);
  return server.url;
}

// Defect: Unread answers to gRPC calls unbounded
test('calls whose answers are not read are reset when these are too much', async () => {
  const reason = 'x'.repeat(900_000);
  const server = await serveGrpc({
    ...{ listen: anywhere, name: 'X', services: [SubmissionService], routes: routes(() => ({ reason })), graceMs: 50 },
    maxUnreadBytes: 4_000_000,
  });
  closers.push(server.close);
  // No window for answers: none of them can leave.
  const session = connect(server.url, { settings: { initialWindowSize: 0 } });
  closers.push(() => session.destroy());
  await once(session, 'remoteSettings');
  const message = Buffer.from([0, 0, 0, 0, 0]);
  const headers = { ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc', te: 'trailers' };
  const ends = Array.from({ length: 10 }, () => {
    const stream = session.request(headers);
    stream.on('error', () => undefined);
    stream.end(message);
    return new Promise<void>((resolve) => stream.once('close', () => resolve()));
  });
  // One address may leave a quarter of that unread.
  let ended = 0;
  for (const end of ends)
    void end.then(() => {
      ended += 1;
    });
  await eventually(() => ended >= 5);
  expect(await toError(ourClient(server.url).getSubmission({ hash: new Uint8Array() }))).toBeUndefined();
});

async function connectServer(handler: Handler): Promise<string> {
  const server: Http2Server = createServer({}, connectNodeAdapter({ routes: routes(handler) }));
  const sessions = new Set<{ destroy(): void }>();
  server.on('session', (session) => sessions.add(session));
  const { url } = await bind(server, anywhere, 'X');
  closers.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return url;
}

function ourClient(url: string, timeoutMs = 5_000) {
  const transport = grpcTransport(url, { timeoutMs });
  closers.push(transport.close);
  return createClient(SubmissionService, transport);
}

const connectClient = (url: string) => createClient(SubmissionService, createGrpcTransport({ baseUrl: url }));

const PAIRS = [
  ['our client with our server', ourServer, ourClient],
  ['our client with the server of Connect', connectServer, ourClient],
  ['the client of Connect with our server', ourServer, connectClient],
] as const;

const toError = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => ConnectError.from(error),
  );

test.each(PAIRS)('%s: messages, headers and trailers', async (_, serve, client) => {
  const url = await serve((hash, { requestHeader, responseHeader, responseTrailer }) => {
    responseHeader.set('x-head', 'h');
    responseTrailer.set('x-trail', 't');
    return { reason: `${hash.length} ${requestHeader.get('x-ask')}` };
  });
  const seen: (string | null)[] = [];
  const answer = await client(url).getSubmission(
    { hash: new Uint8Array(3) },
    {
      headers: { 'x-ask': 'a' },
      onHeader: (headers) => void seen.push(headers.get('x-head')),
      onTrailer: (trailers) => void seen.push(trailers.get('x-trail')),
    },
  );
  expect(answer.state.value).toMatchObject({ reason: '3 a' });
  expect(seen).toEqual(['h', 't']);
});

test.each(PAIRS)('%s: an empty message', async (_, serve, client) => {
  const url = await serve(() => ({ reason: '' }));
  expect((await client(url).getSubmission({})).state.case).toBe('refused');
});

test.each(PAIRS)('%s: an error with its code, message and metadata', async (_, serve, client) => {
  const url = await serve(() => {
    throw new ConnectError('größer\nas 100 %', Code.OutOfRange, { 'x-why': 'because' });
  });
  const error = await toError(client(url).getSubmission({}));
  expect([error?.code, error?.rawMessage, error?.metadata.get('x-why')]).toEqual([
    Code.OutOfRange,
    'größer\nas 100 %',
    'because',
  ]);
});

test.each(PAIRS)('%s: a deadline aborts the signal of the handler', async (_, serve, client) => {
  let left: number | undefined;
  let stopped: (() => void) | undefined;
  const handlerStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const url = await serve((__, { signal, timeoutMs }) => {
    left = timeoutMs();
    signal.addEventListener('abort', () => stopped?.());
    return new Promise(() => undefined);
  });
  const error = await toError(client(url).getSubmission({}, { timeoutMs: 300 }));
  expect(error?.code).toBe(Code.DeadlineExceeded);
  expect(left).toBeLessThanOrEqual(300);
  await handlerStopped;
});

test.each(PAIRS)('%s: a caller who leaves aborts the signal of the handler', async (_, serve, client) => {
  const stop = new AbortController();
  let stopped: (() => void) | undefined;
  const handlerStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  const url = await serve((__, { signal }) => {
    signal.addEventListener('abort', () => stopped?.());
    stop.abort();
    return new Promise(() => undefined);
  });
  expect((await toError(client(url).getSubmission({}, { signal: stop.signal })))?.code).toBe(Code.Canceled);
  await handlerStopped;
});

test('keeps why it was canceled', async () => {
  const url = await ourServer(() => ({ reason: '' }));
  const reason = new Error('enough');
  const error = await toError(ourClient(url).getSubmission({}, { signal: AbortSignal.abort(reason) }));
  expect([error?.code, error?.cause]).toEqual([Code.Canceled, reason]);
});

test('a server that closes tells its handlers, and lets them answer', async () => {
  let close: (() => Promise<void>) | undefined;
  const server = await serveGrpc({
    listen: anywhere,
    name: 'X',
    services: [SubmissionService],
    graceMs: 60_000,
    routes: routes((_, { signal }) => {
      const stopped = new Promise<{ reason: string }>((resolve) => {
        signal.addEventListener('abort', () => resolve({ reason: 'stopped' }));
      });
      void close?.();
      return stopped;
    }),
  });
  close = server.close;
  expect((await ourClient(server.url).getSubmission({})).state.value).toMatchObject({ reason: 'stopped' });
  await close();
});

test('a server that goes away in the middle of a call is unavailable', async () => {
  let close: (() => Promise<void>) | undefined;
  const server = await serveGrpc({
    listen: anywhere,
    name: 'X',
    services: [SubmissionService],
    graceMs: 0,
    routes: routes(() => {
      void close?.();
      return new Promise(() => undefined);
    }),
  });
  close = server.close;
  expect((await toError(ourClient(server.url).getSubmission({})))?.code).toBe(Code.Unavailable);
});

test('a deadline covers a server that never answers the connection', async () => {
  const silent = createServer();
  silent.on('stream', (stream) => stream.on('error', () => undefined));
  const { url } = await bind(silent, anywhere, 'X');
  closers.push(() => void silent.close());
  expect((await toError(ourClient(url, 20).getSubmission({})))?.code).toBe(Code.DeadlineExceeded);
});

test.each([
  ['no status', { ':status': 200, 'content-type': 'application/grpc' }, Code.Unavailable],
  ['an HTTP error', { ':status': 503 }, Code.Unavailable],
  ['a status that is none', { ':status': 200, 'grpc-status': 'x' }, Code.Internal],
  ['success without a message', { ':status': 200, 'grpc-status': '0' }, Code.Unimplemented],
])('the client refuses %s', async (_, headers, code) => {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond(headers);
    stream.end();
  });
  const { url } = await bind(server, anywhere, 'X');
  closers.push(() => void server.close());
  expect((await toError(ourClient(url).getSubmission({})))?.code).toBe(code);
});

/** Sends bytes unchanged and resolves with the status that comes back. */
async function raw(url: string, body: Uint8Array, { headers = {}, end = true } = {}) {
  const session = connect(url);
  closers.push(() => session.destroy());
  const stream = session.request({
    ':method': 'POST',
    ':path': PATH,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  stream.on('error', () => undefined);
  if (end) stream.end(body);
  else stream.write(body);
  return new Promise<string | undefined>((resolve) => {
    stream.on('response', (head) => {
      if (head['grpc-status'] !== undefined) resolve(String(head['grpc-status']));
    });
    stream.on('trailers', (trailers) => resolve(String(trailers['grpc-status'])));
    stream.resume();
  });
}

test.each([
  ['nothing', [], Code.Unimplemented],
  ['half a prefix', [0, 0], Code.InvalidArgument],
  ['another length', [0, 0, 0, 0, 9, 1], Code.InvalidArgument],
  ['no protobuf', [0, 0, 0, 0, 1, 255], Code.InvalidArgument],
])('the server refuses %s', async (_, bytes, code) => {
  const url = await ourServer(() => ({ reason: '' }));
  expect(await raw(url, Uint8Array.from(bytes))).toBe(String(code));
});

test('the server refuses what is too long without waiting for the rest of it', async () => {
  const url = await ourServer(() => ({ reason: '' }));
  expect(await raw(url, new Uint8Array(2_000), { end: false })).toBe(String(Code.ResourceExhausted));
});

test('the server refuses an unreadable deadline', async () => {
  const url = await ourServer(() => ({ reason: '' }));
  const status = await raw(url, Uint8Array.of(0, 0, 0, 0, 0), { headers: { 'grpc-timeout': 'soon' } });
  expect(status).not.toBe('0');
});

test('the deadline aborts the signal of a handler even where its caller does not leave', async () => {
  const url = await ourServer(
    (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ reason: 'late' }))),
  );
  expect(await raw(url, Uint8Array.of(0, 0, 0, 0, 0), { headers: { 'grpc-timeout': '5m' } })).toBe('0');
});

test('a handler may answer after its caller has gone', async () => {
  let finish: (() => void) | undefined;
  const url = await ourServer(
    () =>
      new Promise((resolve) => {
        finish = () => resolve({ reason: 'late' });
      }),
  );
  await toError(ourClient(url, 20).getSubmission({}));
  finish?.();
  expect(await ourClient(url).submitBatch({})).toMatchObject({ refusals: [] });
});
