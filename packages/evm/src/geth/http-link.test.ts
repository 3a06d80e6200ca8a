import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { JsonRpcError, Secret } from '@switchyard/service';
import { expect, test } from 'vitest';
import { httpLink, jwtToken } from './http-link.ts';
import { LinkLost } from './link.ts';

const SECRET = new Uint8Array(32).fill(7);

test('a token is HS256 over the time it was made at', () => {
  const [head = '', body = '', signature] = jwtToken(SECRET, 1_700_000_000).split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect([decode(head), decode(body)]).toEqual([{ alg: 'HS256', typ: 'JWT' }, { iat: 1_700_000_000 }]);
  expect(signature).toBe(createHmac('sha256', SECRET).update(`${head}.${body}`).digest('base64url'));
});

test('the engine is asked with a token, everything else without', async () => {
  const seen: { readonly url: string | undefined; readonly method: string; readonly token: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      const { id, method } = JSON.parse(text);
      seen.push({ url: request.url, method, token: request.headers.authorization });
      const error = { code: -32_000, message: 'nonce too low' };
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'eth_fail' ? { error } : { result: method }) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const base = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const link = httpLink({
    rpcUrl: `${base}/rpc`,
    engineUrl: `${base}/engine`,
    jwtSecret: new Secret(SECRET),
    now: () => 5,
  });
  expect(await link.call('engine_x', [])).toBe('engine_x');
  expect(await link.call('eth_y', [], { timeoutMs: 1_000 })).toBe('eth_y');
  await expect(link.call('eth_fail', [])).rejects.toThrow(JsonRpcError);
  expect(seen).toEqual([
    { url: '/engine', method: 'engine_x', token: `Bearer ${jwtToken(SECRET, 5)}` },
    { url: '/rpc', method: 'eth_y', token: undefined },
    { url: '/rpc', method: 'eth_fail', token: undefined },
  ]);
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await expect(link.call('eth_y', [])).rejects.toThrow(LinkLost);
});
