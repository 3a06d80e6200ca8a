import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { httpApp, serveHttp } from '../http/http.ts';
import { eventually, memoryLogger } from '../testing.ts';
import { MAX_PIPELINED } from './pipeline.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function server() {
  const app = httpApp();
  let wanted = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let gone = false;
  app.get('/', async (c) => {
    wanted += 1;
    c.req.raw.signal.addEventListener('abort', () => {
      gone = true;
    });
    await opened;
    return c.text('here');
  });
  const { log } = memoryLogger();
  const { port, close } = await serveHttp({ listen: { host: '127.0.0.1', port: 0 }, log, name: 'X_ADDR', app });
  closers.push(() => close(), open);
  return { port, open, asked: () => wanted, gone: () => gone };
}

function pipelined(port: number, requests: number) {
  const socket = connect(port, '127.0.0.1');
  closers.push(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Uint8Array) => (text += String(chunk)));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  const last = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n';
  socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(requests - 1) + last);
  return { socket, closed };
}

// Defect: Messenger answered nothing for 40 s after four connections with requests sent ahead
test('a connection that sends thousands of requests ahead is ended, and one of them is worked on', async () => {
  const { port, asked: wanted } = await server();
  expect(await pipelined(port, 20_000).closed).toBe('');
  expect(wanted()).toBe(1);
});

test('one that sends some ahead has an answer to each', async () => {
  const { port, open, asked: wanted } = await server();
  const { closed } = pipelined(port, MAX_PIPELINED);
  open();
  expect((await closed).match(/here/g)).toHaveLength(MAX_PIPELINED);
  expect(wanted()).toBe(MAX_PIPELINED);
});

// Defect: Messenger aborted with a full heap: requests sent ahead were kept after their connections ended
test('requests behind the one that is answered are forgotten when their connection ends', async () => {
  const { port, open, asked: wanted, gone } = await server();
  const { socket } = pipelined(port, MAX_PIPELINED);
  await eventually(() => wanted() === 1);
  socket.destroy();
  await eventually(gone);
  open();
  // Answered after all that could have been begun before it.
  await pipelined(port, 1).closed;
  expect(wanted()).toBe(2);
});
