import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadConfig } from '@switchyard/service/settings';
import { freePort } from '@switchyard/service/testing';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { runProxy } from './proxy.ts';
import { proxyFields } from './proxy-config.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function listening(server: Server): Promise<number> {
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function proxyTo(routes: Readonly<Record<string, number>>): Promise<number> {
  const port = await freePort();
  const config = loadConfig(proxyFields, {
    SWITCHYARD_PROXY_LISTEN_ADDR: `127.0.0.1:${port}`,
    SWITCHYARD_PROXY_ROUTES: Object.entries(routes)
      .map(([name, to]) => `${name}=${to}`)
      .join(','),
  });
  const log = { info() {}, warn() {}, error() {}, debug() {} };
  // The members of a process context that a proxy uses.
  const context = { log, defer: (close: () => Promise<void>) => void closers.push(close) };
  await runProxy(config, context as unknown as Parameters<typeof runProxy>[1]);
  return port;
}

function ask(port: number, host: string, headers = {}): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: '/a?b=1', headers: { host, ...headers } }, (response) => {
      let text = '';
      response.on('data', (chunk: Uint8Array) => (text += String(chunk)));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    call.on('error', reject);
    call.end();
  });
}

const echo = (name: string) =>
  createServer(({ url, headers }: IncomingMessage, response) => {
    response.end(JSON.stringify({ name, url, host: headers.host, from: headers['x-forwarded-for'] }));
  });

test('a host name leads to its process, which sees the name and who asked', async () => {
  const [one, two] = [await listening(echo('one')), await listening(echo('two'))];
  const port = await proxyTo({ 'one.localhost': one, 'two.localhost': two });
  for (const name of ['one', 'two']) {
    const { status, text } = await ask(port, `${name.toUpperCase()}.localhost:${port}`);
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { name, url: '/a?b=1', host: `${name.toUpperCase()}.localhost:${port}`, from: '127.0.0.1' },
    ]);
  }
});

test('an address that a client states is passed on before the one that it has', async () => {
  const port = await proxyTo({ 'one.localhost': await listening(echo('one')) });
  const { text } = await ask(port, 'one.localhost', { 'x-forwarded-for': '10.0.0.1' });
  expect(JSON.parse(text).from.split(/, ?/).at(-1)).toBe('127.0.0.1');
});

test('other names are answered with 404, and a process that is down with 502', async () => {
  const port = await proxyTo({ 'down.localhost': await freePort() });
  expect(await ask(port, 'other.localhost')).toMatchObject({ status: 404 });
  expect(await ask(port, `127.0.0.1:${port}`)).toMatchObject({ status: 404 });
  expect(await ask(port, 'down.localhost')).toEqual({ status: 502, text: 'its process does not answer\n' });
});

test('WebSockets pass, and those to other names are cut', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`got ${String(data)}`)));
  const port = await proxyTo({ 'ws.localhost': await listening(server) });
  const open = (host: string) => new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host } });
  const got = await new Promise((resolve, reject) => {
    const socket = open('ws.localhost');
    socket.on('open', () => socket.send('this'));
    socket.on('message', (data) => {
      socket.terminate();
      resolve(String(data));
    });
    socket.on('error', reject);
  });
  expect(got).toBe('got this');
  await expect(
    new Promise((resolve, reject) => {
      open('other.localhost').on('open', resolve).on('error', reject);
    }),
  ).rejects.toThrow();
});

test.each(['', 'one', 'one=0', 'one=70000', 'one=1,', 'o ne=1'])('routes %j are refused', (text) => {
  expect(() => loadConfig(proxyFields, { SWITCHYARD_PROXY_ROUTES: text })).toThrow(/SWITCHYARD_PROXY_ROUTES/);
});
