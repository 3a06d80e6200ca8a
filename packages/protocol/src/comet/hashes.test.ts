import { create, toBinary } from '@bufbuild/protobuf';
import { BytesValueSchema, Int64ValueSchema, StringValueSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalBytes, toHex } from '../accounts/ids.ts';
import { merkleRoot } from '../blocks/merkle.ts';
import { sha256 } from '../bytes/hash.ts';
import { ExecTxResultSchema } from '../gen/tendermint/abci/types_pb.ts';
import { BlockIDSchema, HashedParamsSchema, SimpleValidatorSchema } from '../gen/tendermint/types/types_pb.ts';
import { ConsensusSchema } from '../gen/tendermint/version/types_pb.ts';
import {
  anyBytes,
  anyCometHeader,
  anyCommit,
  anyU32,
  anyU64,
  encodeCommit,
  sortValidators,
  toBytes,
} from '../testing.ts';
import { createValidator } from './commit.ts';
import { encodeBlock } from './encode.ts';
import {
  commitHash,
  consensusParamsHash,
  dataHash,
  evidenceHash,
  headerHash,
  partSetHeader,
  resultsHash,
  validatorSetHash,
} from './hashes.ts';
import { type CometHeader, NO_BLOCK, NO_COMMIT } from './types.ts';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const anyI64 = anyU64.map((value) => BigInt.asIntN(64, value));

// CometBFT 0.38, types/block_test.go, TestHeaderHash.
test('a header with every field set has the hash that CometBFT expects', () => {
  const getHash = (text: string) => sha256(new TextEncoder().encode(text));
  const header: CometHeader = {
    version: { block: 1n, app: 2n },
    chainId: 'chainId',
    height: 3n,
    time: { seconds: BigInt(Date.UTC(2019, 9, 13, 16, 14, 44) / 1000), nanos: 0 },
    lastBlockId: { hash: new Uint8Array(32), parts: { total: 6, hash: new Uint8Array(32) } },
    lastCommitHash: getHash('last_commit_hash'),
    dataHash: getHash('data_hash'),
    validatorsHash: getHash('validators_hash'),
    nextValidatorsHash: getHash('next_validators_hash'),
    consensusHash: getHash('consensus_hash'),
    appHash: getHash('app_hash'),
    lastResultsHash: getHash('last_results_hash'),
    evidenceHash: getHash('evidence_hash'),
    proposerAddress: getHash('proposer_address').subarray(0, 20),
  };
  expect(toHex(headerHash(header)).toUpperCase()).toBe(
    'F740121F553B5418C3EFBD343C2DBFE9E007BB67B0D020A0741374BAB65242A4',
  );
});

test('a header hashes as the tree over its fields in wrapper messages', () => {
  const bytes = (value: Uint8Array) => toBinary(BytesValueSchema, create(BytesValueSchema, { value }));
  fc.assert(
    fc.property(anyCometHeader, (header) => {
      const { hash, parts } = header.lastBlockId;
      const leaves = [
        toBinary(ConsensusSchema, create(ConsensusSchema, header.version)),
        toBinary(StringValueSchema, create(StringValueSchema, { value: header.chainId })),
        toBinary(Int64ValueSchema, create(Int64ValueSchema, { value: header.height })),
        toBinary(TimestampSchema, create(TimestampSchema, header.time)),
        toBinary(BlockIDSchema, create(BlockIDSchema, { hash, partSetHeader: parts })),
        bytes(header.lastCommitHash),
        bytes(header.dataHash),
        bytes(header.validatorsHash),
        bytes(header.nextValidatorsHash),
        bytes(header.consensusHash),
        bytes(header.appHash),
        bytes(header.lastResultsHash),
        bytes(header.evidenceHash),
        bytes(header.proposerAddress),
      ];
      expect(headerHash(header)).toEqual(merkleRoot(leaves));
    }),
  );
});

// The hash in the headers of every chain with CometBFT's default parameters.
test('the default consensus parameters have their well-known hash', () => {
  const hash = consensusParamsHash({ maxBytes: 22_020_096n, maxGas: -1n });
  expect(toHex(hash).toUpperCase()).toBe('048091BC7DDC283F77BFBF91D73C44DA58C3DF8A9CBC867405D8B7F3DAADA22F');
});

test('parameters, results and validator sets hash as their messages do', () => {
  const anyResult = fc.record({ code: anyU32, data: anyBytes(), gasWanted: anyI64, gasUsed: anyI64 });
  const anyValidator = fc.record({ publicKey: toBytes(32), power: anyU32.map(BigInt) });
  fc.assert(
    fc.property(anyI64, anyI64, fc.array(anyResult), fc.array(anyValidator), (maxBytes, maxGas, results, keys) => {
      const params = create(HashedParamsSchema, { blockMaxBytes: maxBytes, blockMaxGas: maxGas });
      expect(consensusParamsHash({ maxBytes, maxGas })).toEqual(sha256(toBinary(HashedParamsSchema, params)));
      const encoded = results.map((result) => toBinary(ExecTxResultSchema, create(ExecTxResultSchema, result)));
      expect(resultsHash(results)).toEqual(merkleRoot(encoded));
      const validators = keys.map(({ publicKey, power }) => createValidator(publicKey, power));
      const simple = keys.map(({ publicKey, power }) => {
        const pubKey = { sum: { case: 'ed25519' as const, value: publicKey } };
        return toBinary(SimpleValidatorSchema, create(SimpleValidatorSchema, { pubKey, votingPower: power }));
      });
      expect(validatorSetHash(validators)).toEqual(merkleRoot(simple));
    }),
  );
});

test('a set is ordered by falling power, then by address', () => {
  const validators = Array.from({ length: 20 }, (_, index) =>
    createValidator(new Uint8Array(32).fill(index), BigInt(index % 3)),
  );
  const sorted = sortValidators(validators);
  expect(sorted).toHaveLength(20);
  for (const [index, validator] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined) continue;
    expect(before.power >= validator.power).toBe(true);
    if (before.power === validator.power) expect(toHex(before.address) < toHex(validator.address)).toBe(true);
  }
});

test('what is empty hashes to the hash of nothing', () => {
  for (const hash of [dataHash([]), resultsHash([]), evidenceHash(), commitHash(NO_COMMIT)])
    expect(toHex(hash)).toBe(EMPTY);
});

test('data hash over the hashes of transactions', () => {
  const txs = [Uint8Array.of(1), Uint8Array.of(2, 3)];
  expect(dataHash(txs)).toEqual(merkleRoot(txs.map((tx) => sha256(tx))));
});

test('a commit hashes over its signatures alone', () => {
  fc.assert(
    fc.property(anyCommit, (commit) => {
      expect(commitHash({ ...commit, height: 1n, round: 2 })).toEqual(commitHash(commit));
      const one = commit.signatures.slice(0, 1);
      if (one.length === 1) {
        // The only signature stands at the end of the encoded commit, after its tag and length.
        const encoded = encodeCommit({ ...commit, signatures: one });
        const rest = encodeCommit({ ...commit, signatures: [] }).length;
        expect(commitHash({ ...commit, signatures: one })).toEqual(merkleRoot([encoded.subarray(rest + 2)]));
      }
    }),
  );
});

test('the first block carries an empty commit and an empty id, as Go writes them', () => {
  expect(toHex(encodeCommit(NO_COMMIT))).toBe('1a021200');
  const [header] = fc.sample(anyCometHeader, 1);
  if (header === undefined) throw new Error('a sample was asked for');
  const block = encodeBlock({ header: { ...header, lastBlockId: NO_BLOCK }, txs: [], lastCommit: NO_COMMIT });
  expect(toHex(block)).toMatch(/12001a0022041a021200$/);
});

test('a block is cut into parts of 64 KiB', () => {
  const block = new Uint8Array(65_536 + 1).fill(7);
  expect(partSetHeader(block)).toEqual({
    total: 2,
    hash: merkleRoot([block.subarray(0, 65_536), block.subarray(65_536)]),
  });
  expect(partSetHeader(block.subarray(1)).total).toBe(1);
  expect(equalBytes(partSetHeader(block).hash, partSetHeader(block.subarray(1)).hash)).toBe(false);
});
