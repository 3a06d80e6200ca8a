import { Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileToken, devAddress, devKey } from '../support/evm.ts';
import { createNetwork, type Network } from '../support/network.ts';

/*
 * Otterscan asks over ethers, which batches the concurrent queries of a page. Here are its pages' questions, from
 * its sources (v2), and what it reads in the answers.
 */

let network: Network;
let provider: JsonRpcProvider;
/** Transactions: the token's deployment and one transfer. */
let made: { hash: string; token: string; block: number };
let moved: { hash: string; block: number };
const [owner, other] = [devAddress(0), devAddress(1)];

beforeAll(async () => {
  network = await createNetwork({ init: ['--template', 'evm'], isBare: true, hasProcesses: false });
  const [{ abi, bytecode }] = await Promise.all([compileToken(), network.start()]);
  // A nonce that ethers remembers for a quarter of a second is used twice if a block takes less.
  provider = new JsonRpcProvider(network.url('evm'), undefined, { pollingInterval: 50, cacheTimeout: -1 });
  const signer = new Wallet(devKey(0), provider);
  const deployed = await new ContractFactory(abi, bytecode, signer).deploy('Coin', 'CN', 1_000n);
  const deployment = await deployed.deploymentTransaction()?.wait();
  const token = await deployed.getAddress();
  const transfer = await new Contract(token, abi, signer).getFunction('transfer')(other, 7n);
  const receipt = await transfer.wait();
  if (!deployment || !receipt) throw new Error('a transaction went lost');
  made = { hash: deployment.hash, token: token.toLowerCase(), block: deployment.blockNumber };
  moved = { hash: receipt.hash, block: receipt.blockNumber };
});

afterAll(async () => {
  provider?.destroy();
  await network?.dispose();
});

/** Sends the queries that a page sends at once. */
async function page(...wanted: readonly (readonly [method: string, ...params: unknown[]])[]): Promise<unknown[]> {
  return await Promise.all(wanted.map(([method, ...params]) => provider.send(method, params)));
}

test('at its start it finds a node that it takes', async () => {
  // One after the other: the probes stop at the first that fails.
  const [latest] = await page(['eth_blockNumber']);
  expect(Number(latest)).toBeGreaterThanOrEqual(moved.block);
  expect(await page(['erigon_getHeaderByNumber', '0x1'], ['ots_getApiLevel'])).toMatchObject([{ number: '0x1' }, 8]);
  expect(await page(['eth_chainId'])).toEqual(['0x539']);
});

test('the pages of a block', async () => {
  const number = `0x${moved.block.toString(16)}`;
  const [details, list] = await page(
    ['ots_getBlockDetails', moved.block],
    ['ots_getBlockTransactions', moved.block, 0, 25],
  );
  expect(details).toMatchObject({
    block: { number, transactionCount: 1, logsBloom: null },
    totalFees: expect.stringMatching(/^0x[1-9a-f]/),
  });
  expect(list).toMatchObject({
    fullblock: { number, transactions: [{ hash: moved.hash, from: owner.toLowerCase() }] },
    receipts: [{ transactionHash: moved.hash, status: '0x1', logs: null }],
  });
  const { hash } = Object(details).block;
  expect(await page(['ots_getBlockDetailsByHash', hash])).toEqual([details]);
});

test('the pages of a transaction', async () => {
  const answers = await page(
    ['eth_getTransactionByHash', moved.hash],
    ['eth_getTransactionReceipt', moved.hash],
    ['ots_getInternalOperations', moved.hash],
    ['ots_traceTransaction', moved.hash],
    ['ots_getTransactionError', moved.hash],
    ['eth_getBlockByNumber', `0x${moved.block.toString(16)}`, false],
  );
  expect(answers).toMatchObject([
    { hash: moved.hash, to: made.token },
    { transactionHash: moved.hash, logs: [{ address: made.token }] },
    [],
    [{ type: 'CALL', depth: 0, from: owner.toLowerCase(), to: made.token, value: '0x0' }],
    '0x',
    { transactions: [moved.hash] },
  ]);
});

test('the pages of an address', async () => {
  const answers = await page(
    ['eth_getBalance', made.token, 'latest'],
    ['ots_hasCode', made.token, 'latest'],
    ['eth_getCode', made.token, 'latest'],
    ['ots_getContractCreator', made.token],
    ['ots_searchTransactionsBefore', made.token, 0, 25],
    ['ots_searchTransactionsAfter', owner, 0, 25],
  );
  const both = {
    txs: [{ hash: moved.hash }, { hash: made.hash }],
    receipts: [{ transactionHash: moved.hash }, { transactionHash: made.hash, timestamp: expect.anything() }],
    firstPage: true,
    lastPage: true,
  };
  expect(answers).toMatchObject([
    '0x0',
    true,
    expect.stringMatching(/^0x6080/),
    { hash: made.hash, creator: owner.toLowerCase() },
    both,
    both,
  ]);
  expect(await page(['ots_getTransactionBySenderAndNonce', owner, 1], ['ots_hasCode', owner, 'latest'])).toEqual([
    moved.hash,
    false,
  ]);
});
