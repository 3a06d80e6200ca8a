import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { eventually, memoryLogger } from '../testing.ts';
import { httpApp, serveHttp } from './http.ts';
import type { DirectAnswer, DirectRoutes } from './http-direct.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const TYPE = { 'content-type': 'text/plain' };

/** A server on which POST to `/` is answered directly and all else by the application. */
async function serve(
  answer: (body: string) => Promise<DirectAnswer> = async (body) => ({ status: 200, headers: TYPE, body }),
) {
  const direct: DirectRoutes = {
    answer: ({ path, body }) => (path === '/' ? answer(body.toString()) : undefined),
  };
  const app = httpApp();
  app.post('*', async (c) => c.text(`the application read ${(await c.req.text()).length}`));
  const { log, lines } = memoryLogger();
  const options = { listen: { host: '127.0.0.1', port: 0 }, name: 'X_LISTEN_ADDR', graceMs: 50, maxBodyBytes: 1_000 };
  const server = await serveHttp({ ...options, app, log, direct });
  closers.push(server.close);
  return { url: server.url, lines };
}

test('a post of a stated length is answered directly', async () => {
  const { url } = await serve();
  for (const body of ['', 'é'.repeat(500)]) {
    const response = await fetch(url, { method: 'POST', body });
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe(body);
  }
});

test('an answer may be empty', async () => {
  const { url } = await serve(async () => ({ status: 204, headers: { 'x-what': 'nothing' }, body: undefined }));
  const response = await fetch(url, { method: 'POST', body: 'x' });
  expect([response.status, response.headers.get('x-what'), await response.text()]).toEqual([204, 'nothing', '']);
});

test('what is elsewhere is for the application, and a body without a length is answered directly too', async () => {
  const { url } = await serve();
  expect(await (await fetch(`${url}/other`, { method: 'POST', body: 'four' })).text()).toBe('the application read 4');
  const body = new Blob(['a body', ' in chunks']).stream();
  const chunked = { method: 'POST', body, duplex: 'half' } as RequestInit;
  expect(await (await fetch(url, chunked)).text()).toBe('a body in chunks');
});

test('a body above the limit is refused', async () => {
  const { url } = await serve();
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_001) })).status).toBe(413);
});

test('a failure is answered, and its cause stays in the log', async () => {
  const { url, lines } = await serve(async () => {
    throw new Error('a secret of the house');
  });
  const response = await fetch(url, { method: 'POST', body: 'x' });
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  await eventually(() => expect(JSON.stringify(lines)).toContain('secret'));
});

test('a sender that goes away in the middle does not disturb others', async () => {
  const { url } = await serve();
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  await new Promise((resolve) => socket.on('connect', resolve));
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf');
  socket.destroy();
  expect(await (await fetch(url, { method: 'POST', body: 'whole' })).text()).toBe('whole');
});
