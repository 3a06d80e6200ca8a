import { create } from '@bufbuild/protobuf';
import { sizeDelimitedEncode } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex, toHex } from '../accounts/ids.ts';
import { createSigner, type Signer, verifyStrict } from '../accounts/keys.ts';
import { Rejected } from '../errors.ts';
import { CanonicalVoteSchema } from '../gen/tendermint/types/types_pb.ts';
import { anyBlockId, anyCometHeader, anyText, anyTimestamp } from '../testing.ts';
import { createValidator, verifyCommit, voteSignBytes } from './commit.ts';
import { headerHash, validatorSetHash } from './hashes.ts';
import type { Commit, CommitSig, SignedHeader, Validator } from './types.ts';

const base64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

// composer-conductor.md appendix B, "Upstream commit vector".
test('the published vote verifies', () => {
  const { publicKey, address } = createValidator(base64('tyPnz5GGblrx3PBjQRxZOHbzsPEI1E8lOh62QoPSWLw='), 10n);
  const signature = base64('qy9vEjqSrF+8sD0K0IAXA398xN1s3QI2rBBDbBMWf0rw0L+B9Z92DZEptf6bPYWuKUFdEc0QFKhUMQA8HjBaAw==');
  const timestamp = { seconds: BigInt(Date.UTC(2023, 6, 5, 19, 2, 55) / 1000), nanos: 206_600_022 };
  const commit: Commit = {
    height: 79n,
    round: 0,
    blockId: {
      hash: fromHex('74BD4E7F7EF902A84D55589F2AA60B332F1C2F34DDE7652C80BFEB8E7471B1DA'),
      parts: { total: 1, hash: fromHex('7632FFB5D84C3A64279BC9EA86992418ED23832C66E0C3504B7025A9AF42C8C4') },
    },
    signatures: [{ flag: 'commit', validator: address, timestamp, signature }],
  };
  expect(toHex(address).toUpperCase()).toBe('D223B03AE01B4A0296053E01A41AE1E2F9CDEBC9');
  expect(verifyStrict(signature, voteSignBytes('test-chain-g3ejvw', commit, 0), publicKey)).toBe(true);
  expect(verifyStrict(signature, voteSignBytes('test-chain', commit, 0), publicKey)).toBe(false);
});

// CometBFT 0.38, types/vote_test.go, TestVoteSignBytesTestVectors, case 1.
test("a vote for no block at Go's zero time has the bytes that CometBFT expects", () => {
  const zero = { seconds: -62_135_596_800n, nanos: 0 };
  expect(toHex(voteSignBytes('', { height: 1n, round: 1, blockId: undefined, timestamp: zero }))).toBe(
    '2108021101000000000000001901000000000000002a0b088092b8c398feffffff01',
  );
});

test('votes are signed as the canonical message with its length', () => {
  const height = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });
  fc.assert(
    fc.property(anyText, height, fc.nat(), anyBlockId, anyTimestamp, (chainId, height, round, blockId, timestamp) => {
      const wire = { hash: blockId.hash, partSetHeader: blockId.parts };
      const message = { type: 2, height, round: BigInt(round), timestamp, chainId };
      const expected = (id?: typeof wire) =>
        sizeDelimitedEncode(
          CanonicalVoteSchema,
          create(CanonicalVoteSchema, { ...message, ...(id && { blockId: id }) }),
        );
      expect(voteSignBytes(chainId, { height, round, blockId, timestamp })).toEqual(expected(wire));
      expect(voteSignBytes(chainId, { height, round, blockId: undefined, timestamp })).toEqual(expected());
      const vote = { validator: new Uint8Array(20), timestamp, signature: new Uint8Array(64) };
      const signatures: CommitSig[] = [{ flag: 'commit', ...vote }, { flag: 'nil', ...vote }, { flag: 'absent' }];
      const commit = { height, round, blockId, signatures };
      expect(voteSignBytes(chainId, commit, 0)).toEqual(expected(wire));
      expect(voteSignBytes(chainId, commit, 1)).toEqual(expected());
      expect(() => voteSignBytes(chainId, commit, 2)).toThrow(RangeError);
    }),
  );
});

const CHAIN = 'test';
const signers = Array.from({ length: 5 }, (_, index) => createSigner(new Uint8Array(32).fill(index + 1)));
const validators = signers.map(({ publicKey }) => createValidator(publicKey, 10n));
const [sample = missing()] = fc.sample(anyCometHeader, 1);

function missing(): never {
  throw new Error('a sample was asked for');
}

/** A header signed by each validator whose flag is not `absent`. */
function signed(flags: readonly CommitSig['flag'][], set: readonly Validator[] = validators): SignedHeader {
  const header = { ...sample, chainId: CHAIN, height: 5n, validatorsHash: validatorSetHash(set) };
  const blockId = { hash: headerHash(header), parts: { total: 1, hash: new Uint8Array(32) } };
  const vote = (signer: Signer, index: number): CommitSig => {
    const flag = flags[index] ?? 'absent';
    if (flag === 'absent') return { flag };
    const timestamp = { seconds: BigInt(index), nanos: index };
    const content = { height: 5n, round: 1, blockId: flag === 'commit' ? blockId : undefined, timestamp };
    const signature = signer.sign(voteSignBytes(CHAIN, content));
    return { flag, validator: createValidator(signer.publicKey, 0n).address, timestamp, signature };
  };
  return { header, commit: { height: 5n, round: 1, blockId, signatures: signers.slice(0, flags.length).map(vote) } };
}

const all = ['commit', 'commit', 'commit', 'commit', 'commit'] as const;

test('a commit needs more than two thirds of the power, exactly', () => {
  verifyCommit(CHAIN, validators, signed(all));
  verifyCommit(CHAIN, validators, signed(['commit', 'absent', 'commit', 'commit', 'commit']));
  // Three of five pass if thirds are rounded down.
  for (const other of ['absent', 'nil'] as const) {
    expect(() => verifyCommit(CHAIN, validators, signed(['commit', 'commit', 'commit', other, other]))).toThrow(
      'too little power signed, signed 30, total 50',
    );
  }
  const three = validators.slice(0, 3);
  expect(() => verifyCommit(CHAIN, three, signed(['commit', 'commit', 'absent'], three))).toThrow('too little power');
  verifyCommit(CHAIN, three, signed(['commit', 'commit', 'commit'], three));
  expect(() => verifyCommit(CHAIN, [], signed([], []))).toThrow('too little power');
});

const good = signed(all);
const withCommit = (change: Partial<Commit>): SignedHeader => ({ ...good, commit: { ...good.commit, ...change } });
const withVote = (index: number, change: object): SignedHeader =>
  withCommit({
    signatures: good.commit.signatures.map((vote, at) => (at === index ? ({ ...vote, ...change } as CommitSig) : vote)),
  });
const [voteOfFirst = missing()] = good.commit.signatures;
const zeroHash = new Uint8Array(32);

test.each<[string, SignedHeader, string]>([
  ['of another chain', { ...good, header: { ...good.header, chainId: 'other' } }, 'another chain'],
  ['at another height', withCommit({ height: 6n }), 'another height'],
  ['over another hash', withCommit({ blockId: { ...good.commit.blockId, hash: zeroHash } }), 'another header'],
  ['with a changed app hash', { ...good, header: { ...good.header, appHash: zeroHash } }, 'another header'],
  ['with a vote too few', withCommit({ signatures: good.commit.signatures.slice(1) }), 'wrong number of votes'],
  ['with the same vote twice', withVote(1, voteOfFirst), 'vote of another validator'],
  ['with a bad signature', withVote(4, { signature: new Uint8Array(64) }), 'bad signature'],
  ['with a bad vote for no block', withVote(4, { flag: 'nil' }), 'bad signature'],
  ['signed in another round', withCommit({ round: 2 }), 'bad signature'],
  ['with a changed time of a vote', withVote(0, { timestamp: { seconds: 9n, nanos: 9 } }), 'bad signature'],
])('a header %s is refused', (_, header, problem) => {
  expect(() => verifyCommit(CHAIN, validators, header)).toThrow(Rejected);
  expect(() => verifyCommit(CHAIN, validators, header)).toThrow(problem);
});

test('another set of validators is refused, also one with one of them twice', () => {
  expect(() => verifyCommit(CHAIN, validators.slice(1), good)).toThrow('another validator set');
  const [first = missing()] = validators;
  expect(() => verifyCommit(CHAIN, [first, first], signed(['commit', 'commit'], [first, first]))).toThrow(
    'twice in the set',
  );
});
