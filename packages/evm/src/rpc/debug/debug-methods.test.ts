import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import type { NewBlock } from '../../chain/store.ts';
import { decodeHeader } from '../../testing/header-row.ts';
import { type CallChain, callChain } from '../call/testing.ts';
import { debugMethods } from './debug-methods.ts';

/** Adds its first word to slot 0, and reverts if that is 13. */
const COUNTS = code(
  ...[0, 'calldataload', 13, 'eq', { raw: '0x6014' } as const, 'jumpi'],
  ...[0, 'calldataload', 0, 'sload', 'add', 0, 'sstore', 'stop'],
  { raw: '0x5b' },
  ...[0, 0, 'revert'],
);

let chain: CallChain;
let contract: Address;
let block: NewBlock;
let methods: ReturnType<typeof debugMethods>;
const ask = (name: string, ...params: readonly unknown[]) => chain.ask(methods, name, ...params);
const bytesFrom = async (name: string, block: string) => hexToBytes(`0x${String(await ask(name, block)).slice(2)}`);
const hashAt = (index: number) => block.block.transactions[index]?.hash;

beforeAll(async () => {
  chain = await callChain();
  const { test: node, simulator } = chain;
  methods = debugMethods({ simulator, pool: { get: () => undefined } });
  const [alice, bob] = [node.account(0), node.account(1)];
  const { receipts } = await node.sequence([alice.deploy(hexToBytes(deploying(COUNTS)))]);
  contract = receipts[0]?.contractAddress ?? '0x';
  const call = (amount: bigint) => alice.call(contract, hexToBytes(toWord(amount)));
  block = await node.sequence([call(5n), bob.transfer(`0x${'77'.repeat(20)}`, 3n), call(13n), call(7n)]);
  await node.sequence([]);
});

test('what is run again uses the gas that it used when the block was made', async () => {
  for (const [index, receipt] of block.receipts.entries()) {
    const trace = await ask('debug_traceTransaction', hashAt(index), { tracer: 'callTracer' });
    expect(trace).toMatchObject({ gasUsed: `0x${receipt.gasUsed.toString(16)}` });
    expect(Object(trace).error).toBe(receipt.status === 1 ? undefined : 'execution reverted');
    expect(await ask('debug_traceTransaction', hashAt(index))).toMatchObject({
      gas: Number(receipt.gasUsed),
      failed: receipt.status === 0,
    });
  }
});

test('a transaction sees what those before it in the block have done', async () => {
  const trace = await ask('debug_traceTransaction', hashAt(3), {
    tracer: 'prestateTracer',
    tracerConfig: { diffMode: true },
  });
  expect(trace).toMatchObject({
    pre: { [contract]: { storage: { [toWord(0n)]: toWord(5n) } } },
    post: { [contract]: { storage: { [toWord(0n)]: toWord(12n) } } },
  });
});

test('a block is traced as its transactions are', async () => {
  const options = { tracer: 'callTracer' };
  const single = [];
  for (const { hash } of block.block.transactions)
    single.push({ txHash: hash, result: await ask('debug_traceTransaction', hash, options) });
  expect(await ask('debug_traceBlockByNumber', '0x2', options)).toEqual(single);
  expect(await ask('debug_traceBlockByHash', block.block.hash, options)).toEqual(single);
  expect(await ask('debug_traceBlockByNumber', 'latest', options)).toEqual([]);
});

test('a call is traced on any state, with overrides', async () => {
  const request = { to: contract, input: toWord(1n) };
  const sload = async (...rest: readonly unknown[]) => {
    const { structLogs } = Object(await ask('debug_traceCall', request, ...rest));
    return structLogs.find(({ op }: { op: string }) => op === 'SLOAD').storage[toWord(0n)];
  };
  expect(await sload('latest')).toBe(toWord(12n));
  expect(await sload('0x1')).toBe(toWord(0n));
  const overrides = { stateOverrides: { [contract]: { stateDiff: { [toWord(0n)]: toWord(99n) } } } };
  expect(await sload('latest', overrides)).toBe(toWord(99n));
});

test.each([
  ['debug_traceTransaction', [toWord(1n)], -32_000, 'transaction not found'],
  ['debug_traceBlockByNumber', ['0x0'], -32_000, 'genesis is not traceable'],
  ['debug_traceBlockByNumber', ['0xff'], -32_000, 'block #255 not found'],
  ['debug_traceBlockByNumber', ['pending'], -32_000, 'tracing on top of pending is not supported'],
  ['debug_traceBlockByHash', [toWord(1n)], -32_000, `block ${toWord(1n)} not found`],
  [
    'debug_traceTransaction',
    [toWord(1n), { tracer: 'stepTracer' }],
    -32_602,
    'invalid argument 1: tracer: expected one of callTracer',
  ],
  [
    'debug_traceTransaction',
    [toWord(1n), { timeout: 'long' }],
    -32_602,
    'invalid argument 1: timeout: expected a time',
  ],
  ['debug_getRawHeader', ['0xff'], -32_000, 'header #255 not found'],
])('%s refuses what it cannot answer', async (name, params, number, message) => {
  await expect(ask(name, ...params)).rejects.toMatchObject({
    code: number,
    rpcMessage: expect.stringContaining(message),
  });
});

test('a trace has the time that was asked for', async () => {
  const forever = code('jumpdest', 0, 'jump');
  const overrides = { timeout: '30ms', stateOverrides: { [contract]: { code: forever } } };
  await expect(ask('debug_traceCall', { to: contract }, 'latest', { ...overrides, limit: 3 })).rejects.toMatchObject({
    rpcMessage: 'execution aborted (timeout = 0.03s)',
  });
});

test('shows blocks, headers, receipts and transactions byte by byte', async () => {
  const header = await bytesFrom('debug_getRawHeader', '0x2');
  expect(keccakHex(header)).toBe(block.block.hash);
  expect(decodeHeader(header)).toEqual(block.block.header);
  const whole = await bytesFrom('debug_getRawBlock', block.block.hash);
  expect(whole).toHaveLength(block.block.size);
  expect(bytesToHex(whole)).toContain(bytesToHex(header).slice(2));
  expect(await ask('debug_getRawReceipts', '0x2')).toHaveLength(4);
  expect(await ask('debug_getRawTransaction', hashAt(1))).toBe(
    bytesToHex(block.block.transactions[1]?.raw ?? new Uint8Array()),
  );
  expect(await ask('debug_getRawTransaction', toWord(1n))).toBeNull();
});
