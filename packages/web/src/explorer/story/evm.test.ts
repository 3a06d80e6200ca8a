import { expect, test } from 'vitest';
import { evmSentence } from './evm.ts';
import type { Part } from './sentence.ts';

const read = (parts: readonly Part[]) =>
  parts.map((part) => (typeof part === 'string' || part.kind === 'paid' ? part : part.text)).join('');

const FACTS = {
  ...{ from: '0xa', to: '0xb', created: null, value: '0', status: 1 },
  ...{ inputBytes: 0, method: null, selector: null, tokenTransfers: [] },
};
const ZERO = `0x${'0'.repeat(40)}`;
const transfer = (from: string, to: string, id: string | null = null) => ({
  ...{ block: 1, time: '', transaction: '', logIndex: 0, item: 0, from, to, id, amount: id === null ? '1500' : '1' },
  token: { address: '0xc', kind: 'erc20' as const, name: 'Coin', symbol: 'CO', decimals: id === null ? 3 : null },
});

test.each([
  ['a payment', { value: '1500000000000000000' }, '0xa sent 1.5 ETH to 0xb'],
  ['a contract', { to: null, created: '0xd', inputBytes: 9 }, '0xa created the contract 0xd'],
  ['a contract that failed', { to: null, created: null, inputBytes: 9, status: 0 }, '0xa tried to create a contract'],
  ['a call', { inputBytes: 4, method: 'pay', value: '5' }, '0xa called pay of 0xb with 0.000000000000000005 ETH'],
  ['a call of an unknown function', { inputBytes: 4, selector: '0x12345678' }, '0xa called 0x12345678 of 0xb'],
  ['a short input', { inputBytes: 2 }, '0xa called a function of 0xb'],
  ['a token', { inputBytes: 68, tokenTransfers: [transfer('0xa', '0xe')] }, '0xa sent 1.5 0xc to 0xe'],
  ['an item', { inputBytes: 68, tokenTransfers: [transfer('0xa', '0xe', '7')] }, '0xa sent #7 0xc to 0xe'],
  ['a minted token', { inputBytes: 68, tokenTransfers: [transfer(ZERO, '0xe')] }, '0xa minted 1.5 0xc for 0xe'],
  [
    'a token of another account',
    { inputBytes: 68, method: 'take', tokenTransfers: [transfer('0xf', '0xa')] },
    '0xa called take of 0xb',
  ],
])('%s', (_, facts, text) => {
  expect(read(evmSentence({ ...FACTS, ...facts }))).toBe(text);
});
