import { createServer as createHttp1 } from 'node:http';
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { connect as connectTcp, createServer as createTcp, type Socket } from 'node:net';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { bind } from '../http/listening.ts';
import { isTransportFailure } from '../http/transport-failure.ts';
import { serveGrpc } from './server.ts';
import { grpcTransport } from './transport.ts';

const { SubmissionService } = ownComposer;
const anywhere = { host: '127.0.0.1', port: 0 };
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function client(url: string, timeoutMs = 5_000) {
  const transport = grpcTransport(url, { timeoutMs });
  closers.push(transport.close);
  return createClient(SubmissionService, transport);
}

type Client = ReturnType<typeof client>;

const unary = async (to: Client) => void (await to.getSubmission({}));
const stream = async (to: Client) => {
  for await (const _ of to.listPending({}));
};
const KINDS = [
  ['a unary call', unary],
  ['a stream', stream],
] as const;

const getOutcome = (call: Promise<void>) =>
  call.then(
    () => 'ok' as const,
    (error: unknown) => ConnectError.from(error),
  );

async function realServer() {
  const server = await serveGrpc({
    listen: anywhere,
    name: 'X',
    services: [SubmissionService],
    graceMs: 20,
    routes: (router) =>
      void router.service(SubmissionService, {
        submitBatch: () => ({}),
        getSubmission: () => ({ state: { case: 'refused', value: { reason: 'full' } } }),
        async *listPending() {
          yield { data: [new Uint8Array(10)] };
        },
      }),
  });
  closers.push(server.close);
  return server;
}

type Cut = (socket: Socket) => void;
const CUTS: readonly (readonly [string, Cut])[] = [
  ['reset', (socket) => void socket.resetAndDestroy()],
  ['ended', (socket) => void socket.end()],
];

/** Passes bytes on, and cuts the connection to the client after this many in one direction. */
async function cutter(port: number, direction: 'up' | 'down', after: number, cut: Cut) {
  let passed = 0;
  const proxy = createTcp((near) => {
    const far = connectTcp(port, '127.0.0.1');
    let left = after;
    let isCut = false;
    const pass = (from: Socket, to: Socket, counts: boolean) => {
      from.on('data', (bytes) => {
        if (isCut) return;
        if (counts) passed += bytes.length;
        const part = counts ? bytes.subarray(0, left) : bytes;
        if (counts) left -= part.length;
        const isLast = counts && left === 0;
        if (part.length > 0) to.write(part);
        if (!isLast) return;
        isCut = true;
        far.destroy();
        // Bytes that were written before go out first.
        setImmediate(() => cut(near));
      });
      from.on('error', () => to.destroy());
      from.on('end', () => to.end());
    };
    pass(near, far, direction === 'up');
    pass(far, near, direction === 'down');
  });
  const bound = await bind(proxy, anywhere, 'X');
  closers.push(() => void proxy.close());
  return { url: bound.url, passed: () => passed };
}

test.each(
  KINDS.flatMap(([kind, call]) =>
    CUTS.flatMap(([how, cut]) => (['up', 'down'] as const).map((way) => ({ kind, call, how, cut, way }))),
  ),
)('$kind whose connection is $how after any number of bytes $way is lost in transport', async ({ call, cut, way }) => {
  const { port } = await realServer();
  const whole = await cutter(port, way, Number.POSITIVE_INFINITY, cut);
  expect(await getOutcome(call(client(whole.url)))).toBe('ok');
  const bytes = whole.passed();
  expect(bytes).toBeGreaterThan(40);
  for (let after = 1; after < bytes; after += 3) {
    const outcome = await getOutcome(call(client((await cutter(port, way, after, cut)).url)));
    // The end of it may be a mere acknowledgement.
    if (outcome === 'ok') expect(after).toBeGreaterThan(40);
    else expect([after, isTransportFailure(outcome), Code[outcome.code]]).toEqual([after, true, 'Unavailable']);
  }
});

test.each(KINDS)('%s to no server is lost in transport', async (_, call) => {
  const { url } = await realServer();
  for (const nowhere of ['http://127.0.0.1:1', 'http://no-such-host.invalid:1', url.replace('http:', 'https:')]) {
    const outcome = await getOutcome(call(client(nowhere)));
    expect([nowhere, isTransportFailure(outcome)]).toEqual([nowhere, true]);
  }
});

test.each(KINDS)('%s that a proxy answers in HTTP/1.1 is lost in transport', async (_, call) => {
  const proxy = createHttp1((_request, response) => response.writeHead(502).end('<html>bad gateway</html>'));
  const { url } = await bind(proxy, anywhere, 'X');
  closers.push(() => void proxy.close());
  const outcome = await getOutcome(call(client(url)));
  expect(isTransportFailure(outcome)).toBe(true);
});

/** Answers every call of HTTP/2 with `answer`. */
async function http2Server(answer: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  server.on('stream', (each) => {
    each.on('error', () => undefined);
    answer(each);
  });
  server.on('sessionError', () => undefined);
  const { url } = await bind(server, anywhere, 'X');
  closers.push(() => void server.close());
  return url;
}

/** All but NO_ERROR. */
const RESETS = Array.from({ length: 13 }, (_, index) => index + 1);

test.each(KINDS)('%s whose stream is reset, with whatever code, is lost in transport', async (_, call) => {
  for (const code of RESETS) {
    // Connect makes a limit of this one, as it does of a message that is too long for this side.
    if (code === constants.NGHTTP2_ENHANCE_YOUR_CALM && call === stream) continue;
    const outcome = await getOutcome(call(client(await http2Server((each) => each.close(code)))));
    expect([code, isTransportFailure(outcome)]).toEqual([code, true]);
  }
});

test.each(KINDS)('%s whose connection the server ends with GOAWAY is lost in transport', async (_, call) => {
  const url = await http2Server(({ session }) => {
    session?.goaway(constants.NGHTTP2_INTERNAL_ERROR);
    session?.destroy();
  });
  expect(isTransportFailure(await getOutcome(call(client(url))))).toBe(true);
});

test.each(
  KINDS.flatMap(([kind, call]) => [200, 400, 429, 500, 502, 503, 504].map((status) => ({ kind, call, status }))),
)('$kind that a proxy answers with a page of status $status is lost in transport', async ({ call, status }) => {
  const url = await http2Server((each) => {
    each.respond({ ':status': status, 'content-type': 'text/html' });
    each.end('<html>bad gateway</html>'.repeat(100));
  });
  expect(isTransportFailure(await getOutcome(call(client(url))))).toBe(true);
});

test('a call that takes too long is lost in transport, and late', async () => {
  const outcome = await getOutcome(unary(client(await http2Server(() => undefined), 20)));
  expect(outcome).toMatchObject({ code: Code.DeadlineExceeded });
  expect(isTransportFailure(outcome)).toBe(true);
});

test.each(
  KINDS.flatMap(([kind, call]) =>
    [Code.Unavailable, Code.Internal, Code.DeadlineExceeded, Code.Aborted].map((code) => ({ kind, call, code })),
  ),
)('$kind that the peer itself answers with status $code is no failure of the transport', async ({ call, code }) => {
  const headers = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(code) };
  const url = await http2Server((each) => each.respond(headers, { endStream: true }));
  const outcome = await getOutcome(call(client(url)));
  expect(outcome).toMatchObject({ code });
  expect(isTransportFailure(outcome)).toBe(false);
});

const GIVEN_UP = [
  ['a unary call', (to: Client, signal: AbortSignal) => to.getSubmission({}, { signal }).then(() => undefined)],
  [
    'a stream',
    async (to: Client, signal: AbortSignal) => {
      for await (const _ of to.listPending({}, { signal }));
    },
  ],
] as const;

// Defect: Call sent again over a connection that answered pings and no calls
test.each(GIVEN_UP)(
  'after %s that was given up without an answer, the next call has another connection',
  async (_, call) => {
    // The first connection answers pings and loses calls.
    const sessions = new Set<unknown>();
    const server = createServer();
    server.on('session', (session) => sessions.add(session));
    let given: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      given = resolve;
    });
    server.on('stream', (answered: ServerHttp2Stream) => {
      answered.on('error', () => undefined);
      if (sessions.size < 2) return void answered.on('close', given);
      answered.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' }, { endStream: true });
    });
    const { url } = await bind(server, anywhere, 'X');
    closers.push(() => void server.close());
    const to = client(url);
    expect(await getOutcome(call(to, AbortSignal.timeout(50)))).toMatchObject({ code: Code.Canceled });
    await closed;
    expect(await getOutcome(call(to, AbortSignal.timeout(5_000)))).toMatchObject({ code: Code.NotFound });
    expect(sessions.size).toBe(2);
  },
);
