import { expect, test } from 'vitest';
import { earliestHeightFromJson, signedHeaderFromJson } from './commit-json.ts';

const HASH = 'AB'.repeat(32);
const blockId = { hash: HASH, parts: { total: 1, hash: HASH } };
const header = {
  ...{ version: { block: '11' }, chain_id: 'c', height: '7', time: '2026-08-01T00:00:00.5Z', last_block_id: blockId },
  ...{
    last_commit_hash: HASH,
    data_hash: HASH,
    validators_hash: HASH,
    next_validators_hash: HASH,
    consensus_hash: HASH,
  },
  ...{ app_hash: HASH, last_results_hash: HASH, evidence_hash: HASH, proposer_address: 'CD'.repeat(20) },
};
const vote = {
  ...{ block_id_flag: 2, validator_address: 'CD'.repeat(20), timestamp: '2026-08-01T00:00:01Z' },
  signature: Buffer.alloc(64, 1).toString('base64'),
};
const absent = { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null };
const commit = { height: '7', round: 0, block_id: blockId, signatures: [vote, absent] };
const answer = (change: { header?: object; commit?: object } = {}) => ({
  signed_header: { header: { ...header, ...change.header }, commit: { ...commit, ...change.commit } },
});

test('reads a commit, with and without the version of the application', () => {
  expect(signedHeaderFromJson(answer())).toMatchObject({
    header: { height: 7n, version: { block: 11n, app: 0n }, appHash: new Uint8Array(32).fill(0xab) },
    commit: { round: 0, signatures: [{ flag: 'commit' }, { flag: 'absent' }] },
  });
  const { version } = signedHeaderFromJson(answer({ header: { version: { block: '11', app: '3' } } })).header;
  expect(version.app).toBe(3n);
});

test.each([
  [{}, 'commit.signed_header: expected an object, got nothing'],
  [answer({ header: { height: 'x' } }), 'commit.signed_header.header.height: expected a whole number, got "x"'],
  [answer({ header: { app_hash: 'abc' } }), 'commit.signed_header.header.app_hash: expected hexadecimal, got "abc"'],
  [answer({ header: { time: 'now' } }), 'commit.signed_header.header.time: expected a time, got "now"'],
  [answer({ commit: { signatures: null } }), 'commit.signed_header.commit.signatures: expected a list, got null'],
  [
    answer({ commit: { signatures: [vote, { ...vote, signature: null }] } }),
    'commit.signed_header.commit.signatures[1].signature: expected text, got null',
  ],
])('names what is not as expected: %#', (value, message) => {
  expect(() => signedHeaderFromJson(value)).toThrow(expect.objectContaining({ message }));
});

test('the earliest height is a number or text, and nothing else', () => {
  const status = (earliest_block_height: unknown) => ({ sync_info: { earliest_block_height } });
  expect(earliestHeightFromJson(status('5'))).toBe(5n);
  expect(() => earliestHeightFromJson(status({}))).toThrow(
    'status.sync_info.earliest_block_height: expected a whole number, got an object',
  );
});
