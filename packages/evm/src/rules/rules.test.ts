import { createBlockHeader } from '@ethereumjs/block';
import { signAuthorization } from '@switchyard/evm-machine/authorization-testing';
import { cancunRules } from '@switchyard/evm-machine/ethereumjs-testing';
import type { Fork } from '@switchyard/evm-machine/fork';
import type { Deposit } from '@switchyard/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEV_ACCOUNTS } from '../genesis/development-accounts.ts';
import { testDeposit, testGenesis } from '../testing.ts';
import { REFUSALS } from '../transactions/refusals.ts';
import { signTransaction, type UnsignedTransaction } from '../transactions/sign.ts';
import { InvalidTransaction } from '../transactions/transaction.ts';
import {
  bytesForTransactions,
  bytesInBlock,
  checkTransaction,
  depositsToWithdrawals,
  gasForTransactions,
  MAX_TRANSACTION_BYTES,
  nextBaseFee,
  nextTimestamp,
  type SequencedDeposit,
  senderRefusal,
  sizeRefusal,
  statefulRefusal,
} from './rules.ts';

const [account = { address: '0x', privateKey: '0x' }] = DEV_ACCOUNTS;

test.each([
  [105n, 100n, 105n],
  [100n, 100n, 101n],
  [7n, 100n, 101n],
])('a sequencer block of second %i on a parent of %i is of %i', (seconds, parent, expected) => {
  expect(nextTimestamp(seconds, parent)).toBe(expected);
});

test('the base fee moves as EthereumJS moves it', () => {
  const common = cancunRules(1n);
  const parents = fc.record({
    baseFeePerGas: fc.bigInt({ min: 0n, max: 10n ** 20n }),
    gasLimit: fc.bigInt({ min: 5_000n, max: 10n ** 9n }),
    share: fc.nat(1_000),
  });
  fc.assert(
    fc.property(parents, ({ share, ...rest }) => {
      const parent = { ...rest, gasUsed: (rest.gasLimit * BigInt(share)) / 1_000n };
      const theirs = createBlockHeader({ ...parent, number: 1n }, { common, skipConsensusFormatValidation: true });
      expect(nextBaseFee(parent)).toBe(theirs.calcNextBaseFee());
    }),
  );
});

const getRefusal = (fields: Partial<UnsignedTransaction>, fork: Fork = 'cancun') => {
  const raw = signTransaction(
    { chainId: 1337n, nonce: 0n, gasLimit: 21_000n, maxFeePerGas: 10n, to: account.address, ...fields },
    account.privateKey,
  );
  try {
    checkTransaction(raw, { chainId: 1337n, gasLimit: 30_000_000n, fork });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidTransaction) return error.code;
    throw error;
  }
};

test.each<[string, Partial<UnsignedTransaction>, string | undefined]>([
  ['one that is fine', {}, undefined],
  ['one from before EIP-155', { chainId: undefined, gasPrice: 1n }, undefined],
  ['one for another chain', { chainId: 1n }, 'wrong-chain'],
  ['a legacy one for another chain', { chainId: 1n, gasPrice: 1n }, 'wrong-chain'],
  ['gas below the intrinsic gas', { gasLimit: 20_999n }, 'intrinsic-gas'],
  ['data that is not paid for', { data: new Uint8Array(1), gasLimit: 21_003n }, 'intrinsic-gas'],
  [
    'an access list that is not paid for',
    { accessList: [{ address: account.address, storageKeys: [] }], gasLimit: 23_399n },
    'intrinsic-gas',
  ],
  ['more gas than a block has', { gasLimit: 30_000_001n }, 'block-gas'],
  ['a tip above the cap', { maxPriorityFeePerGas: 11n }, 'tip-above-fee-cap'],
  [
    'creation code that is too long',
    { to: undefined, data: new Uint8Array(49_153), gasLimit: 5_000_000n },
    'initcode-size',
  ],
  ['too many bytes', { data: new Uint8Array(MAX_TRANSACTION_BYTES), gasLimit: 5_000_000n }, 'too-large'],
])('is checked without a state: %s', (_, fields, code) => {
  expect(getRefusal(fields)).toBe(code);
});

const authorization = signAuthorization({ chainId: 1337n, address: account.address, nonce: 0n }, account.privateKey);
/** 21,000 and 25,000 for the authorization. */
const setCode = { authorizations: [authorization], gasLimit: 46_000n };

test.each<[string, Partial<UnsignedTransaction>, Fork, string | undefined]>([
  ['type 4 before Prague', setCode, 'cancun', 'unknown-type'],
  ['type 4', setCode, 'prague', undefined],
  ['type 4 whose authorization is not paid for', { ...setCode, gasLimit: 45_999n }, 'prague', 'intrinsic-gas'],
  ['type 4 without authorization', { ...setCode, authorizations: [] }, 'prague', 'no-authorizations'],
  ['type 4 that creates a contract', { ...setCode, to: undefined, gasLimit: 100_000n }, 'prague', 'no-authorizations'],
  // EIP-7623: 21,000 and 40 for each byte that is not 0, instead of 16.
  ['data by its old price', { data: Buffer.alloc(100, 1), gasLimit: 22_600n }, 'cancun', undefined],
  ['data below its floor', { data: Buffer.alloc(100, 1), gasLimit: 24_999n }, 'prague', 'floor-gas'],
  ['data at its floor', { data: Buffer.alloc(100, 1), gasLimit: 25_000n }, 'prague', undefined],
  ['zeros at their floor', { data: new Uint8Array(100), gasLimit: 22_000n }, 'prague', undefined],
  ['zeros below their floor', { data: new Uint8Array(100), gasLimit: 21_999n }, 'prague', 'floor-gas'],
  ['all of the gas of a block', { gasLimit: 30_000_000n }, 'prague', undefined],
  ['all of the gas of a block', { gasLimit: 30_000_000n }, 'osaka', 'tx-gas-cap'],
  ['as much gas as EIP-7825 allows', { gasLimit: 16_777_216n }, 'osaka', undefined],
  ['a unit more', { gasLimit: 16_777_217n }, 'osaka', 'tx-gas-cap'],
  ['as much with what state costs (EIP-8037)', { gasLimit: 30_000_000n }, 'amsterdam', undefined],
  ['more than a block has', { gasLimit: 30_000_001n }, 'amsterdam', 'block-gas'],
  // EIP-7976: 12,000 and 64 for each byte.
  ['data below its floor', { data: new Uint8Array(100), gasLimit: 18_399n }, 'amsterdam', 'floor-gas'],
  ['data at its floor', { data: new Uint8Array(100), gasLimit: 18_400n }, 'amsterdam', undefined],
])('by the rules of a fork: %s', (_, fields, fork, code) => {
  expect(getRefusal(fields, fork)).toBe(code);
});

// EIP-2780: which of them it has to be follows from the signature.
test.each<[string, Partial<UnsignedTransaction>, string | undefined]>([
  ['to its sender', { to: account.address, gasLimit: 12_000n }, undefined],
  ['to another', { value: 0n, gasLimit: 15_000n }, undefined],
  ['to another, a unit short', { value: 0n, gasLimit: 14_999n }, 'intrinsic-gas'],
  ['with value', { value: 1n, gasLimit: 21_000n }, undefined],
  ['with value, a unit short', { value: 1n, gasLimit: 20_999n }, 'intrinsic-gas'],
])('gas that is checked with the sender: %s', (_, fields, code) => {
  const other = `0x${'77'.repeat(20)}` as const;
  const signed = { chainId: 1337n, nonce: 0n, gasLimit: 0n, maxFeePerGas: 10n, to: other, ...fields };
  const raw = signTransaction(signed, account.privateKey);
  const tx = checkTransaction(raw, { chainId: 1337n, gasLimit: 30_000_000n, fork: 'amsterdam' });
  expect(senderRefusal(tx, 'amsterdam', account.address)?.code).toBe(code);
});

test('from Osaka on a block has an end that is measured in bytes', () => {
  expect(bytesForTransactions('prague', 1)).toBe(Number.POSITIVE_INFINITY);
  // EIP-7934: 10 MiB less 2 MiB.
  expect(bytesForTransactions('osaka', 1)).toBe(8 * 1_048_576 - 1_024 - 1);
  const raw = new Uint8Array(1_000);
  // A typed one is a string in the block, with three bytes before it.
  expect([bytesInBlock({ type: 0, raw }), bytesInBlock({ type: 2, raw })]).toEqual([1_000, 1_003]);
  expect(sizeRefusal({ type: 2, raw }, 1_003)).toBeUndefined();
  expect(sizeRefusal({ type: 2, raw }, 1_002)).toMatchObject({ code: 'block-size' });
});

const depositsTo = (count: number, distinct = count) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ index: BigInt(index), validatorIndex: 0n, amount: 1n },
    address: `0x${(index % distinct).toString(16).padStart(40, '0')}` as const,
  }));

test.each([
  ['before Amsterdam all of it', 'osaka', 30_000_000n, depositsTo(15_000), 30_000_000n],
  ['all of it where few accounts get deposits', 'amsterdam', 30_000_000n, depositsTo(664), 30_000_000n],
  // 15,000 items less 50 and those of the deposits, of 2,100 gas each.
  ['what their items leave', 'amsterdam', 30_000_000n, depositsTo(665), 29_998_500n],
  ['an account with many deposits as one', 'amsterdam', 30_000_000n, depositsTo(5_000, 665), 29_998_500n],
  ['none where deposits alone are too many', 'amsterdam', 30_000_000n, depositsTo(15_000), 0n],
] as const)('transactions have the gas of a block: %s', (_, fork, gasLimit, withdrawals, gas) => {
  expect(gasForTransactions(fork, gasLimit, withdrawals)).toBe(gas);
});

const sender = { nonce: 5n, balance: 210_000n + 7n, hasCode: false };
const fits = { nonce: 5n, gasLimit: 21_000n, maxFeePerGas: 10n, value: 7n };
const block = { baseFee: 10n, gasLeft: 21_000n };

test.each([
  ['fits exactly', {}, {}, {}, undefined],
  ['has an old nonce', { nonce: 4n }, {}, {}, 'nonce-too-low'],
  ['has a nonce of later', { nonce: 6n }, {}, {}, 'nonce-too-high'],
  ['has the last nonce there is', { nonce: (1n << 64n) - 1n }, { nonce: (1n << 64n) - 1n }, {}, 'nonce-max'],
  ['is sent by a contract', {}, { hasCode: true }, {}, 'sender-not-eoa'],
  ['costs a wei too much', { value: 8n }, {}, {}, 'insufficient-funds'],
  ['caps its fee too low', { maxFeePerGas: 9n }, {}, {}, 'fee-cap-too-low'],
  ['finds a block that is full', {}, {}, { gasLeft: 20_999n }, 'block-gas'],
] as const)("one that %s is checked against its sender's state", (_, tx, who, where, code) => {
  expect(statefulRefusal({ ...fits, ...tx }, { ...sender, ...who }, { ...block, ...where })?.code).toBe(code);
});

test('every refusal fits in one line', () => {
  for (const text of Object.values(REFUSALS)) expect(text).toMatch(/^[a-z][^\n]{5,90}[^.]$/);
});

const { bridges } = testGenesis();
const deposit = (destination: string, amount: bigint, changes: Partial<Deposit> = {}): SequencedDeposit => {
  const entry = testDeposit(destination, amount, changes);
  if (entry.kind !== 'deposit') throw new Error('no deposit');
  return { entry: 0, deposit: entry.deposit };
};
const credited = (deposits: readonly SequencedDeposit[], precision: number, owed = 0n) =>
  depositsToWithdrawals(deposits, {
    bridges: bridges.map((bridge) => ({ ...bridge, precision })),
    getRemainder: () => owed,
    firstIndex: 4n,
  });

test('a deposit is a withdrawal in gwei, and what is finer waits for the next one', () => {
  const first = credited([deposit(account.address, 1_999_999_999n)], 18);
  expect(first.withdrawals).toEqual([{ index: 4n, validatorIndex: 0n, address: account.address, amount: 1n }]);
  expect(first.remainders).toEqual(new Map([[account.address, 999_999_999n]]));
  const second = credited([deposit(account.address, 1n)], 18, 999_999_999n);
  expect(second.withdrawals).toMatchObject([{ amount: 1n }]);
  expect(second.remainders).toEqual(new Map([[account.address, 0n]]));
});

test('no wei of a deposit is lost or made', () => {
  const some = fc.array(fc.tuple(fc.nat(2), fc.bigInt({ min: 1n, max: 10n ** 20n })), { maxLength: 20 });
  fc.assert(
    fc.property(some, fc.nat(18), (list, precision) => {
      const recipients = DEV_ACCOUNTS.map(({ address }) => address);
      const deposits = list.map(([who, amount]) => deposit(recipients[who] ?? '0x', amount));
      const { withdrawals, remainders, refused } = credited(deposits, precision);
      const wei = (sum: bigint, value: bigint) => sum + value;
      const scale = 10n ** BigInt(18 - precision);
      const out =
        withdrawals.map(({ amount }) => amount * 10n ** 9n).reduce(wei, 0n) + [...remainders.values()].reduce(wei, 0n);
      const left = refused.map((each) => each.deposit.amount * scale).reduce(wei, 0n);
      expect(out + left).toBe(list.map(([, amount]) => amount * scale).reduce(wei, 0n));
      expect(withdrawals.map(({ index }) => index)).toEqual(withdrawals.map((_, at) => 4n + BigInt(at)));
    }),
  );
});

test.each<[string, SequencedDeposit, string]>([
  ['a mistyped recipient', deposit('0x12', 1n), 'bad-recipient'],
  ['another asset', deposit(account.address, 1n, { asset: 'utia' }), 'wrong-asset'],
  ['text that is no asset', deposit(account.address, 1n, { asset: '' }), 'wrong-asset'],
  ['nothing', deposit(account.address, 0n), 'deposit-empty'],
  ['more than a withdrawal holds', deposit(account.address, 1n << 70n), 'deposit-too-large'],
])('a deposit with %s is refused and reported', (_, refused, code) => {
  const { withdrawals, remainders, refused: reported } = credited([refused, deposit(account.address, 5n)], 9);
  expect(reported).toMatchObject([{ code, deposit: refused.deposit }]);
  expect(withdrawals).toMatchObject([{ amount: 5n }]);
  expect(remainders.get(account.address)).toBe(0n);
});

test('a bridge account that the genesis does not name credits nothing', () => {
  const { withdrawals, refused } = depositsToWithdrawals([deposit(account.address, 5n)], {
    bridges: [],
    getRemainder: () => 0n,
    firstIndex: 0n,
  });
  expect([withdrawals, refused.map(({ code }) => code)]).toEqual([[], ['unknown-bridge']]);
});
