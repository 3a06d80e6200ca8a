import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { freePort } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { reach } from './reach.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function makeUrl(server: Server): Promise<URL> {
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(new URL(`http://executor.cosmic.localhost:${(server.address() as AddressInfo).port}`)),
    );
  });
}

test('an answer comes by the name of the URL, at the address that is given', async () => {
  const url = await makeUrl(createHttpServer(({ headers }, response) => response.end(headers.host)));
  expect(await reach(url, '127.0.0.1')).toEqual({ kind: 'answer', status: 200, text: url.host });
});

test('what takes a connection and does not answer is not out of reach', async () => {
  const url = await makeUrl(createServer((socket) => socket.once('data', () => socket.destroy())));
  expect(await reach(url, '127.0.0.1')).toMatchObject({ kind: 'silent' });
});

test('what takes no connection is', async () => {
  const url = new URL(`http://executor.cosmic.localhost:${await freePort()}`);
  expect(await reach(url, '127.0.0.1')).toEqual({ kind: 'unreachable', reason: 'ECONNREFUSED' });
});
