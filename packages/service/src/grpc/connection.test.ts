import { expect, onTestFinished, test } from 'vitest';
import { blackHole } from '../testing/black-hole.ts';
import { isTransportFailure } from '../transport-failure.ts';
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
