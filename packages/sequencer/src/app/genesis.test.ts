import { expect, test } from 'vitest';
import { readGenesis } from './first-state.ts';
import { InvalidGenesis, parseAppState } from './genesis.ts';
import { MAX_GENESIS_POWER } from './tables/authority.ts';
import { alice, appStateJson, bob, NRIA, sudo, testGenesis, validator } from './testing.ts';

const parse = (value: unknown) => parseAppState(new TextEncoder().encode(JSON.stringify(value)));

function getProblems(value: unknown): string[] {
  try {
    parse(value);
  } catch (error) {
    if (error instanceof InvalidGenesis) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  throw new Error('it was accepted');
}

test('reads everything that the first state needs', () => {
  const state = parse(appStateJson());
  expect(state).toMatchObject({
    prefix: 'astria',
    sudo: sudo.account,
    ibcRelayers: [bob.account],
    nativeAsset: NRIA,
    allowedFeeAssets: [NRIA],
    maxSequencedBytesPerBlock: 256_000,
    maxTransactionBytes: 256_000,
  });
  expect(state.accounts).toContainEqual({ account: alice.account, balance: 1_000_000n });
  expect(state.fees.get('rollupDataSubmission')).toEqual({ base: 32n, multiplier: 1n });
  expect(state.fees.has('marketsChange')).toBe(false);
});

test('accepts both spellings of keys, numbers for amounts, and absent members of an amount', () => {
  const { address_prefixes, ...rest } = appStateJson({ fees: { feeChange: { base: {}, multiplier: { lo: 3 } } } });
  const state = parse({ ...rest, addressPrefixes: { base: 'astria', ibcCompat: 'astriacompat' } });
  expect(address_prefixes).toBeDefined();
  expect([...state.fees]).toEqual([['feeChange', { base: 0n, multiplier: 3n }]]);
});

test('an account may have other assets, each once and by its full name', () => {
  const [first] = appStateJson().accounts as readonly [{ address: object }];
  const find = (asset: string, lo = '7') => ({ ...first, asset, balance: { lo } });
  const { accounts } = parse(appStateJson({ accounts: [first, find('points'), find('transfer/channel-0/utia')] }));
  expect(accounts.map(({ asset, balance }) => [asset?.text, balance])).toEqual([
    [undefined, 1_000_000n],
    ['points', 7n],
    ['transfer/channel-0/utia', 7n],
  ]);
  expect(getProblems(appStateJson({ accounts: [find('points'), find('points'), first, find('nria')] }))).toEqual([
    'app_state.accounts[1].address: expected each account once, got a repeated one',
    'app_state.accounts[3].address: expected each account once, got a repeated one',
  ]);
  expect(getProblems(appStateJson({ accounts: [find(`ibc/${'ab'.repeat(32)}`)] }))).toEqual([
    `app_state.accounts[0].asset: expected the full name of an asset, got "ibc/${'ab'.repeat(18)}"… of 68 characters`,
  ]);
});

test('takes limits where they are given', () => {
  const limits = { maxSequencedBytesPerBlock: '8388608', max_transaction_bytes: 1_000_000 };
  expect(parse(appStateJson({ limits }))).toMatchObject({
    maxSequencedBytesPerBlock: 8_388_608,
    maxTransactionBytes: 1_000_000,
  });
});

test('names every mistake with its path', () => {
  const bad = appStateJson({
    accounts: [
      { address: { bech32m: 'nonsense' }, balance: { lo: '1' } },
      { address: { bech32m: 'astria19g4z52329g4z52329g4z52329g4z5232ayenag' }, balance: { lo: -1 } },
    ],
    authority_sudo_address: undefined,
    ibc_sudo_address: { bech32m: 'other19g4z52329g4z52329g4z52329g4z5232zyq0fp' },
    allowed_fee_assets: ['nria', 'a/b'],
    fees: { transfer: { base: {} } },
    limits: { max_transaction_bytes: 99_999_999_999 },
    surprise: true,
  });
  const problems = getProblems(bad);
  for (const path of [
    'app_state.accounts[0].address',
    'app_state.accounts[1].balance.lo',
    'app_state.authority_sudo_address: expected an object, got nothing',
    'app_state.ibc_sudo_address',
    'app_state.allowed_fee_assets[1]',
    'app_state.fees.transfer.multiplier: expected an object, got nothing',
    'app_state.fees.fee_change: expected an object, got nothing',
    'app_state.limits.max_transaction_bytes',
    'app_state.surprise: expected a known key',
  ]) {
    expect(problems.filter((problem) => problem.startsWith(path))).toHaveLength(1);
  }
  expect(problems).toHaveLength(9);
});

test.each([
  ['text that is not JSON', '{', 'expected JSON'],
  ['something else than an object', '[]', 'expected an object'],
])('refuses %s', (_, text, words) => {
  expect(() => parseAppState(new TextEncoder().encode(text))).toThrow(words);
});

test('refuses balances of an asset that has no name', () => {
  expect(getProblems(appStateJson({ native_asset_base_denomination: undefined }))).toEqual([
    'app_state.native_asset_base_denomination: expected the asset that accounts hold balances of, got nothing',
  ]);
});

test('refuses an account that is listed twice, and balances that could overflow when added', () => {
  const [first] = appStateJson().accounts as readonly [{ address: object }];
  const huge = { ...first, balance: { lo: '18446744073709551615', hi: '18446744073709551615' } };
  const problems = getProblems(appStateJson({ accounts: [huge, first] }));
  expect(problems).toEqual([
    'app_state.accounts[1].address: expected each account once, got a repeated one',
    'app_state.accounts: expected balances that add up to at most 2^128 - 1, got more',
  ]);
});

test.each([
  ['"lo":333333333333333333', 333_333_333_333_333_333n],
  ['"lo":" 333333333333333333"', 333_333_333_333_333_333n],
  ['"lo":18446744073709551615', 18_446_744_073_709_551_615n],
])('reads an amount written as %s exactly', (amount, balance) => {
  const text = JSON.stringify(appStateJson()).replace('"lo":"1000000"', amount);
  expect(parseAppState(new TextEncoder().encode(text)).accounts[0]?.balance).toBe(balance);
});

test.each([
  ['"lo":18446744073709551616', 'expected a whole number from 0 to 2^64 - 1, got 18446744073709551616'],
  ['"lo":-1', 'expected a whole number from 0 to 2^64 - 1, got -1'],
  ['"lo":" "', 'expected a whole number from 0 to 2^64 - 1, got " "'],
])('refuses an amount written as %s', (amount, words) => {
  const text = JSON.stringify(appStateJson()).replace('"lo":"1000000"', amount);
  expect(() => parseAppState(new TextEncoder().encode(text))).toThrow(`app_state.accounts[0].balance.lo: ${words}`);
});

test('refuses what an engine would take now and stop at later', () => {
  const genesis = testGenesis();
  const { consensusParams } = genesis;
  const powers = (...each: bigint[]) => each.map((power) => ({ publicKey: validator.publicKey, power }));
  expect(() => readGenesis({ ...genesis, validators: powers(MAX_GENESIS_POWER) })).not.toThrow();
  expect(() => readGenesis({ ...genesis, validators: powers(MAX_GENESIS_POWER, 1n) })).toThrow(
    'validators: expected a total power of at most 1152835605260946975, which leaves room for updates, got 1152835605260946976',
  );
  const block = { ...consensusParams.block, maxBytes: 1_023n };
  expect(() => readGenesis({ ...genesis, consensusParams: { ...consensusParams, block } })).toThrow(
    'consensus_params.block.max_bytes: expected at least 1024, for a block without transactions, or -1, got 1023',
  );
  const keys = { pubKeyTypes: ['secp256k1'] };
  expect(() => readGenesis({ ...genesis, consensusParams: { ...consensusParams, validator: keys } })).toThrow(
    'consensus_params.validator.pub_key_types: expected "ed25519" among them, got ["secp256k1"]',
  );
});
