import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectorClient } from '@switchyard/client';
import { rollupIdFromName } from '@switchyard/protocol';
import { type Hex, hexToBytes, keccak256, serializeTransaction, type TransactionSerializableEIP1559 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CHAIN_ID, castJson, castText, devAddress, devKey, rpc } from '../support/evm.ts';
import { createNetwork, type Network, until } from '../support/network.ts';

/** Bad input at a node with all its neighbours: each gets one clear answer, nothing is lost, no other client waits. */
let network: Network;
let url: string;
let firstPid: number;

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], isBare: true });
  await network.start();
  url = network.url('evm');
  firstPid = await network.pid('evm');
});

afterAll(() => network?.dispose());

const request = (method: string, params: readonly unknown[], id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/** The result of a call. @throws with the node's text. */
async function ask(method: string, ...params: unknown[]): Promise<unknown> {
  // JSON-RPC's own shape.
  const { result, error } = (await rpc(url, request(method, params))) as {
    result?: unknown;
    error?: { message: string };
  };
  if (error !== undefined) throw new Error(error.message);
  return result;
}

const account = (index: number) => privateKeyToAccount(devKey(index));
const base = { chainId: CHAIN_ID, type: 'eip1559', to: devAddress(0), value: 1n } as const;
const fees = { gas: 21_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };

const transfer = (index: number, over: Partial<TransactionSerializableEIP1559> = {}, signer = account(index)) =>
  signer.signTransaction({ ...base, ...fees, nonce: 0, ...over });
const send = (raw: Hex) => ask('eth_sendRawTransaction', raw);
const status = (hash: unknown) => ask('switchyard_transactionStatus', hash);
/** A contract that jumps back and forth while it has gas. */
const ENDLESS = { data: '0x5b600056' };

describe('a raw transaction', () => {
  const stranger = privateKeyToAccount(generatePrivateKey());
  test.each<[string, () => Hex | Promise<Hex>, RegExp]>([
    ['without bytes', () => '0x', /failed to decode signed transaction/],
    ['that is half of one', async () => `0x${(await transfer(1)).slice(2, 80)}`, /failed to decode/],
    ['with bytes after its end', async () => `${await transfer(1)}00`, /failed to decode/],
    ['without a signature', () => serializeTransaction({ ...base, ...fees, nonce: 0 }), /failed to decode/],
    ['for another chain', () => transfer(1, { chainId: 1 }), /invalid chain id for signer: signed for chain id 1/],
    [
      'that is too long',
      () => transfer(1, { gas: 9n * 10n ** 6n, data: `0x${'00'.repeat(131_072)}` }),
      /oversized data/,
    ],
    ['with too little gas', () => transfer(1, { gas: 20_999n }), /intrinsic gas too low/],
    ['with more gas than one may have', () => transfer(1, { gas: 10n ** 12n }), /transaction gas limit too high/],
    ['that pays less than the base fee', () => transfer(1, { maxFeePerGas: 1n }), /less than block base fee/],
    ['that the sender cannot pay', () => transfer(1, {}, stranger), /insufficient funds/],
    ['of an unknown type', () => '0x7fc0', /transaction type not supported/],
    ['with blobs', () => '0x03c0', /transaction type not supported: blob/],
  ])('%s is refused in the words that tools know', async (_, make, words) => {
    const params = [await make()];
    const refused = { error: { code: -32_000, message: expect.stringMatching(words) } };
    expect(await rpc(url, request('eth_sendRawTransaction', params))).toMatchObject(refused);
    expect(await overWebSocket(request('eth_sendRawTransaction', params))).toMatchObject(refused);
  });

  test('whose nonce is ahead is held with the reason, and is in a block once the missing one arrives', async () => {
    const hash = await send(await transfer(1, { nonce: 1 }));
    expect(await status(hash)).toMatchObject({
      status: 'held',
      missing: '0x0',
      reason: expect.stringContaining('nonce 0'),
    });
    expect(await ask('txpool_status')).toMatchObject({ queued: '0x1' });
    expect(await ask('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null });
    await send(await transfer(1));
    await until('both are in a block', async () =>
      (await ask('eth_getTransactionReceipt', hash)) === null ? undefined : true,
    );
    expect(await status(hash)).toMatchObject({ status: 'included', success: true });
  });
});

test('what was never a transaction is skipped alone, with its reason, wherever it stands in a block', async () => {
  const nonce = Number(await ask('eth_getTransactionCount', devAddress(2), 'pending'));
  const bad: readonly (readonly [Hex, RegExp])[] = [
    ['0x6e6f7468696e67', /malformed|unknown-type/],
    ['0x00', /malformed|unknown-type/],
    [`0x02${'ff'.repeat(100)}`, /malformed/],
    [await transfer(2, { nonce, chainId: 1 }), /wrong-chain/],
    [await transfer(2, { nonce: nonce + 900 }), /nonce-too-high/],
    [await transfer(2, { nonce }, privateKeyToAccount(generatePrivateKey())), /nonce-too-high|insufficient-funds/],
  ];
  const [first, last] = [await transfer(2, { nonce }), await transfer(2, { nonce: nonce + 1 })];
  const collector = collectorClient({ url: network.url('collector') });
  const items = [first, ...bad.map(([raw]) => raw), first, last].map((raw) => hexToBytes(raw));
  expect(await collector.submitBatch(rollupIdFromName('evm'), items)).toEqual([]);

  const receipt = await until('the last one is executed', async () => {
    const found = await ask('eth_getTransactionReceipt', keccak256(last));
    return found === null ? undefined : (found as { blockNumber: Hex; status: Hex });
  });
  expect(receipt.status).toBe('0x1');
  for (const [raw, reason] of bad) {
    const outcome = await status(keccak256(raw));
    expect(outcome).toMatchObject({ status: 'refused' });
    expect(JSON.stringify(outcome)).toMatch(reason);
  }
  expect(await ask('switchyard_getRefusals', receipt.blockNumber)).not.toEqual([]);
});

describe('a request', () => {
  test.each<[string, string, number]>([
    ['no JSON', '{', -32_700],
    ['megabytes of brackets', '['.repeat(4_000_000), -32_600],
    ['an empty batch', '[]', -32_600],
    ['a batch of too many', JSON.stringify(Array.from({ length: 1_001 }, () => request('eth_chainId', []))), -32_600],
    ['an unknown method', JSON.stringify(request('eth_nonsense', [])), -32_601],
    ['a name that every object has', JSON.stringify(request('__proto__', [])), -32_601],
    ['a wrong type', JSON.stringify(request('eth_getBalance', [{}, 7])), -32_602],
    ['too many parameters', JSON.stringify(request('eth_chainId', [1])), -32_602],
    [
      'logs from beyond the end',
      JSON.stringify(request('eth_getLogs', [{ fromBlock: '0xffffffffffffffff' }])),
      -32_602,
    ],
    ['logs without an end', JSON.stringify(request('eth_getLogs', [{ toBlock: '0xffffffffffffffff' }])), -32_602],
    ['a state of the future', JSON.stringify(request('eth_getBalance', [devAddress(0), '0xffffffff'])), -32_000],
  ])('of %s has its code', async (_, body, code) => {
    const answer = await rpc(url, body);
    expect(answer).toMatchObject({ error: { code } });
    expect(JSON.stringify(answer).length).toBeLessThan(1_000);
  });

  test('that is longer than 5 MB is refused, and one below is not', async () => {
    const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(6_000_000) });
    expect([answer.status, (await answer.text()).includes('5242880')]).toEqual([413, true]);
    expect(await ask('web3_sha3', `0x${'00'.repeat(2_500_000)}`)).toMatch(/^0x/);
  });
});

test('calls that would run for ever end by gas and time, and no other client waits for them', async () => {
  const ended: string[] = [];
  const endless = [
    ask('eth_call', ENDLESS),
    ask('eth_call', { ...ENDLESS, gas: '0x7fffffffffffffff' }),
    ask('eth_estimateGas', ENDLESS),
    ask('debug_traceCall', ENDLESS, 'latest', {}),
  ].map((call) =>
    call.then(
      () => ended.push('an answer'),
      (error: Error) => ended.push(error.message),
    ),
  );
  let answeredMeanwhile = 0;
  while (ended.length === 0) {
    expect(await ask('eth_blockNumber')).toMatch(/^0x/);
    answeredMeanwhile += 1;
  }
  // Had they to wait for the calls, one at most would be answered before the first of these has ended.
  expect(answeredMeanwhile).toBeGreaterThan(3);
  await Promise.all(endless);
  expect(ended).toHaveLength(4);
  for (const each of ended) expect(each).toMatch(/timeout|out of gas|gas required exceeds|answer is longer than/);
});

test('filters that are left behind make room for new ones', async () => {
  const word = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
  const topics = Array.from({ length: 4 }, () => Array.from({ length: 1_000 }, (_, index) => word(index)));
  const first = await ask('eth_newFilter', { topics });
  expect(await ask('eth_getFilterChanges', first)).toEqual([]);
  let last: unknown;
  for (let made = 0; made < 130; made += 1) last = await ask('eth_newFilter', { topics });
  await expect(ask('eth_getFilterChanges', first)).rejects.toThrow('filter not found');
  expect(await ask('eth_getFilterChanges', last)).toEqual([]);
});

test('who asks by websocket for more than it reads is cut off', async () => {
  const data: Hex = `0x${'00'.repeat(130_000)}`;
  const raw = await transfer(3, { to: devAddress(3), gas: 6n * 10n ** 6n, data });
  const hash = await send(raw);
  await until('it is in a block', async () =>
    (await ask('eth_getTransactionReceipt', hash)) === null ? undefined : true,
  );
  const batch = JSON.stringify(
    Array.from({ length: 90 }, (_, id) => request('eth_getRawTransactionByHash', [hash], id)),
  );
  const greedy = await connect();
  let closed: unknown;
  greedy.on('close', () => {
    closed = true;
  });
  greedy.on('error', () => undefined);
  greedy.pause();
  for (let wanted = 0; wanted < 40; wanted += 1) greedy.send(batch);
  // A client that does not read learns of the end only by writing.
  await until('the connection is gone', () => {
    greedy.ping();
    return closed;
  });
  expect(await overWebSocket(request('eth_chainId', []))).toMatchObject({ result: '0x539' });
});

test('after all this it is the same process, in bounds, and continues', async () => {
  expect(await network.pid('evm')).toBe(firstPid);
  const sent = await castJson(network, 'send', devAddress(1), '--value', '1', '--private-key', devKey(4));
  expect(sent).toMatchObject({ status: '0x1' });
  const health = await fetch(`${url}/readyz`);
  expect(health.status).toBe(200);
});

test('another genesis on old data stops the node with one line, and changes nothing', async () => {
  const file = join(network.home, network.instance, 'config', 'evm_genesis.json');
  const good = readFileSync(file, 'utf8');
  const head = await castJson(network, 'block', 'latest');
  await network.stop();
  writeFileSync(file, good.replace(/"gasLimit": "0x\w+"/, '"gasLimit": "0x1c9c380"'));
  await expect(network.start()).rejects.toThrow(
    /SVC_EVM_GENESIS_FILEPATH: expected the genesis .* that the database was begun with/,
  );
  writeFileSync(file, good);
  await network.start();
  expect(await castJson(network, 'block', String(BigInt(String(head.number))))).toMatchObject({ hash: head.hash });
  expect(await castText(network, 'chain-id')).toBe('1337');
});

async function connect(): Promise<WebSocket> {
  const socket = new WebSocket(network.url('evmWs').replace('http', 'ws'));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return socket;
}

/** One request and its answer over a connection of its own. */
async function overWebSocket(body: unknown): Promise<unknown> {
  const socket = await connect();
  try {
    const answer = new Promise<string>((resolve, reject) => {
      socket.once('message', (text) => resolve(String(text))).once('close', () => reject(new Error('closed')));
    });
    socket.send(JSON.stringify(body));
    return JSON.parse(await answer);
  } finally {
    socket.terminate();
  }
}
