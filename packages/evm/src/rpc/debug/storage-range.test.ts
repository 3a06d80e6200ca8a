import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import { type CallChain, callChain } from '../call/testing.ts';
import { debugMethods } from './debug-methods.ts';

/** Keeps its second word in the slot of its first. */
const STORES = code(32, 'calldataload', 0, 'calldataload', 'sstore', 'stop');

/** Keccak-256 of the words 1, 2 and 3: where Solidity's dynamic arrays begin that are declared there. */
const HASHES: Readonly<Record<string, Hash>> = {
  1: '0xb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6',
  2: '0x405787fa12a823e0f2b7631cc41b3ba8828b3321ca811111fa75cd3aa3bb5ace',
  3: '0xc2575a0e9e593c00f959f8c92f12db2869c3395a3b0502d05e2516446f71f85b',
};

let chain: CallChain;
let methods: ReturnType<typeof debugMethods>;
let contract: Address;
const blocks: Hash[] = [];

beforeAll(async () => {
  chain = await callChain();
  const { test: node, simulator } = chain;
  methods = debugMethods({ simulator, pool: { get: () => undefined } });
  const [alice, bob] = [node.account(0), node.account(1)];
  const set = (slot: bigint, value: bigint) =>
    alice.call(contract, hexToBytes(`0x${toWord(slot).slice(2)}${toWord(value).slice(2)}`));
  const { receipts } = await node.sequence([alice.deploy(hexToBytes(deploying(STORES)))]);
  contract = receipts[0]?.contractAddress ?? '0x';
  for (const entries of [[set(1n, 5n), set(2n, 6n)], [set(1n, 0n), set(3n, 7n)], [bob.transfer(contract, 0n)], []])
    blocks.push((await node.sequence(entries)).block.hash);
});

const ask = (block: number, position: number, start: Hash = toWord(0n), limit = 100, item = contract) =>
  chain.ask(methods, 'debug_storageRangeAt', blocks[block], position, item, start, limit);

/** An answer with these slots. */
function range(values: Readonly<Record<string, bigint>>, nextKey: Hash | null = null) {
  const entries = Object.entries(values).map(([slot, value]) => [
    HASHES[slot],
    { key: toWord(BigInt(slot)), value: toWord(value) },
  ]);
  return { storage: Object.fromEntries(entries), nextKey };
}

test('shows the slots as they are before a transaction of a block', async () => {
  expect(await ask(0, 0)).toEqual({ storage: null, nextKey: null });
  expect(await ask(0, 1)).toEqual(range({ 1: 5n }));
  expect(await ask(1, 0)).toEqual(range({ 1: 5n, 2: 6n }));
  expect(await ask(1, 1)).toEqual(range({ 2: 6n }));
  expect(await ask(2, 0)).toEqual(range({ 2: 6n, 3: 7n }));
  expect(await ask(3, 0)).toEqual(range({ 2: 6n, 3: 7n }));
});

test('in the order of the hashes of the slots, in parts', async () => {
  expect(await ask(1, 0, toWord(0n), 1)).toEqual(range({ 2: 6n }, HASHES[1]));
  expect(await ask(1, 0, HASHES[1], 1)).toEqual(range({ 1: 5n }));
  expect(await ask(1, 0, HASHES[3], 1)).toEqual(range({}));
  expect(await ask(1, 0, toWord(0n), 0)).toEqual(range({}, HASHES[2]));
});

test('a contract of many slots is read in pieces, and every slot is found', async () => {
  const { test: node } = chain;
  // Counts down from 600 and keeps each number in its slot.
  const loop: Hash = '0x6102585b80805560019003806003575000';
  const { receipts } = await node.sequence([node.account(2).deploy(hexToBytes(deploying(loop)))]);
  const many = receipts[0]?.contractAddress ?? '0x';
  const filled = await node.sequence([node.account(2).call(many, new Uint8Array(), { gasLimit: 15_000_000n })]);
  expect(filled.receipts[0]).toMatchObject({ status: 1 });
  const { block } = await node.sequence([]);
  const read = async (start: Hash, limit: number) =>
    Object(await chain.ask(methods, 'debug_storageRangeAt', block.hash, 0, many, start, limit));
  const whole = await read(toWord(0n), 10_000);
  expect(Object.keys(whole.storage)).toHaveLength(600);
  expect(Object.keys(whole.storage)).toEqual(Object.keys(whole.storage).toSorted());
  const parts: Record<string, unknown> = {};
  for (let start: Hash | null = toWord(0n); start !== null; ) {
    const part: { readonly storage: Record<string, unknown>; readonly nextKey: Hash | null } = await read(start, 250);
    Object.assign(parts, part.storage);
    start = part.nextKey;
  }
  expect(parts).toEqual(whole.storage);
});

test('an account that never had a slot has none, and a transaction that is not there is refused', async () => {
  expect(await ask(1, 0, toWord(0n), 9, chain.test.account(3).address)).toEqual({ storage: null, nextKey: null });
  await expect(ask(1, 2)).rejects.toMatchObject({
    code: -32_000,
    rpcMessage: expect.stringContaining('index 2 out of'),
  });
  blocks.push(bytesToHex(new Uint8Array(32)));
  await expect(ask(blocks.length - 1, 0)).rejects.toMatchObject({
    code: -32_000,
    rpcMessage: expect.stringContaining('not found'),
  });
});
