import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { evmClient } from './client.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A node that answers each method as the test specifies, and the requests that it received. */
async function node(answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>>) {
  const wanted: [string, readonly unknown[]][] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { id, method, params } = JSON.parse(text);
    wanted.push([method, params]);
    const answer = answers[method];
    const error = { code: -32601, message: `the method ${method} does not exist` };
    const body = answer === undefined ? { error } : { result: answer(params) };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { client: evmClient({ url: `http://127.0.0.1:${port}` }), asked: wanted };
}

const block = {
  number: '0xc',
  hash: '0x12',
  timestamp: '0x10',
  gasLimit: '0x5208',
  baseFeePerGas: '0x7',
  transactions: ['0x1', '0x2'],
  withdrawals: [{ index: '0x0', validatorIndex: '0x0', address: '0xab', amount: '0x5' }],
};

test('reads the status of a node, also before anything is firm', async () => {
  const { client } = await node({
    web3_clientVersion: () => 'switchyard/1',
    eth_chainId: () => '0x539',
    eth_getBlockByNumber: ([tag]) => (tag === 'finalized' ? null : block),
    txpool_status: () => ({ pending: '0x2', queued: '0x1' }),
  });
  expect(await client.status()).toEqual({
    client: 'switchyard/1',
    chainId: 1337n,
    latest: {
      number: 12n,
      hash: '0x12',
      timestamp: 16n,
      gasLimit: 21_000n,
      baseFee: 7n,
      transactions: 2,
      withdrawals: [{ address: '0xab', gwei: 5n }],
    },
    safe: 12n,
    finalized: undefined,
    pending: 2,
    queued: 1,
  });
});

test('asks for blocks by their number in hex, and reads bytes and refusals', async () => {
  const { client, asked: wanted } = await node({
    eth_getBlockByNumber: () => null,
    debug_getRawBlock: ([number]) => (number === '0xff' ? '0xc0FF' : null),
    switchyard_getRefusals: () => [
      { entry: '0x0', kind: 'deposit', hash: '0x1', from: null, code: 'x', reason: 'why' },
    ],
    switchyard_transactionStatus: () => ({ status: 'unknown' }),
  });
  expect(await client.block(255n)).toBeUndefined();
  expect(await client.rawBlock(255n)).toEqual(Uint8Array.of(0xc0, 0xff));
  expect(await client.rawBlock(256n)).toBeUndefined();
  expect(await client.refusals(255n)).toEqual([{ kind: 'deposit', hash: '0x1', reason: 'why' }]);
  expect(await client.transactionStatus('0x1')).toEqual({ status: 'unknown' });
  expect(wanted[0]).toEqual(['eth_getBlockByNumber', ['0xff', false]]);
});

test('an error of the node keeps its words, and what is no quantity is no number', async () => {
  const { client } = await node({ eth_getBalance: () => 'lots', debug_getRawBlock: () => '0x0' });
  await expect(client.nonce('0x1')).rejects.toThrow('the method eth_getTransactionCount does not exist');
  await expect(client.balance('0x1')).rejects.toThrow(
    'eth_getBalance: expected a number in hex such as 0x1, got "lots"',
  );
  await expect(client.rawBlock(1n)).rejects.toThrow('debug_getRawBlock: expected bytes in hex with 0x, got "0x0"');
});
