import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { parseGenesis } from './process.ts';
import { ALICE, CAROL } from './testing/messenger.ts';

/* The exact text of every kind of mistake in a genesis file: people read these, and scripts match them. */

function messages(text: string): string[] {
  try {
    parseGenesis(text, 'genesis.json');
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
  return [];
}

// The digest in a database is made from these members: a different one makes every existing database belong to another chain.
test('a genesis file has these values', () => {
  const bridge = { bech32m: CAROL };
  const file = {
    rollup_name: 'x',
    chain_id: 'x-1',
    native_asset: 'nria',
    fee_assets: ['nria'],
    bridge_accounts: [bridge],
  };
  const accounts = [{ address: { bech32m: ALICE }, balance: { lo: '5', hi: 1 } }];
  expect(
    parseGenesis(JSON.stringify({ ...file, accounts, authority_sudo_address: bridge }), 'x'),
  ).toMatchInlineSnapshot(`
    {
      "accounts": [
        {
          "address": {
            "bech32m": "1c0c490f1b5528d8173c5de46d131160e4b2c0c3",
          },
          "balance": {
            "hi": 1n,
            "lo": 5n,
          },
        },
      ],
      "authoritySudoAddress": {
        "bech32m": "4e8846b82a8f31fd59265a9005959c4a030fc44c",
      },
      "bridgeAccounts": Set {
        "4e8846b82a8f31fd59265a9005959c4a030fc44c",
      },
      "chainId": "x-1",
      "daBlockVariance": 0n,
      "daGenesisBlockHeight": 0n,
      "feeAssets": [
        {
          "form": "trace",
          "id": "704031c868fd3d3c84a1cfa8cb45deba4ea746b44697f7f4a6ed1b8f6c239b82",
          "text": "nria",
        },
      ],
      "nativeAsset": {
        "form": "trace",
        "id": "704031c868fd3d3c84a1cfa8cb45deba4ea746b44697f7f4a6ed1b8f6c239b82",
        "text": "nria",
      },
      "rollup": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
      "rollupName": "x",
      "sequencerChainId": "",
      "sequencerGenesisBlockHeight": 0n,
    }
  `);
  expect(
    parseGenesis('{"rollup_name": "x", "chain_id": "x-1", "canonical_transactions": true}', 'x'),
  ).toMatchInlineSnapshot(`
    {
      "accounts": [],
      "authoritySudoAddress": undefined,
      "bridgeAccounts": Set {},
      "canonicalTransactions": true,
      "chainId": "x-1",
      "daBlockVariance": 0n,
      "daGenesisBlockHeight": 0n,
      "feeAssets": [],
      "nativeAsset": {
        "form": "trace",
        "id": "704031c868fd3d3c84a1cfa8cb45deba4ea746b44697f7f4a6ed1b8f6c239b82",
        "text": "nria",
      },
      "rollup": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
      "rollupName": "x",
      "sequencerChainId": "",
      "sequencerGenesisBlockHeight": 0n,
    }
  `);
});

test('messages about the members of a genesis file', () => {
  const text = JSON.stringify({
    rollup_name: '',
    chain_id: 'x'.repeat(65),
    sequencer_genesis_block_height: 4_294_967_296,
    sequencer_chain_id: 7,
    da_block_variance: -1,
    daGenesisBlockHeight: 1,
    celestia_genesis_block_height: 1,
    canonical_transactions: 'yes',
    unknown_key: 1,
    accounts: [
      { address: { bech32m: 'astria1nope' }, balance: { lo: 'x' } },
      { balance: {} },
      5,
      { address: ALICE, balance: [{}] },
    ],
    bridge_accounts: [{ bech32m: CAROL, more: 1 }, {}, { bech32m: 5 }],
    native_asset: 'a/b',
    fee_assets: [5, 'nria', 'nria'],
    authority_sudo_address: {},
  });
  expect(messages(text)).toMatchInlineSnapshot(`
    [
      "genesis.json: rollup_name: expected text of 1 to 64 bytes, got ""; correct the file",
      "genesis.json: chain_id: expected text of 1 to 64 bytes, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; correct the file",
      "genesis.json: sequencer_genesis_block_height: expected a whole number from 0 to 2^32 - 1, got 4294967296; correct the file",
      "genesis.json: sequencer_chain_id: expected text of 1 to 50 bytes, got 7; correct the file",
      "genesis.json: da_block_variance: expected a whole number from 0 to 2^64 - 1, got -1; correct the file",
      "genesis.json: canonical_transactions: expected true or false, got "yes"; correct the file",
      "genesis.json: bridge_accounts[0].more: expected a known key: bech32m; correct the file",
      "genesis.json: bridge_accounts[1].bech32m: expected a bech32m address of 20 bytes, got nothing; correct the file",
      "genesis.json: bridge_accounts[2].bech32m: expected a bech32m address of 20 bytes, got 5; correct the file",
      "genesis.json: celestia_genesis_block_height: expected one spelling of this key; "daGenesisBlockHeight" is there too; correct the file",
      "genesis.json: native_asset: expected the name of an asset, got "a/b"; correct the file",
      "genesis.json: fee_assets[0]: expected the name of an asset, got 5; correct the file",
      "genesis.json: accounts[0].address.bech32m: expected a bech32m address of 20 bytes, got "astria1nope"; correct the file",
      "genesis.json: accounts[0].balance.lo: expected a whole number from 0 to 2^64 - 1, got "x"; correct the file",
      "genesis.json: accounts[1].address: expected an object, got nothing; correct the file",
      "genesis.json: accounts[2]: expected an object, got 5; correct the file",
      "genesis.json: accounts[3].address: expected an object, got "astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm"; correct the file",
      "genesis.json: accounts[3].balance: expected an object, got a list of 1; correct the file",
      "genesis.json: authority_sudo_address.bech32m: expected a bech32m address of 20 bytes, got nothing; correct the file",
      "genesis.json: unknown_key: expected a known key: rollup_name, chain_id, sequencer_genesis_block_height, sequencer_chain_id, da_genesis_block_height, da_block_variance, canonical_transactions, signatures, bridge_accounts, withdrawals, failed_deposits, upgrade_authority, state_root, native_asset, fee_assets, accounts, authority_sudo_address, definition; correct the file",
    ]
  `);
});

test('messages about lists, objects and text', () => {
  const documents = [
    '{',
    '[]',
    'null',
    '{}',
    '{"rollup_name": "a", "rollupName": "b"}',
    '{"rollup_name": "a", "rollup_name": "b"}',
    '{"rollup_name": ["a"], "accounts": {}}',
    '{"rollup_name": "a", "sequencer_genesis_block_height": 1.5, "fee_assets": []}',
    JSON.stringify({ rollup_name: 'a', fee_assets: Array.from({ length: 65 }, (_, index) => `a${index}`) }),
    `{"rollup_name": "a", "accounts": [${Array(2).fill(`{"address": {"bech32m": "${ALICE}"}, "balance": {"hi": "18446744073709551615"}}`)}]}`,
    `{"rollup_name": ${'['.repeat(100)}`,
  ];
  expect(documents.map(messages)).toMatchInlineSnapshot(`
    [
      [
        "genesis.json: expected JSON, got line 1, column 2: expected a key in double quotes; correct the file",
      ],
      [
        "genesis.json: expected an object, got an empty list; correct the file",
      ],
      [
        "genesis.json: expected an object, got null; correct the file",
      ],
      [
        "genesis.json: rollup_name: expected text of 1 to 64 bytes, got nothing; correct the file",
      ],
      [
        "genesis.json: rollupName: expected one spelling of this key; "rollup_name" is there too; correct the file",
      ],
      [
        "genesis.json: expected JSON, got line 1, column 22: the key "rollup_name" is there twice; correct the file",
      ],
      [
        "genesis.json: rollup_name: expected text of 1 to 64 bytes, got a list of 1; correct the file",
        "genesis.json: accounts: expected a list of at most 10000, got an object; correct the file",
      ],
      [
        "genesis.json: sequencer_genesis_block_height: expected a whole number from 0 to 2^32 - 1, got 1.5; correct the file",
        "genesis.json: fee_assets: expected 1 to 64 assets, got an empty list; correct the file",
      ],
      [
        "genesis.json: fee_assets: expected a list of at most 64, got a list of 65; correct the file",
      ],
      [
        "genesis.json: accounts: expected at most 2^128 - 1 for astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm in all, got more; correct the file",
      ],
      [
        "genesis.json: expected JSON, got line 1, column 81: more than 64 levels of nesting; correct the file",
      ],
    ]
  `);
});
