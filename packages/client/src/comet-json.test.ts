import type { BlockId, CometHeader, Commit, CommitSig, Timestamp } from '@switchyard/protocol';
import { toHex } from '@switchyard/protocol';
import { anyCometHeader, anyCommit, anyTimestamp } from '@switchyard/protocol/testing';
import { Input, InvalidData } from '@switchyard/service/input';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base64Bytes, cometHeader, commit, timestamp, validator } from './comet-json.ts';

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

test('reads every header as it was', () => law(anyCometHeader, headerJson, cometHeader));

test('reads every commit as it was', () => law(anyCommit, commitJson, commit));

test('reads every time to the nanosecond', () => law(anyTimestamp, time, timestamp));

test.each(['2024-01-01T00:00:00+01:00', '2024-13-01T00:00:00Z', 'yesterday', '2024-01-01T00:00:00.1234567890Z'])(
  'refuses the time %s',
  (text) => {
    expect(() => timestamp(new Input(text, 'block.time'))).toThrow(`block.time: expected a time in UTC, got "${text}"`);
  },
);

test.each(['a', 'ab=c', '????', 'YQ'])('refuses the base64 %s', (text) => {
  expect(() => base64Bytes(new Input(text, 'value'))).toThrow(InvalidData);
});

const KEY = { type: 'tendermint/PubKeyEd25519', value: Buffer.alloc(32, 1).toString('base64') };

test('refuses a validator whose address is not that of its key', () => {
  const forged = { address: '00'.repeat(20), pub_key: KEY, voting_power: '1' };
  expect(() => validator(new Input(forged, 'validators[0]'))).toThrow(
    'validators[0].address: expected the address of the key',
  );
});

test('reports the path of unexpected values', () => {
  const answer = new Input({ list: [{ height: 'x' }] }, 'block');
  expect(() => answer.at('list').list()[0]?.at('height').big()).toThrow(
    'block.list[0].height: expected a whole number, got "x"',
  );
  expect(() => answer.at('nothing').at('deep')).toThrow('block.nothing: expected an object, got nothing');
  expect(() => answer.at('constructor').text()).toThrow('block.constructor: expected text, got nothing');
});

test('no answer makes reading throw anything but its own error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      try {
        commit(new Input(value, 'x'));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidData);
      }
    }),
  );
});
