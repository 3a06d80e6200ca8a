import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Rejections } from '../rejections.ts';
import { eventually, memoryLogger } from '../testing.ts';
import { beginInTurn, MAX_UNBEGUN } from './accepting.ts';
import { LoopShares } from './loop-shares.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server whose shares are on a clock that only the test moves on. */
async function accepting() {
  const clock = { now: 0 };
  const shares = new LoopShares({ now: () => clock.now, cpu: () => clock.now });
  const made: string[] = [];
  const begun: string[] = [];
  const { log, lines } = memoryLogger();
  const server = createServer();
  server.on('connection', (socket) => {
    closers.push(() => socket.destroy());
    made.push(socket.remoteAddress ?? '');
  });
  beginInTurn(server, {
    shares,
    rejections: new Rejections(log),
    begin(socket) {
      begun.push(socket.remoteAddress ?? '');
      if (socket.remoteAddress === '127.0.0.2') clock.now += 100;
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { port: number };
  return { clock, made, begun, lines, port };
}

function client(port: number, localAddress: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  closers.push(() => socket.destroy());
  return socket;
}

const count = (list: readonly string[], address: string) => list.filter((each) => each === address).length;

// Loopback is a whole network on Linux only.
test.runIf(process.platform === 'linux')(
  'of an address that waits for its share, nothing is made of connections beyond those that may wait',
  async () => {
    const { clock, made, begun, lines, port } = await accepting();
    client(port, '127.0.0.1');
    await eventually(() => count(begun, '127.0.0.1') === 1);
    client(port, '127.0.0.2');
    await eventually(() => count(begun, '127.0.0.2') === 1);
    const flood = Array.from({ length: 3 * MAX_UNBEGUN }, () => client(port, '127.0.0.2'));
    await eventually(() => flood.filter(({ destroyed }) => destroyed).length === 2 * MAX_UNBEGUN);
    expect(count(made, '127.0.0.2')).toBe(1 + MAX_UNBEGUN);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ reason: 'connections-waiting', peer: '127.0.0.2' });
    client(port, '127.0.0.1');
    await eventually(() => count(begun, '127.0.0.1') === 2);
    expect(count(begun, '127.0.0.2')).toBe(1);
    // The share comes, and those that wait are begun; there is room for others then.
    clock.now += 10_000;
    await eventually(() => count(begun, '127.0.0.2') > 1);
    client(port, '127.0.0.2');
    await eventually(() => count(made, '127.0.0.2') === 2 + MAX_UNBEGUN);
  },
);

test.runIf(process.platform === 'linux')('accepting a connection counts for the share of its address', async () => {
  const clock = { now: 0 };
  const shares = new LoopShares({ now: () => clock.now, cpu: () => clock.now });
  const server = createServer();
  beginInTurn(server, { shares, rejections: new Rejections(memoryLogger().log), begin: () => undefined });
  let accepted = 0;
  server.prependListener('connection', (socket: Socket) => {
    closers.push(() => socket.destroy());
    accepted += 1;
    // What is done before the connection is begun.
    if (socket.remoteAddress === '127.0.0.2') clock.now += 100;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as { port: number };
  for (const [index, address] of ['127.0.0.1', '127.0.0.2'].entries()) {
    client(port, address);
    await eventually(() => accepted === index + 1);
  }
  expect([shares.isFree('127.0.0.1'), shares.isFree('127.0.0.2')]).toEqual([true, false]);
});
