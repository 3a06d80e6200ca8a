import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import { type CallChain, callChain } from '../../rpc/call/testing.ts';
import { explorerMethods } from '../methods.ts';
import { MAX_FILTERED_BLOCKS } from './trace-filter.ts';

const HEIR: Address = `0x${'4e'.repeat(20)}`;
/** Sends 3 wei to HEIR, and makes a contract of one byte. */
const BUSY = code(
  ...[0, 0, 0, 0, 3, HEIR, 50_000, 'call', 'pop'],
  ...[deploying('0x00'), 0, 'mstore', 13, 19, 0, 'create', 'pop', 'stop'],
);
/** Keeps its first word in slot 1; returns its old value. */
const KEEPS = code(1, 'sload', 0, 'mstore', 0, 'calldataload', 1, 'sstore', 32, 0, 'return');

let chain: CallChain;
let methods: ReturnType<typeof explorerMethods>;
let busy: Address;
let keeps: Address;
const ask = (name: string, ...params: readonly unknown[]) => chain.ask(methods, name, ...params);
const address = (index: number): Address => chain.test.account(index).address;

beforeAll(async () => {
  chain = await callChain();
  const { test: node, simulator, index } = chain;
  methods = explorerMethods({ simulator, index });
  const [alice, bob] = [node.account(0), node.account(1)];
  const { receipts } = await node.sequence([
    alice.deploy(hexToBytes(deploying(BUSY))),
    alice.deploy(hexToBytes(deploying(KEEPS))),
  ]);
  [busy = '0x', keeps = '0x'] = receipts.map(({ contractAddress }) => contractAddress ?? '0x');
  await node.sequence([bob.call(busy, new Uint8Array(), { value: 5n }), bob.transfer(HEIR, 1n)]);
  await node.sequence([]);
  await node.sequence([bob.transfer(HEIR, 2n), alice.transfer(HEIR, 4n)]);
});

/** Block, position and trace address of each. */
async function found(filter: object): Promise<readonly string[]> {
  const traces = await ask('trace_filter', filter);
  if (!Array.isArray(traces)) throw new Error('not a list');
  return traces.map(
    ({ blockNumber, transactionPosition, traceAddress }) => `${blockNumber}/${transactionPosition} ${traceAddress}`,
  );
}

test('finds traces by who called and who was called, at any depth, in order', async () => {
  const all = ['1/0 ', '1/1 ', '2/0 ', '2/0 0', '2/0 1', '2/1 ', '4/0 ', '4/1 '];
  expect(await found({})).toEqual(all);
  expect(await found({ fromBlock: '0x2', toBlock: '0x3' })).toEqual(all.slice(2, 6));
  expect(await found({ fromBlock: 'latest' })).toEqual(all.slice(6));
  expect(await found({ toAddress: [HEIR] })).toEqual(['2/0 0', '2/1 ', '4/0 ', '4/1 ']);
  expect(await found({ fromAddress: [busy] })).toEqual(['2/0 0', '2/0 1']);
  // The recipient of a creation is the contract.
  expect(await found({ toAddress: [busy, keeps] })).toEqual(['1/0 ', '1/1 ', '2/0 ']);
  const both = { fromAddress: [busy, address(0)], toAddress: [HEIR] };
  expect(await found(both)).toEqual(['1/0 ', '1/1 ', '2/0 0', '2/0 1', '2/1 ', '4/0 ', '4/1 ']);
  expect(await found({ ...both, mode: 'intersection' })).toEqual(['2/0 0', '4/1 ']);
  expect(await found({ after: 2, count: 3 })).toEqual(all.slice(2, 5));
  expect(await found({ after: 7 })).toEqual(all.slice(7));
  expect(await found({ count: 0 })).toEqual([]);
});

test('shows each with its place, as trace_block does', async () => {
  expect(await ask('trace_filter', { fromBlock: '0x2', toBlock: '0x2' })).toEqual(await ask('trace_block', '0x2'));
});

test.each([
  ['blocks in the wrong order', { fromBlock: '0x3', toBlock: '0x2' }, 'fromBlock 3 is after toBlock 2'],
  ['a block that is not there', { toBlock: '0xff' }, 'block 255 is not there: the latest is 4'],
  ['another mode', { mode: 'xor' }, 'mode: expected one of union, intersection, got "xor"'],
  ['what is no address', { fromAddress: ['0x1'] }, 'fromAddress[0]: expected an address of 20 bytes'],
])('refuses %s', async (_, filter, message) => {
  await expect(found(filter)).rejects.toMatchObject({ code: -32_602, rpcMessage: expect.stringContaining(message) });
});

test('refuses more blocks than it may look at, before it looks at one', async () => {
  for (let more = 0n; more < MAX_FILTERED_BLOCKS; more += 1n) await chain.test.sequence([]);
  await expect(found({})).rejects.toMatchObject({
    code: -32_602,
    rpcMessage: `blocks 0 to 1004 are more than 1000, which is the most: ask for fewer at a time`,
  });
  expect(await found({ fromBlock: '0x5' })).toEqual([]);
});

test('calls of trace_callMany follow each other, and leave nothing behind', async () => {
  const set = (value: bigint) => ({ from: address(0), to: keeps, input: toWord(value) });
  const change = (from: bigint, to: bigint) => ({
    [keeps]: { storage: { [toWord(1n)]: { '*': { from: toWord(from), to: toWord(to) } } } },
  });
  const answer = await ask('trace_callMany', [
    [set(5n), ['trace']],
    [set(6n), ['stateDiff']],
    [set(7n), ['stateDiff', 'trace', 'vmTrace']],
    [{ from: address(0), to: HEIR, value: '0x7' }, []],
  ]);
  expect(answer).toMatchObject([
    { output: toWord(0n), trace: [{ type: 'call' }], stateDiff: null, vmTrace: null },
    { output: toWord(5n), trace: [], stateDiff: change(5n, 6n) },
    { output: toWord(6n), trace: [{ type: 'call' }], stateDiff: change(6n, 7n), vmTrace: { ops: expect.any(Array) } },
    { output: '0x', trace: [], stateDiff: null, vmTrace: null },
  ]);
  // Its traces of a single call are those of `trace_call`.
  expect(await ask('trace_callMany', [[set(5n), ['trace', 'stateDiff', 'vmTrace']]])).toEqual([
    await ask('trace_call', set(5n), ['trace', 'stateDiff', 'vmTrace']),
  ]);
  await expect(ask('trace_callMany', [[set(1n)]])).rejects.toMatchObject({ code: -32_602 });
  await expect(ask('trace_callMany', [[set(1n), ['more']]])).rejects.toMatchObject({ code: -32_602 });
  const poor = { from: HEIR, to: keeps, value: toWord(1n << 200n).replace(/^0x0+/, '0x') };
  await expect(ask('trace_callMany', [[poor, []]])).rejects.toMatchObject({
    rpcMessage: expect.stringContaining('insufficient funds'),
  });
});

test('a block is replayed with all kinds of traces', async () => {
  const answer = await ask('trace_replayBlockTransactions', '0x4', ['stateDiff', 'trace']);
  expect(answer).toMatchObject([
    { stateDiff: { [HEIR]: { balance: { '*': { from: '0x4', to: '0x6' } } } }, trace: [{ type: 'call' }] },
    { stateDiff: { [HEIR]: { balance: { '*': { from: '0x6', to: '0xa' } } } }, vmTrace: null },
  ]);
});
