import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { blackHole } from '../testing/black-hole.ts';
import { httpPost } from './http-post.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

function listening(answer: RequestListener): Promise<{ url: string; connections: () => number }> {
  return new Promise((resolve) => {
    const server = createServer(answer);
    let connections = 0;
    servers.push(server);
    server.on('connection', () => {
      connections += 1;
    });
    server.listen(0, '127.0.0.1', () => {
      // A server that listens on TCP has such an address.
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}/`, connections: () => connections });
    });
  });
}

const echo: RequestListener = (request, response) => {
  request.pipe(response.writeHead(418, { 'x-type': request.headers['content-type'] }));
};
const never = new AbortController().signal;

test('a text goes there and back with the status, over one connection', async () => {
  const { url, connections } = await listening(echo);
  for (const text of ['{}', 'ä'.repeat(100_000)]) {
    const { status, bytes } = await httpPost(url, text, { signal: never, maxBytes: 200_000 });
    expect([status, new TextDecoder().decode(bytes)]).toEqual([418, text]);
  }
  expect(connections()).toBe(1);
});

test('an answer that is too long is not read to its end', async () => {
  const { url } = await listening((_, response) => {
    response.write('x'.repeat(101));
  });
  await expect(httpPost(url, '', { signal: never, maxBytes: 100 })).rejects.toThrow('longer than 100 bytes');
});

test('it ends when its signal aborts', async () => {
  const gone = new AbortController();
  const { url } = await listening(() => gone.abort());
  await expect(httpPost(url, '', { signal: gone.signal, maxBytes: 100 })).rejects.toThrow('abort');
});

test('a connection that breaks in the middle of the answer is an error', async () => {
  const { url } = await listening((_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('half', () => response.destroy());
  });
  await expect(httpPost(url, '', { signal: never, maxBytes: 100 })).rejects.toThrow('aborted');
});

test('where nothing answers, it ends in time', async () => {
  const { url, close } = await blackHole();
  onTestFinished(close);
  const call = httpPost(url, '', { signal: never, maxBytes: 100, connectTimeoutMs: 50 });
  await expect(call).rejects.toThrow(`no connection to ${url} within 50 ms`);
});
