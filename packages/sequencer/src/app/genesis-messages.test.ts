import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { parseGenesisFile } from '../engine/genesis-file.ts';
import { InvalidGenesis, parseAppState } from './genesis.ts';
import { appStateJson } from './testing.ts';

/* The exact text of every kind of mistake in a genesis file: people read these, and scripts match them. */

function messages(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidGenesis || error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
  return [];
}

const appState = (text: string) => messages(() => parseAppState(new TextEncoder().encode(text)));
const file = (value: unknown) =>
  messages(() => parseGenesisFile(typeof value === 'string' ? value : JSON.stringify(value), 'genesis.json'));

test('messages about the application state', () => {
  const bad = appStateJson({
    address_prefixes: { base: 'ASTRIA', ibc_compat: 7 },
    accounts: [
      { address: { bech32m: 'nonsense' }, balance: { lo: '1', mid: 1 } },
      { address: 5, balance: { lo: -1, hi: 1.5 } },
      { balance: [] },
      { address: { bech32m: 'astria19g4z52329g4z52329g4z52329g4z5232ayenag' }, balance: {}, Balance: {} },
    ],
    authority_sudo_address: undefined,
    ibc_sudo_address: { bech32m: 'other19g4z52329g4z52329g4z52329g4z5232zyq0fp' },
    ibcRelayerAddresses: {},
    native_asset_base_denomination: 'transfer/channel-0/nria',
    ibc_parameters: { ibc_enabled: 'yes' },
    allowed_fee_assets: ['nria', 'a/b', 1],
    fees: {
      transfer: { base: {} },
      feeChange: null,
      fee_change: { base: {}, multiplier: { lo: '18446744073709551616' } },
    },
    canonical_transactions: 0,
    limits: { max_transaction_bytes: 99_999_999_999, maxSequencedBytesPerBlock: 'x'.repeat(200) },
    surprise: true,
  });
  expect(appState(JSON.stringify(bad))).toMatchInlineSnapshot(`
    [
      "app_state.address_prefixes.base: expected 1 to 30 lower-case ASCII characters, got "ASTRIA"",
      "app_state.address_prefixes.ibc_compat: expected 1 to 30 lower-case ASCII characters, got 7",
      "app_state.accounts[0].address.bech32m: expected a bech32m address of 20 bytes that begins with ASTRIA1, got "nonsense"",
      "app_state.accounts[0].balance.mid: expected a known key: lo, hi",
      "app_state.accounts[1].address: expected an object, got 5",
      "app_state.accounts[1].balance.lo: expected a whole number from 0 to 2^64 - 1, got -1",
      "app_state.accounts[1].balance.hi: expected a whole number from 0 to 2^64 - 1, got 1.5",
      "app_state.accounts[2].address: expected an object, got nothing",
      "app_state.accounts[2].balance: expected an object, got an empty list",
      "app_state.accounts[3].address.bech32m: expected a bech32m address of 20 bytes that begins with ASTRIA1, got "astria19g4z52329g4z52329g4z52329g4z5232ayenag"",
      "app_state.accounts[3].Balance: expected a known key, such as "balance": address, asset, balance",
      "app_state.authority_sudo_address: expected an object, got nothing",
      "app_state.ibc_sudo_address.bech32m: expected a bech32m address of 20 bytes that begins with ASTRIA1, got "other19g4z52329g4z52329g4z52329g4z5232zyq0fp"",
      "app_state.ibc_relayer_addresses[0].bech32m: expected a bech32m address of 20 bytes that begins with ASTRIA1, got "astria1kchgvlaz7va0uck466ckgtsky825xvrceq7cx8"",
      "app_state.native_asset_base_denomination: expected a name without ports and channels, got "transfer/channel-0/nria"",
      "app_state.ibc_parameters.ibc_enabled: expected true or false, got "yes"",
      "app_state.allowed_fee_assets[1]: expected a denomination: a name, or port/channel pairs and a name, got "a/b"",
      "app_state.allowed_fee_assets[2]: expected a denomination: a name, or port/channel pairs and a name, got 1",
      "app_state.fees.transfer.multiplier: expected an object, got nothing",
      "app_state.fees.fee_change.multiplier.lo: expected a whole number from 0 to 2^64 - 1, got "18446744073709551616"",
      "app_state.canonical_transactions: expected true or false, got 0",
      "app_state.limits.maxSequencedBytesPerBlock: expected a whole number from 0 to 2^64 - 1, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"… of 200 characters",
      "app_state.limits.max_transaction_bytes: expected at most 67108864 bytes, got 99999999999",
      "app_state.ibcRelayerAddresses: expected one spelling of this key; "ibc_relayer_addresses" is there too",
      "app_state.surprise: expected a known key: chain_id, address_prefixes, accounts, authority_sudo_address, ibc_sudo_address, ibc_relayer_addresses, native_asset_base_denomination, ibc_parameters, allowed_fee_assets, fees, canonical_transactions, refuse_reserved_rollup_ids, limits",
    ]
  `);
});

test('messages about an application state that is no object', () => {
  expect(
    ['[]', '7', 'null', '"x"', '{', '{"a": 1, "a": 2}', `${'['.repeat(70)}`].flatMap(appState),
  ).toMatchInlineSnapshot(`
    [
      "app_state: expected an object, got an empty list",
      "app_state: expected an object, got 7",
      "app_state: expected an object, got null",
      "app_state: expected an object, got "x"",
      "app_state: expected JSON, got line 1, column 2: expected a key in double quotes",
      "app_state: expected JSON, got line 1, column 10: the key "a" is there twice",
      "app_state: expected JSON, got line 1, column 66: more than 64 levels of nesting",
    ]
  `);
});

test('messages about a genesis document', () => {
  const key = { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 7).toString('base64') };
  const lines = file({
    genesis_time: 'yesterday',
    chain_id: '',
    initial_height: '-1',
    consensus_params: {
      block: { max_bytes: '0', max_gas: 'x' },
      evidence: { max_age_num_blocks: '0', max_age_duration: [], max_bytes: {} },
      validator: { pub_key_types: 'ed25519' },
      version: { app: -1 },
      abci: 5,
    },
    validators: [
      { pub_key: { ...key, type: 'tendermint/PubKeySecp256k1' }, power: '1' },
      { pub_key: { ...key, value: 'AAAA' }, power: '9223372036854775808' },
      { pub_key: key, power: '0' },
      { address: '00'.repeat(20), pub_key: key, power: '1' },
      { address: 'xyz', name: 5 },
      null,
    ],
    app_hash: 'abc',
  });
  expect(lines).toMatchInlineSnapshot(`
    [
      "genesis.json: genesis_time: expected a time such as 2025-01-01T00:00:00Z, got "yesterday"; correct the file",
      "genesis.json: chain_id: expected text of 1 to 50 bytes, got ""; correct the file",
      "genesis.json: initial_height: expected a whole number from 0 to 2^63 - 1, got "-1"; correct the file",
      "genesis.json: consensus_params.block.max_bytes: expected 1 to 104857600, or -1 for the most, got "0"; correct the file",
      "genesis.json: consensus_params.block.max_gas: expected a whole number from -9223372036854775807 to 2^63 - 1, got "x"; correct the file",
      "genesis.json: consensus_params.evidence.max_age_num_blocks: expected a whole number from 1 to 2^63 - 1, got "0"; correct the file",
      "genesis.json: consensus_params.evidence.max_age_duration: expected a whole number from 1 to 2^63 - 1, got an empty list; correct the file",
      "genesis.json: consensus_params.evidence.max_bytes: expected a whole number from -9223372036854775807 to 2^63 - 1, got an object; correct the file",
      "genesis.json: consensus_params.validator.pub_key_types: expected a list, got "ed25519"; correct the file",
      "genesis.json: consensus_params.version.app: expected a whole number from 0 to 2^64 - 1, got -1; correct the file",
      "genesis.json: consensus_params.abci: expected an object, got 5; correct the file",
      "genesis.json: validators[0].pub_key.type: expected tendermint/PubKeyEd25519, got "tendermint/PubKeySecp256k1"; correct the file",
      "genesis.json: validators[1].pub_key.value: expected 32 bytes in base64, got 3 bytes; correct the file",
      "genesis.json: validators[1].power: expected a whole number from 1 to 2^63 - 1, got "9223372036854775808"; correct the file",
      "genesis.json: validators[2].power: expected a whole number from 1 to 2^63 - 1, got "0"; correct the file",
      "genesis.json: validators[3].address: expected 4BB06F8E4E3A7715D201D573D0AA423762E55DAB, the address of the key, got "0000000000000000000000000000000000000000"; correct the file",
      "genesis.json: validators[4].address: expected hexadecimal digits, two for each byte, got "xyz"; correct the file",
      "genesis.json: validators[4].pub_key: expected an object, got nothing; correct the file",
      "genesis.json: validators[4].power: expected a whole number from 1 to 2^63 - 1, got nothing; correct the file",
      "genesis.json: validators[4].name: expected text, got 5; correct the file",
      "genesis.json: validators[5]: expected an object, got null; correct the file",
      "genesis.json: app_hash: expected hexadecimal digits, two for each byte, got "abc"; correct the file",
    ]
  `);
  expect(['{', '[]', '5', '{}', '{"genesis_time": null, "chain_id": null}'].flatMap(file)).toMatchInlineSnapshot(`
    [
      "genesis.json: expected JSON, got line 1, column 2: expected a key in double quotes; correct the file",
      "genesis.json: expected an object, got an empty list; correct the file",
      "genesis.json: expected an object, got 5; correct the file",
      "genesis.json: genesis_time: expected a time such as 2025-01-01T00:00:00Z, got nothing; correct the file",
      "genesis.json: chain_id: expected text of 1 to 50 bytes, got nothing; correct the file",
      "genesis.json: genesis_time: expected a time such as 2025-01-01T00:00:00Z, got null; correct the file",
      "genesis.json: chain_id: expected text of 1 to 50 bytes, got null; correct the file",
    ]
  `);
  expect(
    file({
      genesis_time: '2023-09-22T17:22:35Z',
      chain_id: 'x'.repeat(51),
      consensus_params: { block: { max_bytes: 0 } },
    }),
  ).toMatchInlineSnapshot(`
    [
      "genesis.json: chain_id: expected text of 1 to 50 bytes, got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; correct the file",
      "genesis.json: consensus_params.block.max_bytes: expected 1 to 104857600, or -1 for the most, got 0; correct the file",
    ]
  `);
});
