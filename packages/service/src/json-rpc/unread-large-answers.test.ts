import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { createClient } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveGrpc } from '../grpc/server.ts';
import { grpcTransport } from '../grpc/transport.ts';
import { httpApp, serveHttp } from '../http/http.ts';
import { eventually } from '../testing.ts';
import { systemClock } from '../timing/clock.ts';
import { boundAnswers } from './bound-answers.ts';
import { serveJsonRpc } from './serve.ts';
import { jsonRpcServer } from './server.ts';

/* A client asks for 128 answers of megabytes over 16 connections, reads none of them, and goes away. */

const CONNECTIONS = 16;
const AHEAD = 8;
const BYTES = 10_000_000;
/** Seven fill the 64 MiB that may be unread, and each second without reading makes room for as many: far from all of them. */
const MOST_MADE = 40;

const listen = { host: '127.0.0.1', port: 0 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Way {
  /** Answers made so far. */
  made(): number;
  /** A connection with requests that have been sent, of which no answer is read. Resolves with the error that breaks it. */
  flood(): Promise<() => void>;
  /** Length of an answer that is read. */
  ask(): Promise<number>;
}

/** @param text The requests that a raw connection sends. */
async function rawFlood(port: number, text: string): Promise<() => void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await new Promise((resolve) => socket.write(text.repeat(AHEAD), resolve));
  return () => void socket.destroy();
}

async function overGrpc(): Promise<Way> {
  let count = 0;
  const { SubmissionService } = ownComposer;
  const server = await serveGrpc({
    ...{ listen, name: 'X', services: [SubmissionService], graceMs: 50, maxMessageBytes: 2 * BYTES },
    large: [SubmissionService.method.getSubmission],
    routes: (router) =>
      void router.service(SubmissionService, {
        getSubmission() {
          count += 1;
          return { state: { case: 'refused', value: { reason: 'x'.repeat(BYTES) } } };
        },
      }),
  });
  closers.push(server.close);
  const transport = grpcTransport(server.url, { timeoutMs: 60_000 });
  closers.push(transport.close);
  return {
    made: () => count,
    async flood() {
      const session = connectHttp2(server.url, { settings: { initialWindowSize: 0 } });
      session.on('error', () => undefined);
      const sent: Promise<unknown>[] = [];
      for (let ahead = 0; ahead < AHEAD; ahead += 1) {
        const path = `/${SubmissionService.typeName}/GetSubmission`;
        const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
        stream.on('error', () => undefined);
        sent.push(once(stream, 'finish'));
        stream.end(Buffer.alloc(5));
      }
      await Promise.all(sent);
      // Answered when the server has read everything sent before.
      await new Promise((resolve) => session.ping(resolve));
      return () => session.destroy();
    },
    async ask() {
      const { state } = await createClient(SubmissionService, transport).getSubmission({});
      return state.case === 'refused' ? state.value.reason.length : 0;
    },
  };
}

async function overHttp(): Promise<Way> {
  let count = 0;
  const app = httpApp();
  app.use('/long', boundAnswers(systemClock));
  app.get('/long', (c) => {
    count += 1;
    return c.text('x'.repeat(BYTES));
  });
  const server = await serveHttp({ listen, app, name: 'X', graceMs: 50 });
  closers.push(server.close);
  return {
    made: () => count,
    flood: () => rawFlood(server.port, 'GET /long HTTP/1.1\r\nhost: localhost\r\n\r\n'),
    ask: async () => (await (await fetch(`${server.url}/long`)).text()).length,
  };
}

async function jsonRpc() {
  let count = 0;
  const long = (): string => {
    count += 1;
    return 'x'.repeat(BYTES);
  };
  const server = jsonRpcServer({ methods: { long }, large: new Set(['long']) });
  const { port, url, close } = await serveJsonRpc({ server, listen, name: 'X', app: httpApp(), graceMs: 50 });
  closers.push(close);
  return { made: () => count, port, url };
}

const CALL = '{"jsonrpc":"2.0","id":1,"method":"long"}';

async function overJsonRpc(): Promise<Way> {
  const { made, port, url } = await jsonRpc();
  return {
    made,
    flood: () => rawFlood(port, `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${CALL.length}\r\n\r\n${CALL}`),
    async ask() {
      const answer = (await (await fetch(url, { method: 'POST', body: CALL })).json()) as { result: string };
      return answer.result.length;
    },
  };
}

async function overWebSocket(): Promise<Way> {
  const { made, url } = await jsonRpc();
  const open = async () => {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    socket.on('error', () => undefined);
    await once(socket, 'open');
    return socket;
  };
  return {
    made,
    async flood() {
      const socket = await open();
      socket.pause();
      for (let ahead = 0; ahead < AHEAD; ahead += 1) socket.send(CALL);
      return () => socket.terminate();
    },
    async ask() {
      const socket = await open();
      socket.send(CALL);
      const [message] = (await once(socket, 'message')) as [Buffer];
      socket.terminate();
      return (JSON.parse(message.toString()) as { result: string }).result.length;
    },
  };
}

// Defect: Large gRPC answers were made for clients that read none
test.each([
  ['gRPC', overGrpc],
  ['HTTP', overHttp],
  ['JSON-RPC', overJsonRpc],
  ['WebSocket', overWebSocket],
] as const)(
  'over %s, few large answers are made for a client that reads none, and none when it has gone',
  async (_, serve) => {
    const { made, flood, ask } = await serve();
    const floods = await Promise.all(Array.from({ length: CONNECTIONS }, flood));
    closers.push(() => floods.forEach((end) => void end()));
    await eventually(() => made() >= 4);
    for (const end of floods) end();
    expect(await ask()).toBe(BYTES);
    expect(made()).toBeLessThanOrEqual(MOST_MADE);
  },
);
