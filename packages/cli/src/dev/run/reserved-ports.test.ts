import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { requireFreePorts } from './port-check.ts';
import { ReservedPorts } from './reserved-ports.ts';

const use = (port: number) => ({ service: 'rollup', setting: 'A', where: 'a', use: 'HTTP', host: '127.0.0.1', port });

async function listen(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

/** A port that the system chooses. */
async function anyPort(): Promise<number> {
  const server = await listen();
  const { port } = server.address() as { port: number }; // it listens on TCP
  await close(server);
  return port;
}

/** A port outside the ephemeral range: the system assigns it only to a process that binds it by number. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    try {
      await close(await listen(port));
      return port;
    } catch {
      // Taken: another one.
    }
  }
}

async function reserved(...ports: readonly number[]): Promise<ReservedPorts> {
  const made = new ReservedPorts();
  onTestFinished(() => made.release());
  await made.add(ports);
  return made;
}

test('who is meant to can listen on a reserved port, again and again', async () => {
  const port = await freePort();
  const ports = await reserved(port, 0, port);
  await ports.add([port]);
  for (let time = 0; time < 2; time += 1) {
    await requireFreePorts([use(port)]);
    await close(await listen(port));
  }
});

test.runIf(process.platform === 'linux')('no connection and no listener without a wish is given one', async () => {
  // Ports that the system has just given: it would give them again.
  const next = await Promise.all(Array.from({ length: 200 }, anyPort));
  const held = new Set(next);
  await reserved(...held);
  const server = await listen();
  const { port: to } = server.address() as { port: number }; // it listens on TCP
  const given = new Set<number>();
  for (let count = 0; count < 400; count += 1) {
    const socket = connect({ host: '127.0.0.1', port: to });
    await once(socket, 'connect');
    given.add(socket.localPort ?? 0);
    socket.resetAndDestroy();
    given.add(await anyPort());
  }
  await close(server);
  expect([...given].filter((port) => held.has(port))).toEqual([]);
});

test('a port in use is left alone, and reserved ones are released', async () => {
  const port = await freePort();
  const server = await listen(port);
  const free = await freePort();
  const ports = await reserved(port, free);
  await expect(requireFreePorts([use(port), use(free)])).rejects.toThrow(`port ${port} of rollup (HTTP): in use by`);
  await close(server);
  await ports.release();
  await requireFreePorts([use(port), use(free)]);
  await ports.add([port, free]);
  await requireFreePorts([use(port), use(free)]);
});
