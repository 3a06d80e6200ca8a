import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { httpApi } from './http-api.ts';

async function listening(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has such an address.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const echo: RequestListener = (request, response) => {
  const parts: Uint8Array[] = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, type: headers['content-type'], body: String(Buffer.concat(parts)) }));
  });
};

test('a process calls with method, headers and body', async () => {
  const api = httpApi('rollup', { url: await listening(echo) });
  expect((await api('/a?b=1')).value).toEqual({ method: 'GET', url: '/a?b=1', body: '' });
  const headers = { 'content-type': 'text/plain' };
  for (const body of ['hello', new TextEncoder().encode('hello')])
    expect((await api('/c', { method: 'POST', headers, body })).value).toEqual({
      ...{ method: 'POST', url: '/c', type: 'text/plain', body: 'hello' },
    });
});

test('a redirect is followed with its body', async () => {
  const there = await listening(echo);
  const here = await listening((request, response) => {
    response.writeHead(307, { location: `${there}${request.url}` }).end();
  });
  const answer = await httpApi('rollup', { url: here })('/d', { method: 'POST', body: 'x' });
  expect(answer.value).toMatchObject({ method: 'POST', url: '/d', body: 'x' });
});

test('an answer that is not there, is too long or breaks off is what it is with fetch', async () => {
  const closed = httpApi('rollup', { url: 'http://127.0.0.1:1' });
  await expect(closed('/')).rejects.toThrow('no answer from the rollup at http://127.0.0.1:1');
  const long = httpApi('rollup', { url: await listening(echo), maxAnswerBytes: 10 });
  await expect(long('/')).rejects.toThrow('longer than 10 bytes');
  const url = await listening((_, response) => {
    response.writeHead(200, { 'content-length': 10 });
    response.write('{', () => response.destroy());
  });
  await expect(httpApi('rollup', { url })('/')).rejects.toThrow(`the answer of the rollup at ${url} broke off`);
});
