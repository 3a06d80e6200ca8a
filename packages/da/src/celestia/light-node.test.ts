import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rejected } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { afterEach, expect, test } from 'vitest';
import { DaUnavailable } from '../layer.ts';
import { lightNode } from './light-node.ts';

const signal = new AbortController().signal;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serving(answer: (response: ServerResponse, request: IncomingMessage) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response, request));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

const json = (status: number, body: object) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};
const failing = (code: number, message: string, status = 200) =>
  json(status, { jsonrpc: '2.0', id: 1, error: { code, message } });

test.each<[string, (response: ServerResponse) => void, new (...args: never[]) => Error, string]>([
  ['syncing', failing(1, 'header: syncing in progress: localHeadHeight: 5'), DaUnavailable, 'syncing'],
  ['a future height', failing(1, 'header: given height is from the future'), DaUnavailable, 'from the future'],
  ['no data', failing(1, 'all getters failed: data not found'), DaUnavailable, 'all getters failed'],
  ['below the tail', failing(1, 'requested header (1) is below Tail (9)'), DaUnavailable, 'below Tail'],
  ['an unknown error', failing(-32_700, 'whatever'), DaUnavailable, 'whatever'],
  ['a page of a proxy', (response) => response.writeHead(502).end('<html>'), DaUnavailable, 'not JSON'],
  ['a cut connection', (response) => response.destroy(), DaUnavailable, 'no answer'],
  ['no answer in time', () => undefined, DaUnavailable, 'took longer'],
  ['an unknown method', failing(-32_601, "method 'x' not found", 500), Error, 'no light node'],
  ['no token', failing(1, "missing permission to invoke 'NetworkHead' (need 'read')"), Error, 'wants a token'],
  ['a wrong token', (response) => response.writeHead(401).end(), Error, 'does not accept the token'],
  ['another id', json(200, { jsonrpc: '2.0', id: 7, result: null }), Rejected, 'another request'],
  ['neither result nor error', json(200, { jsonrpc: '2.0', id: 1 }), Rejected, 'neither result nor error'],
  ['no header', json(200, { jsonrpc: '2.0', id: 1, result: null }), Rejected, 'an object'],
  [
    'a height of no block',
    json(200, { jsonrpc: '2.0', id: 1, result: { header: { chain_id: 'a', height: '-1' } } }),
    Rejected,
    'a whole number',
  ],
  [
    'an answer that is too long',
    json(200, { jsonrpc: '2.0', id: 1, result: 'x'.repeat(20_000) }),
    Rejected,
    'longer than',
  ],
])('%s', async (_, answer, kind, text) => {
  const url = await serving(answer);
  const failed = await lightNode({ url, timeoutMs: text === 'took longer' ? 200 : 30_000, maxAnswerBytes: 10_000 })
    .networkHead(signal)
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(kind);
  expect(String(failed)).toContain(text);
  if (kind === Error) expect(failed).not.toBeInstanceOf(DaUnavailable);
});

test('sends the token that stands in the file at the moment', async () => {
  const seen: unknown[] = [];
  const url = await serving((response, { headers }) => {
    seen.push(headers.authorization);
    json(200, { jsonrpc: '2.0', id: seen.length + 1, result: { header: { chain_id: 'a', height: '3' } } })(response);
  });
  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-token-')), 'token');
  const node = lightNode({ url, token: { file, setting: 'TOKEN_FILE' } });
  await expect(node.networkHead(signal)).rejects.toBeInstanceOf(InvalidConfig);
  writeFileSync(file, 'one\n', { mode: 0o600 });
  expect(await node.networkHead(signal)).toEqual({ chainId: 'a', height: 3n });
  writeFileSync(file, 'tw o\r\nx: y');
  await expect(node.networkHead(signal)).rejects.toThrow('a file with one token');
  expect(seen).toEqual(['Bearer one']);
});

test('sends a token that is given as a text', async () => {
  const url = await serving((response, { headers }) =>
    json(200, { jsonrpc: '2.0', id: 1, result: { header: { chain_id: headers.authorization, height: '3' } } })(
      response,
    ),
  );
  const { chainId } = await lightNode({ url, token: { text: 'a.b' } }).networkHead(signal);
  expect(chainId).toBe('Bearer a.b');
});

test('uses no token that everybody can read', async () => {
  let calls = 0;
  const url = await serving((response) => {
    calls += 1;
    json(200, {})(response);
  });
  const file = join(mkdtempSync(join(tmpdir(), 'switchyard-token-')), 'token');
  writeFileSync(file, 'one\n');
  chmodSync(file, 0o644);
  const node = lightNode({ url, token: { file, setting: 'TOKEN_FILE' } });
  await expect(node.networkHead(signal)).rejects.toThrow('a file that not everybody can read');
  expect(calls).toBe(0);
});
