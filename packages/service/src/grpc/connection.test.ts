import { constants, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isTransportFailure } from '../http/transport-failure.ts';
import { blackHole } from '../testing/black-hole.ts';
import { Connection } from './connection.ts';

async function toBlackHole(connectTimeoutMs: number): Promise<{ url: string; connection: Connection }> {
  const { url, close } = await blackHole();
  const options = { session: {}, pingIntervalMs: 10_000, pingTimeoutMs: 5_000, idleMs: 600_000 };
  const connection = new Connection(url, { ...options, connectTimeoutMs });
  onTestFinished(() => {
    connection.abort();
    close();
  });
  return { url, connection };
}

test('where nothing answers, a call fails in time, and so does the next', async () => {
  const { url, connection } = await toBlackHole(50);
  for (let call = 0; call < 2; call += 1) {
    const error = await connection.request('POST', '/', {}, {}).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining(`no connection to ${url} within 50 ms`) });
    expect(isTransportFailure(error)).toBe(true);
  }
});

test('a call that waits for its connection ends when that is given up', async () => {
  const { connection } = await toBlackHole(3_600_000);
  const call = connection.request('POST', '/', {}, {});
  const outcome = expect(call).rejects.toThrow('the connection was lost');
  connection.abort();
  await outcome;
});

// Defect: A gRPC stream that its peer reset while its reader did not listen for errors ended the process
test('a stream that its peer resets ends nothing, whoever listens to it', async () => {
  const server = createServer();
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { session: {}, pingIntervalMs: 10_000, pingTimeoutMs: 5_000, idleMs: 600_000 };
  const connection = new Connection(url, { ...options, connectTimeoutMs: 10_000 });
  onTestFinished(() => {
    connection.abort();
    server.close();
  });
  const stream = await connection.request('POST', '/', {}, {});
  await new Promise((resolve) => stream.once('close', resolve));
  expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
});
