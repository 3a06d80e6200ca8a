import { connect as connectHttp2 } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '../testing.ts';
import { encodeFrame } from './frame.ts';
import { serveGrpc } from './server.ts';

const { SubmissionService, SubmitBatchRequestSchema } = ownComposer;
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const MB = 1_048_576;

/** A server for messages of up to 1 MiB, whose calls end when the test ends them. */
async function serve() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const server = await serveGrpc({
    listen: { host: '127.0.0.1', port: 0 },
    name: 'X_GRPC_ADDR',
    services: [SubmissionService],
    routes: (router: ConnectRouter) =>
      void router.service(SubmissionService, {
        async submitBatch({ data }) {
          begun.push(data.reduce((sum, each) => sum + each.length, 0));
          await new Promise<void>((resolve) => ends.push(resolve));
          return { refusals: [] };
        },
      }),
    maxMessageBytes: MB,
    graceMs: 50,
  });
  closers.push(server.close);
  const call = (body: Uint8Array) => {
    const session = connectHttp2(server.url);
    session.on('error', () => undefined);
    closers.push(() => session.destroy());
    const path = '/switchyard.composer.v1.SubmissionService/SubmitBatch';
    const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    stream.on('error', () => undefined);
    const answered = new Promise<unknown>((resolve) => {
      stream.once('response', (headers) => resolve(headers['grpc-status'] ?? headers[':status']));
    });
    stream.end(body);
    stream.resume();
    return answered;
  };
  return { begun, ends, call };
}

const message = (bytes: number): Uint8Array =>
  toBinary(SubmitBatchRequestSchema, create(SubmitBatchRequestSchema, { data: [new Uint8Array(bytes)] }));

test('long messages are read when there is memory for them, and short ones at once', async () => {
  const { begun, ends, call } = await serve();
  const encode = (bytes: Uint8Array) => encodeFrame(bytes, MB);
  const long = encode(message(MB - 100));
  const calls = Array.from({ length: 5 }, () => call(long));
  await eventually(() => begun.length === 2);
  calls.push(call(encode(message(10))));
  await eventually(() => begun.length === 3);
  expect(begun).toEqual([MB - 100, MB - 100, 10]);
  await eventually(() => {
    for (const end of ends.splice(0)) end();
    return begun.length === 6;
  });
  await eventually(() => {
    for (const end of ends.splice(0)) end();
    return ends.length === 0;
  });
  expect((await Promise.all(calls)).length).toBe(6);
});

test('a message that is too long is refused by its stated length', async () => {
  const { call, begun } = await serve();
  const prefix = Buffer.from([0, 0, 0, 0, 0, 1]);
  prefix.writeUInt32BE(MB + 1, 1);
  expect(await call(prefix)).toBe('8');
  expect(begun).toEqual([]);
});
