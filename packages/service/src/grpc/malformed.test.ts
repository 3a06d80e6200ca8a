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
const DIALOGUE = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
/** A field of a length that does not come. */
const GARBAGE = [0x12, 0xff, 0xff];
const envelope = (flags: number, bytes: readonly number[]) => [flags, 0, 0, 0, bytes.length, ...bytes];

interface Malformed {
  readonly path?: string;
  readonly body: readonly number[];
  readonly headers?: Record<string, string>;
}

const MALFORMED: readonly (readonly [string, Malformed])[] = [
  ['a call', { body: envelope(0, GARBAGE) }],
  ['a call that is cut', { body: [0, 0, 0, 0, 9, 1] }],
  ['a call without a message', { body: [] }],
  ['a call with the flag for compression', { body: envelope(1, GARBAGE) }],
  ['a compressed call', { body: envelope(1, GARBAGE), headers: { 'grpc-encoding': 'gzip' } }],
  ['a call of no method', { path: '/no.Such/Method', body: envelope(0, []) }],
  ['a stream', { path: STREAM, body: envelope(0, GARBAGE) }],
  ['a stream that is cut', { path: STREAM, body: [0, 0, 0, 0, 9, 1] }],
  ['a dialogue', { path: DIALOGUE, body: envelope(0, GARBAGE) }],
  ['a dialogue that is cut', { path: DIALOGUE, body: [...envelope(0, []), 0, 0, 0, 0, 9, 1] }],
  ['a dialogue with a long question', { path: DIALOGUE, body: [0, 0, 0, 32, 0] }],
];

/** The code that a client is given. */
async function ask(url: string, { path = UNARY, body, headers = {} }: Malformed): Promise<number> {
  const session = connectHttp2(url);
  closers.push(() => session.destroy());
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', ...headers });
  stream.end(Buffer.from(body));
  let code: unknown;
  stream.on('response', (each) => {
    code ??= each['grpc-status'];
  });
  stream.on('trailers', (each) => {
    code ??= each['grpc-status'];
  });
  for await (const _ of stream);
  return Number(code);
}

test.each(MALFORMED)('%s that is malformed is the fault of the client', async (_, malformed) => {
  const { url, lines } = await serve();
  expect([Code.InvalidArgument, Code.Unimplemented, Code.ResourceExhausted]).toContain(await ask(url, malformed));
  expect(lines).toEqual([]);
});
