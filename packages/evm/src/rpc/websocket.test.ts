import { silentLogger, systemClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { serveRpc } from './serve.ts';

const CONNECTIONS = 4;
const REQUESTS = 500;
/** Of one connection that are worked on at a time. */
const MAX_AT_WORK = 64;

test('requests that arrive in one piece, on several connections, are begun over many rounds of the event loop', async () => {
  const begunIn = new Map<number, number>();
  let round = 0;
  let tick = setImmediate(function next() {
    round += 1;
    tick = setImmediate(next);
  });
  const rpc = await serveRpc({
    methods: { test_count: () => begunIn.set(round, (begunIn.get(round) ?? 0) + 1).size },
    http: { listen: { host: '127.0.0.1', port: 0 }, name: 'HTTP' },
    ...{ log: silentLogger, clock: systemClock },
  });
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => opened(rpc.http.url)));
  try {
    let answers = 0;
    for (const socket of sockets) {
      socket.on('message', () => {
        answers += 1;
      });
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_count' });
      for (let count = 0; count < REQUESTS; count += 1) socket.send(request);
    }
    await eventually(() => answers === CONNECTIONS * REQUESTS);
    // Two where a turn is before the count of one round and after that of the next.
    expect(Math.max(...begunIn.values())).toBeLessThanOrEqual(2 * MAX_AT_WORK);
  } finally {
    clearImmediate(tick);
    for (const socket of sockets) socket.terminate();
    await rpc.close();
  }
});

function opened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}
