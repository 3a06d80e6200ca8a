import { connect as connectHttp2 } from 'node:http2';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { memoryLogger } from '../testing.ts';
import { serveGrpc } from './server.ts';

const { SubmissionService } = ownComposer;
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve() {
  const { log, lines } = memoryLogger();
  const server = await serveGrpc({
    listen: { host: '127.0.0.1', port: 0 },
    name: 'X_GRPC_ADDR',
    log,
    services: [SubmissionService],
    routes: (router: ConnectRouter) =>
      void router.service(SubmissionService, {
        submitBatch: () => ({ refusals: [] }),
        async *listPending() {},
      }),
    graceMs: 50,
  });
  closers.push(server.close);
  return { url: server.url, lines };
}

const UNARY = '/switchyard.composer.v1.SubmissionService/SubmitBatch';
const STREAM = '/switchyard.composer.v1.SubmissionService/ListPending';
/** A field of a length that does not come. */
const GARBAGE = [0x12, 0xff, 0xff];
const envelope = (flags: number, bytes: readonly number[]) => [flags, 0, 0, 0, bytes.length, ...bytes];
const text = (json: string) => [...Buffer.from(json)];

interface Malformed {
  readonly path?: string;
  readonly type: string;
  readonly body: readonly number[];
  readonly headers?: Record<string, string>;
}

const MALFORMED: readonly (readonly [string, Malformed])[] = [
  ['binary Connect', { type: 'application/proto', body: GARBAGE }],
  ['JSON of Connect that is none', { type: 'application/json', body: text('{"data":') }],
  ['JSON of Connect of another type', { type: 'application/json', body: text('{"rollupId":7}') }],
  ['JSON of Connect that is no UTF-8', { type: 'application/json', body: [0x22, 0xff, 0xfe, 0x22] }],
  [
    'JSON of Connect that is deep',
    { type: 'application/json', body: text(`${'['.repeat(9_000)}${']'.repeat(9_000)}`) },
  ],
  ['compressed Connect', { type: 'application/proto', body: GARBAGE, headers: { 'content-encoding': 'gzip' } }],
  ['Connect of an unknown compression', { type: 'application/proto', body: [], headers: { 'content-encoding': 'x' } }],
  ['a stream of Connect', { path: STREAM, type: 'application/connect+proto', body: envelope(0, GARBAGE) }],
  ['a stream of Connect that is cut', { path: STREAM, type: 'application/connect+proto', body: [0, 0, 0, 0, 9, 1] }],
  ['a stream of Connect without a message', { path: STREAM, type: 'application/connect+proto', body: [] }],
  ['gRPC-web', { type: 'application/grpc-web+proto', body: envelope(0, GARBAGE) }],
  ['gRPC-web that is cut', { type: 'application/grpc-web+proto', body: [0, 0, 0, 0, 9, 1] }],
  ['gRPC-web without a message', { type: 'application/grpc-web+proto', body: [] }],
  ['gRPC-web with the flag for compression', { type: 'application/grpc-web+proto', body: envelope(1, GARBAGE) }],
  ['gRPC', { type: 'application/grpc', body: envelope(0, GARBAGE) }],
  ['gRPC that is cut', { type: 'application/grpc', body: [0, 0, 0, 0, 9, 1] }],
  ['JSON of gRPC', { type: 'application/grpc+json', body: envelope(0, text('{"data":')) }],
  ['a stream of gRPC', { path: STREAM, type: 'application/grpc', body: envelope(0, GARBAGE) }],
  ['compressed gRPC', { type: 'application/grpc', body: envelope(1, GARBAGE), headers: { 'grpc-encoding': 'gzip' } }],
];

/** The status that a client is given, whatever its protocol: an HTTP status of 400 or more, or a code of gRPC. */
async function ask(url: string, { path = UNARY, type, body, headers = {} }: Malformed): Promise<string> {
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, ...headers });
  stream.end(Buffer.from(body));
  let status: unknown;
  let code: unknown;
  stream.on('response', (each) => {
    status = each[':status'];
    code ??= each['grpc-status'];
  });
  stream.on('trailers', (each) => {
    code ??= each['grpc-status'];
  });
  let answer = '';
  for await (const part of stream) answer += String(part);
  code ??= /grpc-status: ?(\d+)/.exec(answer)?.[1] ?? /"code":"(\w+)"/.exec(answer)?.[1];
  return `${String(status)} ${String(code)}`;
}

const CLIENT_ERRORS: readonly string[] = [
  `200 ${Code.InvalidArgument}`,
  `200 ${Code.Unimplemented}`,
  '200 invalid_argument',
  '200 unimplemented',
  '400 invalid_argument',
  '501 unimplemented',
];

test.each(MALFORMED)('%s that is malformed is the fault of the client', async (_, malformed) => {
  const { url, lines } = await serve();
  expect(CLIENT_ERRORS).toContain(await ask(url, malformed));
  expect(lines).toEqual([]);
});
