import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { withHealth } from './page-facts.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

test('one that reports a problem is unhealthy, with its reason; one that was not ready stays as it was', async () => {
  const reason = 'the composer is not reachable';
  const server = createServer((_, response) => {
    response.writeHead(503).end(JSON.stringify({ pid: process.pid, reason }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ready = { kind: 'http', url: `http://127.0.0.1:${port}/readyz`, port } as const;
  const service = (name: string, state: string) => ({ name, state, version: 'v1', pid: process.pid, listens: [] });
  const services = [service('asked', 'ready'), service('starting', 'starting'), service('silent', 'ready')];
  const planned = [
    { name: 'asked', ready },
    { name: 'starting', ready },
    { name: 'silent', ready: { kind: 'log', pattern: 'x' } as const },
  ];
  const shown = (await withHealth(services, planned)).map(({ name, state, ...more }) => [name, state, more.reason]);
  expect(shown).toEqual([
    ['asked', 'unhealthy', reason],
    ['starting', 'starting', undefined],
    ['silent', 'ready', undefined],
  ]);
});
