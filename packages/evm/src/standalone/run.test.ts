import { eventually } from '@switchyard/service/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { type Answer, startTestNode } from './testing/start.ts';

let node: Awaited<ReturnType<typeof startTestNode>>;
beforeAll(async () => {
  node = await startTestNode({ SVC_EVM_STANDALONE_ALLOWED_ORIGINS: 'https://remix.ethereum.org' });
});
afterAll(() => node.stop());

const [from, to] = DEV_ACCOUNTS.map(({ address }) => address);
/** Methods that sign, send, change the chain or give all of it away, also with parameters that are refused. */
const GUARDED: readonly (readonly [string, ...unknown[]])[] = [
  ['eth_sendTransaction', { from, to, value: '0x1' }],
  ['eth_sendUnsignedTransaction', { from, to, value: '0x1' }],
  ['eth_sendRawTransaction', '0x'],
  ['eth_sendRawTransactionSync', '0x'],
  ['eth_signTransaction', { from, to, value: '0x1' }],
  ['eth_sign', from, '0x00'],
  ['personal_sign', '0x00', from],
  ['eth_signTypedData_v4', from, {}],
  ['anvil_dumpState'],
  ['hardhat_setBalance', to, '0x1'],
  ['anvil_impersonateAccount', to],
  ['evm_mine'],
  ['evm_snapshot'],
  ['evm_increaseTime', '0x1'],
  ['anvil_reset'],
];

const FOREIGN = ['https://evil.example', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example:3000'];

const request = ([method, ...params]: readonly unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

async function overWebSocket(origin: string, body: string): Promise<Answer> {
  const socket = new WebSocket(node.url.replace('http', 'ws'), { origin });
  const got: Answer[] = [];
  socket.on('message', (text) => void got.push(JSON.parse(String(text))));
  socket.on('open', () => socket.send(body));
  try {
    return await eventually(() => got[0]);
  } finally {
    socket.close();
  }
}

// Defect: Any page could drive `switchyard evm dev` and make a node with development accounts sign
test.each(GUARDED)('a page of another site may not call %s', async (...call) => {
  const before = await node.call('eth_getBlockByNumber', 'latest', false);
  for (const origin of FOREIGN) {
    // A page sends this type without asking first.
    const headers = { 'content-type': 'text/plain', origin };
    const answers = [JSON.parse(await node.post(request(call), headers)), await overWebSocket(origin, request(call))];
    for (const { error } of answers) expect(error?.message).toContain(`may not call ${call[0]}`);
  }
  expect(await node.call('eth_getBlockByNumber', 'latest', false)).toEqual(before);
});

test('a batch has no other rule', async () => {
  const body = `[${request(['eth_chainId'])},${request(['evm_mine'])}]`;
  const headers = { origin: 'https://evil.example' };
  expect(JSON.parse(await node.post(body, headers))).toMatchObject([
    { result: '0x7a69' },
    { error: { message: expect.stringContaining('SVC_EVM_STANDALONE_ALLOWED_ORIGINS') } },
  ]);
});

test('a page without an origin is one of another site, by what the browser reports', async () => {
  const answer = JSON.parse(await node.post(request(['evm_mine']), { 'sec-fetch-site': 'cross-site' }));
  expect(answer.error?.message).toContain('may not call evm_mine');
});

test.each([
  'http://localhost:5173',
  'http://127.0.0.1:3000',
  'http://[::1]',
  'https://localhost',
  'https://remix.ethereum.org',
  'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn',
])('%s may change the chain', async (origin) => {
  const mine = request(['evm_mine']);
  expect(JSON.parse(await node.post(mine, { origin }))).toMatchObject({ result: '0x0' });
  expect(await overWebSocket(origin, mine)).toMatchObject({ result: '0x0' });
});

// Defect: Structured data with the number 10^18 not signed
test('structured data has whole numbers of any size, and an id has all its digits', async () => {
  const signature = async (value: string): Promise<unknown> => {
    const types = { Pay: [{ name: 'amount', type: 'uint256' }] };
    const params = JSON.stringify([from, { types, primaryType: 'Pay', domain: {}, message: { amount: 0 } }]);
    const body = `{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_signTypedData_v4","params":${params.replace('"amount":0', `"amount":${value}`)}}`;
    const answer = await node.post(body);
    expect(answer).toContain('"id":12345678901234567890,');
    return JSON.parse(answer).result;
  };
  const asText = await signature('"1000000000000000001"');
  expect(asText).toMatch(/^0x[0-9a-f]{130}$/);
  expect(await signature('1000000000000000001')).toBe(asText);
});

test('a simulation has no block whose time is beyond 64 bits', async () => {
  const blockStateCalls = [{ blockOverrides: { time: `0x${'f'.repeat(16)}` } }, {}];
  expect(await node.ask('eth_simulateV1', { blockStateCalls })).toMatchObject({
    error: { code: -38_021, message: 'block timestamp 18446744073709551627 does not fit 64 bits' },
  });
});

// Defect: `eth_sendUnsignedTransaction` of `evm dev` limited to impersonated accounts, and its senders lost when
// impersonation ended
test('what has no signature is sent for any sender, and eth_sendTransaction sends for impersonated ones only', async () => {
  const sender = `0x${'57'.repeat(20)}`;
  const transaction = { from: sender, to, value: '0x1' };
  await node.call('anvil_setBalance', sender, `0x${(10n ** 18n).toString(16)}`);
  const hash = await node.call('eth_sendUnsignedTransaction', transaction);
  expect(await node.call('eth_getTransactionReceipt', hash)).toMatchObject({ from: sender, status: '0x1' });
  expect((await node.ask('eth_sendTransaction', transaction)).error?.message).toContain('unknown account');
  await node.call('anvil_impersonateAccount', sender);
  await node.call('eth_sendTransaction', transaction);
  expect((await node.ask('eth_signTransaction', transaction)).error?.message).toContain('unknown account');
  expect((await node.ask('eth_sign', sender, '0x00')).error?.message).toContain('unknown account');
  await node.call('anvil_stopImpersonatingAccount', sender);
  expect((await node.ask('eth_sendTransaction', transaction)).error?.message).toContain('unknown account');
  // Its transactions have their sender while they exist.
  expect(await node.call('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({ from: sender });
});

test.each(['anvil_nodeInformation', 'hardhat_getStackTraceFailuresCount', 'evm_unknown'])(
  '%s is not supported, here as elsewhere',
  async (method) => {
    const { error } = await node.ask(method);
    expect(error).toMatchObject({
      code: -32_601,
      message: expect.stringContaining(': it is not supported; docs/how-to/test-contracts.md'),
    });
  },
);

// Defect: `switchyard evm dev` took no chain id above 2^53 - 1
test('a chain id of 64 bits keeps all its digits, also in what is signed', async () => {
  const large = await startTestNode({ SVC_EVM_STANDALONE_CHAIN_ID: '18446744073709551615' });
  try {
    expect(await large.call('eth_chainId')).toBe('0xffffffffffffffff');
    for (const method of ['anvil_nodeInfo', 'hardhat_metadata'])
      expect(await large.post(request([method]))).toContain('"chainId":18446744073709551615,');
    for (const fees of [{ gasPrice: '0x77359400' }, {}]) {
      const hash = await large.call('eth_sendTransaction', { from, to, value: '0x1', ...fees });
      expect(await large.call('eth_getTransactionByHash', hash)).toMatchObject({ from, chainId: '0xffffffffffffffff' });
    }
  } finally {
    await large.stop();
  }
});

test('every page may read', async () => {
  const headers = { origin: 'https://evil.example' };
  expect(JSON.parse(await node.post(request(['eth_blockNumber']), headers))).toHaveProperty('result');
});
