import { parseAddress } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { amountOf } from './genesis.ts';
import { parseGenesis } from './process.ts';
import { ALICE, BOB, CAROL, CHAIN, exampleFile, exampleGenesis, FUNDS } from './testing/messenger.ts';

const problems = (text: string) => {
  try {
    parseGenesis(text, 'genesis.json');
    return [];
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
};

test("reads the reference's example", () => {
  expect(parseGenesis(exampleGenesis(), 'x')).toMatchObject({
    ...{ rollupName: 'astria-chat', sequencerGenesisBlockHeight: 2n, daGenesisBlockHeight: 2n, daBlockVariance: 100n },
    accounts: [ALICE, BOB].map((each) => ({ address: { bech32m: parseAddress(each) }, balance: { lo: FUNDS } })),
    bridgeAccounts: new Set([parseAddress(CAROL)]),
    authoritySudoAddress: { bech32m: parseAddress(ALICE) },
  });
});

test('both letter cases, both names for data availability, numbers and text', () => {
  const camel = {
    rollupName: 'astria-chat',
    sequencerGenesisBlockHeight: '2',
    daGenesisBlockHeight: 2,
    daBlockVariance: '100',
    accounts: exampleFile.accounts,
    bridgeAccounts: exampleFile.bridge_accounts,
    authoritySudoAddress: exampleFile.authority_sudo_address,
  };
  expect(parseGenesis(JSON.stringify({ ...camel, chainId: CHAIN }), 'x')).toEqual(parseGenesis(exampleGenesis(), 'x'));
});

test('the canonical encoding can be a rule', () => {
  const read = (entries: object) => parseGenesis(JSON.stringify({ rollup_name: 'x', ...entries }), 'x');
  expect(read({})).not.toHaveProperty('canonicalTransactions');
  expect(read({ canonical_transactions: true }).canonicalTransactions).toBe(true);
});

test('amounts are exact, as numbers and as text, over both halves', () => {
  const text = `{"rollup_name": "x", "accounts": [
    {"address": {"bech32m": "${ALICE}"}, "balance": {"lo": 18446744073709551615}},
    {"address": {"bech32m": "${BOB}"}, "balance": {"lo": "5", "hi": 1}}]}`;
  expect(parseGenesis(text, 'x').accounts.map(({ balance }) => amountOf(balance))).toEqual([
    18_446_744_073_709_551_615n,
    18_446_744_073_709_551_621n,
  ]);
});

test('the assets that a text may be paid in are listed once each', () => {
  const withAssets = (fee_assets: unknown) => JSON.stringify({ rollup_name: 'x', fee_assets });
  expect(parseGenesis(withAssets(['nria', 'ntia']), 'x').feeAssets.map(({ text }) => text)).toEqual(['nria', 'ntia']);
  expect(parseGenesis('{"rollup_name": "x"}', 'x').feeAssets).toEqual([]);
  for (const wrong of [[], ['nria', 'nria'], ['/'], 'nria', Array.from({ length: 65 }, (_, index) => `a${index}`)]) {
    expect(problems(withAssets(wrong)).length).toBeGreaterThan(0);
  }
});

test('what may be left out has a value', () => {
  expect(parseGenesis('{"rollup_name": "x"}', 'x')).toMatchObject({
    chainId: expect.stringMatching(/^x-[0-9a-f]{16}$/),
    nativeAsset: { text: 'nria' },
    sequencerChainId: '',
    sequencerGenesisBlockHeight: 0n,
    accounts: [],
    authoritySudoAddress: undefined,
  });
});

test('names all mistakes at once, each with file and key', () => {
  const text = JSON.stringify({
    rollup_name: '',
    sequencer_genesis_block_height: 4_294_967_296,
    da_block_variance: -1,
    unknown_key: 1,
    accounts: [{ address: { bech32m: 'astria1nope' }, balance: { lo: 'x' } }, { balance: {} }, 5],
    bridge_accounts: [{ bech32m: CAROL, more: 1 }],
    native_asset: 'a/b',
  });
  expect(problems(text)).toEqual([
    expect.stringMatching(/^genesis\.json: rollup_name: expected text of 1 to 64 bytes, got ""/),
    expect.stringMatching(/^genesis\.json: sequencer_genesis_block_height: .*got 4294967296/),
    expect.stringMatching(/^genesis\.json: da_block_variance: .*got -1/),
    expect.stringMatching(/^genesis\.json: bridge_accounts\[0\]\.more: expected a known key/),
    expect.stringMatching(/^genesis\.json: native_asset: .*got "a\/b"/),
    expect.stringMatching(/^genesis\.json: accounts\[0\]\.address\.bech32m: .*got "astria1nope"/),
    expect.stringMatching(/^genesis\.json: accounts\[0\]\.balance\.lo: .*got "x"/),
    expect.stringMatching(/^genesis\.json: accounts\[1\]\.address: .*got nothing/),
    expect.stringMatching(/^genesis\.json: accounts\[2\]: expected an object, got 5/),
    expect.stringMatching(/^genesis\.json: unknown_key: expected a known key/),
  ]);
});

test.each([
  ['{', /line 1, column 2/],
  ['[]', /expected an object/],
  ['{"rollup_name": "a", "rollupName": "b"}', /rollupName: expected one spelling/],
  ['{"rollup_name": "a", "rollup_name": "b"}', /the key "rollup_name" is there twice/],
  ['{"rollup_name": "a", "daBlockVariance": 1, "celestia_block_variance": 1}', /one spelling/],
  ['{"rollup_name": "a", "sequencer_genesis_block_height": 1.5}', /sequencer_genesis_block_height/],
  [
    `{"rollup_name": "a", "accounts": [${Array(2).fill(`{"address": {"bech32m": "${ALICE}"}, "balance": {"hi": "18446744073709551615"}}`)}]}`,
    /accounts: expected at most 2\^128/,
  ],
])('refuses %s', (text, message) => {
  expect(problems(text).join('\n')).toMatch(message);
});
