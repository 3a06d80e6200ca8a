import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JsonRpcError } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { type IpcOptions, ipcLink } from './ipc-link.ts';
import { type Link, LinkLost } from './link.ts';

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server on a unix socket that handles each request with `answer`. */
async function serve(
  answer: (wanted: Asked, socket: Socket) => void,
  options: IpcOptions = {},
): Promise<{ readonly link: Link; readonly server: Server; readonly path: string }> {
  const home = mkdtempSync(join(tmpdir(), 'switchyard-ipc-'));
  const path = join(home, 'ipc');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => {
      for (const text of String(chunk).split(/(?<=\})(?=\{)/)) answer(JSON.parse(text), socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const link = ipcLink(path, options);
  closing.push(() => {
    link.close();
    for (const socket of sockets) socket.destroy();
    rmSync(home, { recursive: true, force: true });
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { link, server, path };
}

const line = (value: object) => `${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`;

test('gives each caller its own answer, in whatever order and pieces they come', async () => {
  const waiting: Asked[] = [];
  const { link } = await serve((wanted, socket) => {
    waiting.push(wanted);
    if (waiting.length < 3) return;
    const text = waiting
      .reverse()
      .map(({ id, method }) => line({ id, result: method }))
      .join('');
    for (let at = 0; at < text.length; at += 7) socket.write(text.slice(at, at + 7));
  });
  expect(await Promise.all(['a', 'b', 'c'].map((method) => link.call(method, [])))).toEqual(['a', 'b', 'c']);
});

test('an error of the client keeps its code and data', async () => {
  const { link } = await serve(({ id }, socket) => {
    socket.write(line({ id, error: { code: 3, message: 'execution reverted', data: '0x01' } }));
  });
  const error = await link.call('eth_call', []).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(JsonRpcError);
  expect(error).toMatchObject({ code: 3, rpcMessage: 'execution reverted', data: '0x01' });
});

test('calls fail when the connection is lost, and the next call connects again', async () => {
  let first = true;
  const { link } = await serve(({ id }, socket) => {
    if (first) socket.destroy();
    else socket.write(line({ id, result: 'there' }));
    first = false;
  });
  await expect(link.call('a', [])).rejects.toThrow(LinkLost);
  expect(await link.call('a', [])).toBe('there');
});

test('no listener, no answer in time and a closed link are losses too', async () => {
  await expect(ipcLink('/nowhere/ipc').call('a', [])).rejects.toThrow(
    /the connection to \/nowhere\/ipc was lost: .*ENOENT/,
  );
  const { link } = await serve(() => {}, { timeoutMs: 5 });
  await expect(link.call('eth_slow', [])).rejects.toThrow(/eth_slow at .* took longer than 5 ms/);
  link.close();
  await expect(link.call('a', [])).rejects.toThrow(LinkLost);
});

test('an answer that is too long fails its own call and no other', async () => {
  const { link } = await serve(
    ({ id, method }, socket) => {
      socket.write(line({ id, result: method === 'long' ? 'x'.repeat(200_000) : 'short' }));
    },
    { maxAnswerBytes: 50_000 },
  );
  const [long, short] = await Promise.allSettled([link.call('long', []), link.call('short', [])]);
  expect(long).toMatchObject({ status: 'rejected', reason: { rpcMessage: 'the answer is longer than 50000 bytes' } });
  expect(short).toEqual({ status: 'fulfilled', value: 'short' });
});

test('a server that speaks something else is a loss', async () => {
  const { link } = await serve((_, socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await expect(link.call('a', [])).rejects.toThrow('it sent an invalid answer');
});

test('a call ends with the signal of its caller', async () => {
  const { link } = await serve(() => {});
  const stop = new AbortController();
  const call = link.call('a', [], { signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(call).rejects.toThrow('enough');
});
