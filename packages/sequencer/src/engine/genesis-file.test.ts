import { readFileSync } from 'node:fs';
import { createSigner, parseAddress, toHex } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { computeDigest } from '../app/first-state.ts';
import { parseAppState } from '../app/genesis.ts';
import { parseConsensusParams, parseGenesisFile, renderConsensusParams } from './genesis-file.ts';

const signer = createSigner(Buffer.alloc(32, 7));
const key = { type: 'tendermint/PubKeyEd25519', value: Buffer.from(signer.publicKey).toString('base64') };
const document = {
  genesis_time: '2023-09-22T17:22:35.092832Z',
  chain_id: 'chain-1',
  initial_height: '0',
  consensus_params: {
    block: { max_bytes: '1048576', max_gas: '-1', time_iota_ms: '1000' },
    evidence: { max_age_num_blocks: '4000000', max_age_duration: '1209600000000000', max_bytes: '1048576' },
    validator: { pub_key_types: ['ed25519'] },
    version: { app: '1' },
    abci: { vote_extensions_enable_height: '0' },
  },
  validators: [{ address: signer.account.toUpperCase(), pub_key: key, power: '10', name: 'core' }],
  app_hash: '',
  app_state: { accounts: [1, { two: 'three' }] },
};

const parse = (change: object) => parseGenesisFile(JSON.stringify({ ...document, ...change }), 'genesis.json');

function problems(change: object | string): string[] {
  try {
    if (typeof change === 'string') parseGenesisFile(change, 'genesis.json');
    else parse(change);
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
  return [];
}

test('reads what CometBFT writes', () => {
  const { genesis, json } = parse({});
  expect(genesis).toMatchObject({
    chainId: 'chain-1',
    time: { seconds: 1_695_403_355n, nanos: 92_832_000 },
    initialHeight: 1n,
    consensusParams: { block: { maxBytes: 1_048_576n, maxGas: -1n }, version: { app: 1n } },
    validators: [{ publicKey: signer.publicKey, power: 10n }],
  });
  expect(JSON.parse(Buffer.from(genesis.appState).toString())).toEqual(document.app_state);
  const { time_iota_ms: _, ...block } = document.consensus_params.block;
  const consensus_params = { ...document.consensus_params, block };
  expect(json).toEqual({ ...document, initial_height: '1', consensus_params });
});

test('what is absent is what CometBFT takes instead', () => {
  const { genesis, json } = parseGenesisFile(
    JSON.stringify({ genesis_time: '2023-09-22T17:22:35Z', chain_id: 'x', validators: null, consensus_params: {} }),
    'genesis.json',
  );
  expect(genesis).toMatchObject({ initialHeight: 1n, validators: [] });
  expect(json).toEqual({
    genesis_time: '2023-09-22T17:22:35Z',
    chain_id: 'x',
    initial_height: '1',
    consensus_params: {
      block: { max_bytes: '22020096', max_gas: '-1' },
      evidence: { max_age_num_blocks: '100000', max_age_duration: '172800000000000', max_bytes: '1048576' },
      validator: { pub_key_types: ['ed25519'] },
      version: { app: '0' },
      abci: { vote_extensions_enable_height: '0' },
    },
    app_hash: '',
  });
});

test('names every mistake at once, with its place', () => {
  const lines = problems({
    genesis_time: 'yesterday',
    chain_id: 'x'.repeat(51),
    initial_height: '-1',
    consensus_params: { block: { max_bytes: '0' } },
    validators: [
      { pub_key: { ...key, type: 'tendermint/PubKeySecp256k1' }, power: '1' },
      { pub_key: key, power: '0' },
      { address: '00'.repeat(20), pub_key: key, power: '1' },
    ],
  });
  expect(lines).toHaveLength(7);
  for (const place of [
    'genesis_time',
    'chain_id',
    'initial_height',
    'consensus_params.block.max_bytes',
    'validators[0].pub_key.type',
    'validators[1].power',
    'validators[2].address',
  ]) {
    expect(lines.filter((line) => line.startsWith(`genesis.json: ${place}: `))).toHaveLength(1);
  }
});

test.each([
  ['no JSON', '{', /expected JSON/],
  ['a list', '[]', /expected an object/],
  ['no chain id', { chain_id: undefined }, /chain_id.*got nothing/],
])('refuses %s with one line', (_, change, message) => {
  const lines = problems(change);
  expect(lines).toEqual([expect.stringMatching(message)]);
});

test('consensus params survive their rendering', () => {
  const { genesis } = parse({});
  expect(parseConsensusParams(JSON.parse(JSON.stringify(renderConsensusParams(genesis.consensusParams))))).toEqual(
    genesis.consensusParams,
  );
});

// Our own file, in the form of those of the public networks: camelCase app state, amounts as numbers above 2^53, blanks in
// the texts of numbers.
const network = readFileSync(new URL('../../testdata/network-genesis.json', import.meta.url), 'utf8');

// Defect: Genesis files of public networks refused
test('a genesis file in the form of the public networks is read to the last digit', () => {
  const { genesis, json } = parseGenesisFile(network, 'genesis.json');
  expect(genesis.consensusParams).toMatchObject({
    block: { maxBytes: 1_048_576n, maxGas: -1n },
    evidence: { maxAgeNumBlocks: 4_000_000n, maxAgeDuration: 1_209_600_000_000_000n },
  });
  const balances = new Map(parseAppState(genesis.appState).accounts.map(({ account, balance }) => [account, balance]));
  const find = (address: string) => balances.get(parseAddress(address));
  expect(find('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm')).toBe(100_000_000_000_000_001n);
  expect(find('astria1vpcfutferpjtwv457r63uwr6hdm8gwr3pxt5ny')).toBe((1n << 65n) - 1n);
  expect(find('astria1xnlvg0rle2u6auane79t4p27g8hxnj36ja960z')).toBe(333_333_333_333_333_333n);
  expect(JSON.parse(JSON.stringify(json))).toMatchObject({
    app_state: {
      accounts: [{ balance: { lo: '100000000000000001' } }, {}, {}],
      fees: { transfer: { base: { lo: 12 } } },
    },
  });
});

test('amounts that a double cannot tell apart are two genesis files', () => {
  const one = parseGenesisFile(network, 'genesis.json').genesis;
  const other = parseGenesisFile(network.replace('100000000000000001', '100000000000000002'), 'genesis.json').genesis;
  expect(toHex(computeDigest(one))).not.toBe(toHex(computeDigest(other)));
});

test('a database from before knows its genesis', () => {
  // The digest that the code wrote that read numbers as doubles.
  expect(toHex(computeDigest(parse({}).genesis))).toBe(
    '52c5ccfcc4d1d100870d6b6f63ffffd909f68b3284ab6100e524b73b89032be4',
  );
});

test.each([
  [
    '"max_bytes": " 1048576"',
    '"max_bytes": "1 048 576"',
    'genesis.json:7: consensus_params.block.max_bytes: expected a whole number from -9223372036854775807 to 2^63 - 1, got "1 048 576"; correct the file',
  ],
  [
    '"power": "10000"',
    '"power": 9223372036854775808',
    'genesis.json:34: validators[0].power: expected a whole number from 1 to 2^63 - 1, got 9223372036854775808; correct the file',
  ],
  [
    '"power": "10000"',
    '"power": "1e4"',
    'genesis.json:34: validators[0].power: expected a whole number from 1 to 2^63 - 1, got "1e4"; correct the file',
  ],
  [
    '"chain_id": "shape',
    '"chain_id": "a", "chain_id": "shape',
    'genesis.json: expected JSON, got line 3, column 20: the key "chain_id" is there twice; correct the file',
  ],
])('reports in one line that %s is %s', (from, to, line) => {
  expect(network).toContain(from);
  expect(problems(network.replace(from, to))).toEqual([line]);
});
