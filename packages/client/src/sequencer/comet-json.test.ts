import type { BlockId, CometHeader, Commit, CommitSig, Timestamp } from '@switchyard/protocol';
import {
  base64FromJson,
  cometHeaderFromJson,
  commitFromJson,
  timestampFromJson,
  toHex,
  validatorFromJson,
} from '@switchyard/protocol';
import { extendedHeaderFromJson, namespaceRowsFromJson } from '@switchyard/protocol/celestia';
import { anyCometHeader, anyCommit, anyTimestamp } from '@switchyard/protocol/testing';
import { Input, InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';

/* How CometBFT writes these, from its own documentation; the parser knows nothing of this code. */
const hex = (bytes: Uint8Array) => toHex(bytes).toUpperCase();
const time = ({ seconds, nanos }: Timestamp) => {
  const whole = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return nanos === 0 ? `${whole}Z` : `${whole}.${String(nanos).padStart(9, '0').replace(/0+$/, '')}Z`;
};
const idJson = ({ hash, parts }: BlockId) => ({
  hash: hex(hash),
  parts: { total: parts.total, hash: hex(parts.hash) },
});
const headerJson = (header: CometHeader) => ({
  version: {
    block: String(header.version.block),
    ...(header.version.app === 0n ? {} : { app: String(header.version.app) }),
  },
  chain_id: header.chainId,
  height: String(header.height),
  time: time(header.time),
  last_block_id: idJson(header.lastBlockId),
  last_commit_hash: hex(header.lastCommitHash),
  data_hash: hex(header.dataHash),
  validators_hash: hex(header.validatorsHash),
  next_validators_hash: hex(header.nextValidatorsHash),
  consensus_hash: hex(header.consensusHash),
  app_hash: hex(header.appHash),
  last_results_hash: hex(header.lastResultsHash),
  evidence_hash: hex(header.evidenceHash),
  proposer_address: hex(header.proposerAddress),
});
const sigJson = (signature: CommitSig) =>
  signature.flag === 'absent'
    ? { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null }
    : {
        block_id_flag: signature.flag === 'commit' ? 2 : 3,
        validator_address: hex(signature.validator),
        timestamp: time(signature.timestamp),
        signature: Buffer.from(signature.signature).toString('base64'),
      };
const commitJson = ({ height, round, blockId, signatures }: Commit) => ({
  height: String(height),
  round,
  block_id: idJson(blockId),
  signatures: signatures.map(sigJson),
});

const law = <T>(values: fc.Arbitrary<T>, write: (value: T) => unknown, read: (answer: Input) => T) =>
  fc.assert(
    fc.property(values, (value) => {
      expect(read(new Input(write(value), 'x'))).toEqual(value);
    }),
  );

test('reads every header as it was', () => law(anyCometHeader, headerJson, cometHeaderFromJson));

test('reads every commit as it was', () => law(anyCommit, commitJson, commitFromJson));

test('reads every time to the nanosecond', () => law(anyTimestamp, time, timestampFromJson));

test.each([
  '2024-01-01T00:00:00+01:00',
  '2024-13-01T00:00:00Z',
  '2023-02-30T00:00:00Z',
  'yesterday',
  '2024-01-01T00:00:00.1234567890Z',
])('refuses the time %s', (text) => {
  expect(() => timestampFromJson(new Input(text, 'block.time'))).toThrow(
    `block.time: expected a time in UTC, got "${text}"`,
  );
});

test.each(['a', 'ab=c', '????', 'YQ'])('refuses the base64 %s', (text) => {
  expect(() => base64FromJson(new Input(text, 'value'))).toThrow(InvalidData);
});

const KEY = { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 1).toString('base64') };

test('refuses a validator whose address is not that of its key', () => {
  const forged = { address: '00'.repeat(20), pub_key: KEY, voting_power: '1' };
  expect(() => validatorFromJson(new Input(forged, 'validators[0]'))).toThrow(
    'validators[0].address: expected the address of the key',
  );
});

test('refuses numbers that would be hashed as others', () => {
  const address = '3ade0f2b7ba0a2a1f0ba0f2b7ba0a2a1f0ba0f2b';
  for (const power of [2n ** 64n + 5n, 5n - 2n ** 64n, 2n ** 63n]) {
    const inflated = { address, pub_key: KEY, voting_power: String(power) };
    expect(() => validatorFromJson(new Input(inflated, 'validator'))).toThrow(
      /^validator.voting_power: expected a whole number from 0 to 2\^63 - 1/,
    );
  }
  const later = { height: String(2n ** 64n + 12n) };
  expect(() => commitFromJson(new Input(later, 'commit'))).toThrow(/^commit.height: expected a whole number from 0/);
});

test('reports the path of unexpected values', () => {
  const answer = new Input({ list: [{ height: 'x' }] }, 'block');
  expect(() => answer.at('list').list()[0]?.at('height').big()).toThrow(
    'block.list[0].height: expected a whole number, got "x"',
  );
  expect(() => answer.at('nothing').at('deep')).toThrow('block.nothing: expected an object, got nothing');
  expect(() => answer.at('constructor').text()).toThrow('block.constructor: expected text, got nothing');
});

test("answers of Celestia's light node are read with their paths", () => {
  const rows = new Input([{ shares: [], proof: { is_max_namespace_ignored: true, nodes: ['AAAA'] } }], 'rows');
  expect(() => namespaceRowsFromJson(rows)).toThrow('rows[0].proof.nodes[0]: expected 90 bytes in base64');
  const header = new Input({ dah: {}, header: { version: {} } }, 'header.GetByHeight');
  expect(() => extendedHeaderFromJson(header)).toThrow(
    'header.GetByHeight.header.version.block: expected a whole number',
  );
});

test('no answer makes reading throw anything but its own error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      try {
        commitFromJson(new Input(value, 'x'));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidData);
      }
    }),
  );
});
