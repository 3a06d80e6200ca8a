import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { beforeAll, expect, test } from 'vitest';
import type { NewBlock } from '../../chain/store.ts';
import { DEV_ACCOUNTS } from '../../genesis/development-accounts.ts';
import { type CallChain, callChain } from '../../rpc/call/testing.ts';
import { testDeposit } from '../../testing.ts';
import { explorerMethods } from '../methods.ts';

/** An account that a contract pays. */
const HEIR: Address = `0x${'4e'.repeat(20)}`;
/** Sends 3 wei to HEIR; makes a contract of one byte; logs `Transfer(caller, HEIR, 9)`. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const BUSY = code(
  ...[0, 0, 0, 0, 3, HEIR, 50_000, 'call', 'pop'],
  ...[deploying('0x00'), 0, 'mstore', 13, 19, 0, 'create', 'pop'],
  ...[9, 0, 'mstore', HEIR, { raw: '0x33' } as const, TRANSFER, 32, 0, { raw: '0xa3' } as const, 'stop'],
);
const REVERTS = code(0xbad, 0, 'mstore', 32, 0, 'revert');

let chain: CallChain;
let methods: ReturnType<typeof explorerMethods>;
let block: NewBlock;
let busy: Address;
const ask = (name: string, ...params: readonly unknown[]) => chain.ask(methods, name, ...params);
const hashAt = (index: number) => block.block.transactions[index]?.hash;

beforeAll(async () => {
  chain = await callChain();
  const { test: node, simulator, index } = chain;
  methods = explorerMethods({ simulator, index });
  const [alice, bob] = [node.account(0), node.account(1)];
  const deployed = await node.sequence([
    alice.deploy(hexToBytes(deploying(BUSY))),
    alice.deploy(hexToBytes(deploying(REVERTS))),
  ]);
  busy = deployed.receipts[0]?.contractAddress ?? '0x';
  const reverts = deployed.receipts[1]?.contractAddress ?? '0x';
  block = await node.sequence([
    bob.call(busy, hexToBytes('0x11223344556677'), { value: 5n }),
    bob.call(reverts, new Uint8Array()),
    bob.transfer(HEIR, 1n),
    testDeposit(HEIR, 2n),
  ]);
  for (let more = 0; more < 5; more += 1) await node.sequence([bob.transfer(HEIR, 1n), bob.transfer(HEIR, 2n)]);
});

test('answers what Otterscan asks when it starts', async () => {
  expect(await ask('erigon_getHeaderByNumber', 'latest')).toMatchObject({
    number: '0x7',
    hash: chain.test.chain.findHash(7n),
  });
  expect(await ask('ots_getApiLevel')).toBe(8);
});

test('the page of a block', async () => {
  const details = await ask('ots_getBlockDetails', '0x2');
  const fees = block.receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
  expect(details).toMatchObject({
    block: {
      number: '0x2',
      hash: block.block.hash,
      transactionCount: 3,
      logsBloom: null,
      withdrawals: [{ address: HEIR }],
    },
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: `0x${fees.toString(16)}`,
  });
  expect(Object(details).block).not.toHaveProperty('transactions');
  expect(await ask('ots_getBlockDetailsByHash', block.block.hash)).toEqual(details);
  expect(await ask('ots_getBlockDetails', '0xff')).toBeNull();
});

test("the page of a block's transactions, from its end", async () => {
  const page = async (number: number, size: number) => {
    const { fullblock, receipts } = Object(await ask('ots_getBlockTransactions', '0x2', number, size));
    expect(receipts.map(({ transactionHash }: { transactionHash: string }) => transactionHash)).toEqual(
      fullblock.transactions.map(({ hash }: { hash: string }) => hash),
    );
    return fullblock.transactions.map(({ hash }: { hash: string }) => hash);
  };
  expect(await page(0, 2)).toEqual([hashAt(1), hashAt(2)]);
  expect(await page(1, 2)).toEqual([hashAt(0)]);
  expect(await page(2, 2)).toEqual([]);
  const { fullblock, receipts } = Object(await ask('ots_getBlockTransactions', '0x2', 0, 25));
  expect(fullblock).toMatchObject({ transactionCount: 3, logsBloom: null });
  expect(fullblock.transactions[0].input).toBe('0x11223344');
  expect(receipts[0]).toMatchObject({ logs: null, logsBloom: null, status: '0x1' });
});

test('the page of a transaction', async () => {
  expect(await ask('ots_traceTransaction', hashAt(0))).toMatchObject([
    { type: 'CALL', depth: 0, to: busy, value: '0x5', input: '0x11223344556677' },
    { type: 'CALL', depth: 1, from: busy, to: HEIR, value: '0x3', input: '0x', output: '0x' },
    { type: 'CREATE', depth: 1, from: busy, value: '0x0', input: deploying('0x00'), output: '0x00' },
  ]);
  const operations = await ask('ots_getInternalOperations', hashAt(0));
  expect(operations).toMatchObject([
    { type: 0, from: busy, to: HEIR, value: '0x3' },
    { type: 2, from: busy, value: '0x0' },
  ]);
  expect(await ask('ots_getInternalOperations', hashAt(2))).toEqual([]);
  expect(await ask('ots_getTransactionError', hashAt(0))).toBe('0x');
  expect(await ask('ots_getTransactionError', hashAt(1))).toBe(toWord(0xbadn));
});

test('the page of an address: what it is, who made it, its transactions by nonce', async () => {
  const [alice, bob] = [chain.test.account(0), chain.test.account(1)];
  expect(await ask('ots_hasCode', busy, 'latest')).toBe(true);
  expect(await ask('ots_hasCode', busy, '0x0')).toBe(false);
  expect(await ask('ots_hasCode', bob.address, 'latest')).toBe(false);
  expect(await ask('ots_getContractCreator', busy)).toEqual({
    hash: chain.test.chain.block(1n)?.transactions[0]?.hash,
    creator: alice.address,
  });
  expect(await ask('ots_getContractCreator', bob.address)).toBeNull();
  const [, made] = Object(await ask('ots_getInternalOperations', hashAt(0)));
  expect(await ask('ots_getContractCreator', made.to)).toEqual({ hash: hashAt(0), creator: busy });
  expect(await ask('ots_getTransactionBySenderAndNonce', bob.address, 2)).toBe(hashAt(2));
  expect(await ask('ots_getTransactionBySenderAndNonce', bob.address, 999)).toBeNull();
});

test('pages through the transactions of an address, in whole blocks, from either end', async () => {
  const search = async (name: string, number: number | string, size: number) => {
    const { txs, receipts, ...rest } = Object(await ask(name, HEIR, number, size));
    expect(receipts).toHaveLength(txs.length);
    for (const receipt of receipts) expect(receipt).toMatchObject({ timestamp: expect.stringMatching(/^0x/) });
    return { blocks: txs.map(({ blockNumber }: { blockNumber: string }) => Number(blockNumber)), ...rest };
  };
  const before = 'ots_searchTransactionsBefore';
  const after = 'ots_searchTransactionsAfter';
  expect(await search(before, 0, 3)).toEqual({ blocks: [7, 7, 6, 6], firstPage: true, lastPage: false });
  expect(await search(before, 6, 3)).toEqual({ blocks: [5, 5, 4, 4], firstPage: false, lastPage: false });
  // In block 2 one transaction is a transfer and one a contract's.
  expect(await search(before, 4, 9)).toEqual({ blocks: [3, 3, 2, 2], firstPage: false, lastPage: true });
  expect(await search(after, 0, 3)).toEqual({ blocks: [3, 3, 2, 2], firstPage: false, lastPage: true });
  expect(await search(after, 3, 3)).toEqual({ blocks: [5, 5, 4, 4], firstPage: false, lastPage: false });
  expect(await search(after, 5, 9)).toEqual({ blocks: [7, 7, 6, 6], firstPage: true, lastPage: false });
  expect(await ask(before, `0x${'66'.repeat(20)}`, 0, 25)).toEqual({
    txs: [],
    receipts: [],
    firstPage: true,
    lastPage: true,
  });
});

test('what an address did, page by page', async () => {
  const rolesSeen: string[] = [];
  let cursor: string | undefined;
  do {
    const options = { limit: 4, ...(cursor === undefined ? {} : { cursor }) };
    const { transactions, next } = Object(await ask('switchyard_getTransactionsByAddress', HEIR, options));
    rolesSeen.push(
      ...transactions.map(
        ({ roles, transaction }: { roles: string[]; transaction: { blockNumber: string } }) =>
          `${Number(transaction.blockNumber)} ${roles.join()}`,
      ),
    );
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  expect(rolesSeen).toEqual([7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2].map((number) => `${number} to`).concat('2 internal'));
  const oldest = await ask('switchyard_getTransactionsByAddress', busy, { oldestFirst: true });
  expect(oldest).toMatchObject({
    transactions: [{ roles: ['created'] }, { roles: ['to', 'internal'], status: '0x1' }],
    next: null,
  });
});

test('transfers, withdrawals and internal calls of an address', async () => {
  const bob = chain.test.account(1).address;
  expect(await ask('switchyard_getTransfersByAddress', HEIR)).toEqual({
    transfers: [
      {
        blockNumber: '0x2',
        blockTimestamp: `0x${block.block.header.timestamp.toString(16)}`,
        logIndex: '0x0',
        transactionHash: hashAt(0),
        standard: 'erc20',
        token: busy,
        from: bob,
        to: HEIR,
        amount: '0x9',
      },
    ],
    next: null,
  });
  expect(await ask('switchyard_getWithdrawalsByAddress', HEIR)).toMatchObject({
    withdrawals: [{ blockNumber: '0x2', index: '0x0', address: HEIR, amount: '0x2' }],
  });
  expect(await ask('switchyard_getInternalCalls', hashAt(0))).toMatchObject([
    { kind: 'call', from: busy, to: HEIR, value: '0x3', depth: 1 },
    { kind: 'create', from: busy, value: '0x0', depth: 1 },
  ]);
  await expect(ask('switchyard_getTransfersByAddress', HEIR, { cursor: 'x' })).rejects.toMatchObject({ code: -32_602 });
});

test('lists frames as OpenEthereum did', async () => {
  const traces = await ask('trace_transaction', hashAt(0));
  expect(traces).toMatchObject([
    {
      type: 'call',
      action: { callType: 'call', to: busy, value: '0x5' },
      subtraces: 2,
      traceAddress: [],
      blockNumber: 2,
      transactionPosition: 0,
    },
    {
      type: 'call',
      action: { callType: 'call', to: HEIR, value: '0x3' },
      result: { output: '0x' },
      subtraces: 0,
      traceAddress: [0],
    },
    { type: 'create', action: { init: deploying('0x00') }, result: { code: '0x00' }, traceAddress: [1] },
  ]);
  expect(await ask('trace_replayTransaction', hashAt(1), ['trace'])).toMatchObject({
    output: toWord(0xbadn),
    trace: [{ error: 'Reverted', result: { output: toWord(0xbadn) } }],
  });
  const whole = Object(await ask('trace_block', '0x2'));
  expect(whole.slice(0, 3)).toEqual(traces);
  expect(whole).toHaveLength(5);
  expect(await ask('trace_replayBlockTransactions', '0x2', ['trace'])).toHaveLength(3);
  expect(await ask('trace_replayTransaction', hashAt(0), ['stateDiff', 'vmTrace'])).toMatchObject({
    output: '0x',
    trace: [],
    stateDiff: { [HEIR]: { balance: { '+': '0x3' } }, [busy]: { code: '=' } },
    vmTrace: { ops: expect.any(Array) },
  });
  const from = DEV_ACCOUNTS[1]?.address;
  const called = await ask('trace_call', { from, to: HEIR, value: '0x7' }, ['trace', 'stateDiff'], '0x2');
  expect(called).toMatchObject({
    output: '0x',
    trace: [{ type: 'call', action: { from, to: HEIR, value: '0x7' }, traceAddress: [] }],
    stateDiff: { [HEIR]: { balance: { '*': { from: expect.any(String), to: expect.any(String) } } } },
    vmTrace: null,
  });
  await expect(ask('trace_call', { to: HEIR }, ['more'])).rejects.toMatchObject({ code: -32_602 });
  await expect(ask('trace_replayTransaction', hashAt(0), ['more'])).rejects.toMatchObject({ code: -32_602 });
  expect(await ask('trace_block', '0x0')).toEqual([]);
});
