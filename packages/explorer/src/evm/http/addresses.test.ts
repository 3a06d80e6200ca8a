import { type TestAccount, testDeposit } from '@switchyard/evm/testing';
import { checksummed } from '@switchyard/protocol/ethereum';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compiledTokens, type EvmExplorer, evmExplorer } from '../testing.ts';

const compiled = compiledTokens();
let explorer: EvmExplorer;
let alice: TestAccount;
let bob: TestAccount;
beforeEach(async () => {
  explorer = await evmExplorer();
  alice = explorer.chain.account(0);
  bob = explorer.chain.account(1);
});
afterEach(() => explorer.close());

const coin = () => compiled.Coin ?? expect.fail('no contract Coin');
const shown = (address: string) => checksummed(address.slice(2));
const HEIR = `0x${'4e'.repeat(20)}` as const;

/** Block 1: a coin; block 2: it pays 5 wei to HEIR; block 3: that fails; block 4: a deposit of 7 gwei to HEIR. */
async function paidThroughContract() {
  const { chain } = explorer;
  const deployed = await chain.sequence([alice.deploy(coin().creation(1_000n), { gasLimit: 5_000_000n })]);
  const contract = deployed.receipts[0]?.contractAddress ?? expect.fail('nothing was created');
  const pay = coin().call('pay(address)', HEIR);
  const paid = await chain.sequence([bob.call(contract, pay, { value: 5n })]);
  const failed = await chain.sequence([bob.call(contract, pay)]);
  await chain.sequence([testDeposit(HEIR, 7n)]);
  await explorer.indexed();
  const hash = (made: typeof paid) => made.block.transactions[0]?.hash ?? expect.fail('no transaction');
  return { contract, created: hash(deployed), paid: hash(paid), failed: hash(failed) };
}

test('an address has what it has now, who created it, and how often it took part', async () => {
  const { contract, created } = await paidThroughContract();
  const { api, asked: wanted } = explorer;
  await wanted();
  expect(await api(`/addresses/${contract}`)).toMatchObject({
    ...{ address: shown(contract), balance: '0', nonce: 1, isContract: true },
    ...{ creator: shown(alice.address), creationTransaction: created, token: { symbol: 'CO' } },
    ...{ transactions: 3, internalCalls: 1, tokenTransfers: 0, deposits: 0, firstBlock: 1, lastBlock: 3 },
  });
  expect(await api(`/addresses/${HEIR}`)).toMatchObject({
    ...{ balance: String(5n + 7n * 10n ** 9n), nonce: 0, isContract: false, creator: null, token: null },
    ...{ transactions: 0, internalCalls: 1, deposits: 1, firstBlock: 2, lastBlock: 4, problem: null },
  });
  const { items } = await api(`/addresses/${contract}/transactions`);
  expect(items.map(({ block, status }: { block: number; status: number }) => [block, status])).toEqual([
    [3, 0],
    [2, 1],
    [1, 1],
  ]);
  expect((await api(`/addresses/${HEIR}/deposits`)).items).toMatchObject([{ block: 4, amount: '7000000000' }]);
  expect((await api(`/addresses/${contract}/logs`)).items).toMatchObject([
    { block: 1, transaction: created, dataBytes: 32 },
  ]);
  // An account that never took part in anything is an address too.
  expect(await api(`/addresses/0x${'77'.repeat(20)}`)).toMatchObject({
    balance: '0',
    transactions: 0,
    firstBlock: null,
  });
});

test('balance and nonce over time are those after the blocks that touched the address', async () => {
  await paidThroughContract();
  const { api } = explorer;
  const points = async (address: string) =>
    (await api(`/addresses/${address}/history`)).points.map((point: Record<string, unknown>) => [
      point.block,
      point.balance,
      point.nonce,
    ]);
  expect(await points(HEIR)).toEqual([
    [2, '5', 0],
    [4, '7000000005', 0],
  ]);
  const nonces = (await points(bob.address)).map(([block, , nonce]: readonly unknown[]) => [block, nonce]);
  expect(nonces).toEqual([
    [2, 1],
    [3, 2],
  ]);
});

test('calls in a transaction are indexed where they move value, and traced in full on request', async () => {
  const { contract, paid } = await paidThroughContract();
  const { api } = explorer;
  expect((await api(`/addresses/${HEIR}/internal`)).items).toEqual([
    { block: 2, transaction: paid, type: 'CALL', depth: 1, from: shown(contract), to: shown(HEIR), value: '5' },
  ]);
  const { items, isCut } = await api(`/transactions/${paid}/internal`);
  expect([items, isCut]).toMatchObject([
    [{ path: [0], depth: 1, type: 'CALL', from: shown(contract), to: shown(HEIR), value: '5', error: null }],
    false,
  ]);
  const { calls } = await api(`/transactions/${paid}/trace`);
  expect(calls).toHaveLength(2);
  expect(calls[0]).toMatchObject({ path: [], from: shown(bob.address), to: shown(contract), inputBytes: 36 });
  expect(calls[1]).toEqual(items[0]);
});

test('a failed transaction has what it reverted with', async () => {
  const { failed, paid } = await paidThroughContract();
  const { api } = explorer;
  const reason = Buffer.from('nothing to pay').toString('hex');
  expect(await api(`/transactions/${failed}`)).toMatchObject({
    status: 0,
    revertReason: { message: 'execution reverted', data: expect.stringMatching(new RegExp(`^0x08c379a0.*${reason}`)) },
  });
  expect((await api(`/transactions/${paid}`)).revertReason).toBeNull();
});

test('while the node is away, pages have what the index has, and name what is missing', async () => {
  const { contract, failed } = await paidThroughContract();
  await explorer.disconnect();
  const { api, ask } = explorer;
  expect(await api(`/addresses/${contract}`)).toMatchObject({
    ...{ balance: null, nonce: null, isContract: true, transactions: 3 },
    problem: 'the node of this rollup does not answer; try again later',
  });
  expect(await api(`/transactions/${failed}`)).toMatchObject({
    status: 0,
    revertReason: null,
    problem: expect.any(String),
  });
  const answer = await ask(`/v1/rollups/test-evm/evm/transactions/${failed}/trace`);
  expect(answer.status).toBe(503);
});

test('charts add up what blocks have', async () => {
  await paidThroughContract();
  const { points } = await explorer.api('/charts?points=2&blocks=4');
  const blocks = (await explorer.api('/blocks')).items as { gasUsed: number; transactions: number; baseFee: string }[];
  const sum = (item: (block: (typeof blocks)[number]) => number) => blocks.reduce((all, each) => all + item(each), 0);
  const charted = (name: string) =>
    points.reduce((all: number, each: Record<string, number>) => all + (each[name] ?? 0), 0);
  // The first of the blocks is in a point that is not among the newest two.
  expect(charted('blocks')).toBe(3);
  expect(charted('gasUsed')).toBe(sum(({ gasUsed }) => gasUsed) - (blocks.at(-1)?.gasUsed ?? 0));
  expect(charted('transactions')).toBe(sum(({ transactions }) => transactions) - 1);
  expect(points.at(-1)).toMatchObject({ block: 4, baseFee: blocks[0]?.baseFee });
});
