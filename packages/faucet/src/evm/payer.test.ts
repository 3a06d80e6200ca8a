import { fromHex } from '@switchyard/protocol';
import { JsonRpcError } from '@switchyard/service';
import { Transaction } from 'ethers/transaction';
import { describe, expect, test } from 'vitest';
import { evmNode } from './node.ts';
import { evmPayer } from './payer.ts';

// The first development account of anvil and Hardhat: everybody has this key.
const KEY = fromHex('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const ACCOUNT = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const BOB = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const { signal } = new AbortController();
const GWEI = 1_000_000_000n;

const decoded = (hex: string) => Transaction.from(`0x${hex}`);

type Answers = Readonly<Record<string, unknown>>;

const STANDARD: Answers = {
  eth_chainId: '0x539',
  eth_getBlockByNumber: { hash: '0xabc', baseFeePerGas: '0x3b9aca00' },
  eth_getTransactionCount: '0x7',
  eth_getBalance: '0xde0b6b3a7640000',
  eth_maxPriorityFeePerGas: '0x1',
  eth_estimateGas: '0x5208',
};

function payer(answers: Answers = {}, findRollup?: () => Promise<string>) {
  const all = { ...STANDARD, ...answers };
  const calls: unknown[] = [];
  const call = async (method: string, params: object): Promise<unknown> => {
    calls.push([method, params]);
    const answer = all[method];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(evmPayer(KEY, evmNode({ call }), findRollup), { calls });
}

test('its account is that of the key', () => {
  expect(payer().account).toBe(ACCOUNT);
});

test('tells chain, nonce, balance and what a payment costs at most', async () => {
  expect(await payer().funds(signal)).toEqual({
    chain: '1337 0xabc',
    chainId: '1337',
    nonce: 7,
    balance: 10n ** 18n,
    fee: 21_000n * (2n * GWEI + 1n),
  });
});

test('asks for the name of the rollup until it has one, and works without', async () => {
  const answers = ['no answer', 'evm'];
  const wanted: string[] = [];
  const paying = payer({}, async () => {
    const name = answers[wanted.length] ?? 'asked too often';
    wanted.push(name);
    if (name !== 'evm') throw new Error(name);
    return name;
  });
  const names = [await paying.funds(signal), await paying.funds(signal), await paying.funds(signal)];
  expect(names.map(({ rollup }) => rollup)).toEqual([undefined, 'evm', 'evm']);
  expect(wanted).toEqual(answers);
});

test('signs a fee-market transaction of the requested payment', async () => {
  const signed = await payer().sign({ to: BOB, amount: 5n * 10n ** 17n, nonce: 7 }, signal);
  const transaction = decoded(signed.bytes);
  expect(transaction).toMatchObject({
    type: 2,
    chainId: 1337n,
    nonce: 7,
    from: ACCOUNT,
    to: BOB,
    value: 5n * 10n ** 17n,
    gasLimit: 21_000n,
    maxFeePerGas: 2n * GWEI + 1n,
    maxPriorityFeePerGas: 1n,
  });
  expect(signed).toMatchObject({ cost: 5n * 10n ** 17n + 21_000n * (2n * GWEI + 1n) });
  expect(signed.hash).toBe(transaction.hash);
});

// Defect: Faucet of an EVM rollup rounded chain ids above 2^53
test('signs for any chain id of 64 bits', async () => {
  const paying = payer({ eth_chainId: '0xffffffffffffffff' });
  expect((await paying.funds(signal)).chainId).toBe('18446744073709551615');
  const { bytes } = await paying.sign({ to: BOB, amount: 1n, nonce: 0 }, signal);
  expect(decoded(bytes)).toMatchObject({ chainId: (1n << 64n) - 1n, from: ACCOUNT });
});

test('gives code at the recipient a quarter more gas than estimated', async () => {
  const { bytes } = await payer({ eth_estimateGas: '0xc350' }).sign({ to: BOB, amount: 1n, nonce: 0 }, signal);
  expect(decoded(bytes).gasLimit).toBe(62_500n);
});

test.each([
  [
    'refuses',
    new JsonRpcError(3, 'execution reverted: no'),
    'the code of the recipient refuses the payment: execution reverted: no',
  ],
  ['costs too much', '0x55731', 'the code of the recipient needs 350001 gas, and the faucet pays for at most 350000'],
])('a recipient whose code %s is not paid', async (_, answer, message) => {
  const signing = payer({ eth_estimateGas: answer }).sign({ to: BOB, amount: 1n, nonce: 0 }, signal);
  await expect(signing).rejects.toMatchObject({ name: 'Unpayable', message });
});

test('what the node cannot tell is no reason to refuse anybody', async () => {
  const answer = new JsonRpcError(-32_000, 'header not found');
  const signing = payer({ eth_estimateGas: answer }).sign({ to: BOB, amount: 1n, nonce: 0 }, signal);
  await expect(signing).rejects.toBe(answer);
});

test('a node without an opinion on tips is given none', async () => {
  const eth_maxPriorityFeePerGas = new JsonRpcError(-32_601, 'the method does not exist');
  expect((await payer({ eth_maxPriorityFeePerGas }).funds(signal)).fee).toBe(21_000n * 2n * GWEI);
});

describe('sending', () => {
  const payment = { hash: '0xaa', bytes: 'bb', cost: 1n };

  test.each([
    ['takes it', '0xaa', { kind: 'held' }],
    ['has it', new JsonRpcError(-32_000, 'already known'), { kind: 'held' }],
    [
      'finds the fee too low',
      new JsonRpcError(-32_000, 'max fee per gas less than block base fee'),
      { kind: 'sign-again' },
    ],
    ['does not want it now', new JsonRpcError(-32_000, 'txpool is full'), { kind: 'later', reason: 'txpool is full' }],
  ])('a node that %s', async (_, answer, expected) => {
    expect(await payer({ eth_sendRawTransaction: answer }).send(payment, signal)).toMatchObject(expected);
  });

  test('no answer is no answer', async () => {
    const sending = payer({ eth_sendRawTransaction: new Error('no answer') }).send(payment, signal);
    await expect(sending).rejects.toThrow('no answer');
  });

  test.each([
    ['in a block', { status: '0x1', blockNumber: '0xc' }, { kind: 'paid', hash: '0xaa', block: 12n }],
    ['without success', { status: '0x0', blockNumber: '0xc' }, { kind: 'failed', hash: '0xaa' }],
    ['nowhere', null, { kind: 'unknown' }],
  ])('a payment that is %s', async (_, answer, expected) => {
    expect(await payer({ eth_getTransactionReceipt: answer }).outcome([payment], 0, signal)).toMatchObject(expected);
  });
});

test.each([
  ['eth_getBalance', 5, 'eth_getBalance: expected a number in hex such as 0x1, got 5'],
  ['eth_chainId', null, 'eth_chainId: expected a number in hex such as 0x1, got null'],
  ['eth_getBlockByNumber', 'x', 'eth_getBlockByNumber: expected an object, got "x"'],
])('an invalid answer to %s is reported', async (method, answer, message) => {
  await expect(payer({ [method]: answer }).funds(signal)).rejects.toThrow(message);
});
