import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { ownComposer } from '@switchyard/protocol/gen';
import { afterEach, expect, test } from 'vitest';
import { LoopShares } from '../connections/loop-shares.ts';
import { encodeFrame } from './frame.ts';
import { serveGrpc } from './server.ts';

const { SubmissionService, GetSubmissionRequestSchema } = ownComposer;
const PATH = '/switchyard.composer.v1.SubmissionService/GetSubmission';
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Calls from an address of their own, with a byte as the hash that is asked for. */
function caller(port: number, localAddress: string) {
  const session = connect(`http://127.0.0.1:${port}`, {
    createConnection: () => connectTcp({ port, host: '127.0.0.1', localAddress }),
  });
  closers.push(() => session.destroy());
  return (what: number, contentType = 'application/grpc') =>
    new Promise<void>((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': PATH, 'content-type': contentType });
      stream.on('data', () => undefined);
      stream.on('end', resolve);
      stream.on('error', reject);
      const message = toBinary(
        GetSubmissionRequestSchema,
        create(GetSubmissionRequestSchema, { hash: Uint8Array.of(what) }),
      );
      stream.end(contentType === 'application/grpc' ? encodeFrame(message, 1_000) : message);
    });
}

// Loopback is a whole network on Linux only.
test.runIf(process.platform === 'linux').each(['application/grpc', 'application/proto'])(
  'while others are served, calls (%s) of an address that uses much of the time are not begun',
  async (contentType) => {
    let now = 0;
    let greedy = 0;
    const { port, close } = await serveGrpc({
      listen: { host: '127.0.0.1', port: 0 },
      name: 'X',
      services: [SubmissionService],
      shares: new LoopShares({ now: () => now, cpu: () => now }),
      graceMs: 50,
      routes: (router) =>
        void router.service(SubmissionService, {
          submitBatch: () => ({}),
          getSubmission({ hash }) {
            if (hash[0] === 1) {
              greedy += 1;
              now += 100;
            }
            return {};
          },
          async *listPending() {},
        }),
    });
    closers.push(close);
    const [honest, attack] = [caller(port, '127.0.0.1'), caller(port, '127.0.0.2')];
    await honest(0);
    await attack(1, contentType);
    const waiting = Array.from({ length: 10 }, () => attack(1, contentType));
    for (let count = 0; count < 20; count += 1) await honest(0);
    expect(greedy).toBe(1);
    now += 10_000;
    await Promise.all(waiting);
    expect(greedy).toBe(11);
  },
);
