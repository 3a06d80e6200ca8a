import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { probe } from './probe.ts';

// Defect: `dev status` showed `ready` for a service that answered nothing
test('a service whose work is degraded is ready, with the reason', async () => {
  const body = JSON.stringify({ status: 'degraded', pid: process.pid, reason: 'block 5: bug: action sell' });
  const server = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on an address has one.
  const { port } = server.address() as AddressInfo;
  try {
    const ready = { kind: 'http', url: `http://127.0.0.1:${port}/readyz`, port } as const;
    expect(await probe(ready, process.pid)).toMatchObject({ ready: true, reason: 'block 5: bug: action sell' });
  } finally {
    server.close();
  }
});
