import { createSigner } from '@switchyard/protocol';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
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
    'consensus_params',
    'validators[0].pub_key',
    'validators[1].power',
    'validators[2]',
  ]) {
    expect(lines.filter((line) => line.startsWith(`genesis.json: ${place}: `))).toHaveLength(1);
  }
});

test.each([
  ['no JSON', '{', /not JSON/],
  ['a list', '[]', /expected an object/],
  ['no chain id', { chain_id: undefined }, /chain_id.*missing/],
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
