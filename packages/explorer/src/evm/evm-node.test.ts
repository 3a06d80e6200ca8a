import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { evmNode } from './evm-node.ts';

/* A node that passes on answers of contracts of any length. */

let server: Server;
afterEach(() => new Promise((resolve) => server.close(() => resolve(undefined))));

async function nodeAnswering(...answers: readonly string[]) {
  server = createServer((request, response) => {
    const chunks: Uint8Array[] = [];
    request.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    request.on('end', () => {
      const calls = JSON.parse(Buffer.concat(chunks).toString()) as readonly Call[];
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(
          calls.map(({ id, params }) => ({ jsonrpc: '2.0', id, result: answers[Number(params[0]?.input)] })),
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return evmNode(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

interface Call {
  readonly id: number;
  readonly params: readonly { readonly input: string }[];
}

const { signal } = new AbortController();
const calls = (count: number) => Array.from({ length: count }, (_, at) => ({ to: '11'.repeat(20), data: `0${at}` }));

test('of what contracts answer, each up to 8 KiB is taken', async () => {
  const whole = 'ab'.repeat(8_192);
  const node = await nodeAnswering(`0x${whole}`, `0x${whole}ab`, '0x');
  expect(await node.read(calls(3), 1, signal)).toEqual([whole, undefined, '']);
});

test('an answer of 10 MB is not read to its end, and the others of its batch are answered', async () => {
  const node = await nodeAnswering('0x01', `0x${'ab'.repeat(10_000_000)}`, '0x02');
  expect(await node.read(calls(3), 1, signal)).toEqual(['01', undefined, '02']);
});
