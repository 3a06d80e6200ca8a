import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from '../errors.ts';
import { BlockSchema, CommitSchema, SignedHeaderSchema } from '../gen/tendermint/types/types_pb.ts';
import { anyBytes, anyCometHeader, anyCommit, anyDamaged, encodeCommit } from '../testing.ts';
import { decodeBlock, decodeSignedHeader } from './decode.ts';
import { encodeBlock, encodeSignedHeader } from './encode.ts';
import type { BlockId, CometHeader, Commit } from './types.ts';

const blockIdToWire = ({ hash, parts }: BlockId) => ({ hash, partSetHeader: parts });
const headerToWire = ({ lastBlockId, ...header }: CometHeader) => ({
  ...header,
  lastBlockId: blockIdToWire(lastBlockId),
});
const commitToWire = ({ height, round, blockId, signatures }: Commit) => ({
  height,
  round,
  blockId: blockIdToWire(blockId),
  signatures: signatures.map((signature) =>
    signature.flag === 'absent'
      ? { blockIdFlag: 1, timestamp: { seconds: -62_135_596_800n } }
      : {
          blockIdFlag: signature.flag === 'commit' ? 2 : 3,
          validatorAddress: signature.validator,
          timestamp: signature.timestamp,
          signature: signature.signature,
        },
  ),
});

test('headers, commits and blocks are encoded as the protobuf library does it, and come back', () => {
  fc.assert(
    fc.property(anyCometHeader, anyCommit, fc.array(anyBytes()), (header, commit, txs) => {
      const signed = encodeSignedHeader({ header, commit });
      const wire = { header: headerToWire(header), commit: commitToWire(commit) };
      expect(signed).toEqual(toBinary(SignedHeaderSchema, create(SignedHeaderSchema, wire)));
      expect(decodeSignedHeader(signed)).toEqual({ header, commit });

      expect(encodeCommit(commit)).toEqual(toBinary(CommitSchema, create(CommitSchema, wire.commit)));

      const block = encodeBlock({ header, txs, lastCommit: commit });
      const message = create(BlockSchema, {
        header: wire.header,
        data: { txs },
        evidence: {},
        lastCommit: wire.commit,
      });
      expect(block).toEqual(toBinary(BlockSchema, message));
      expect(decodeBlock(block)).toEqual({ header, txs, lastCommit: commit });
    }),
    { numRuns: 30 },
  );
});

test('damaged headers and blocks are refused and nothing else is thrown', () => {
  const valid = fc
    .record({ header: anyCometHeader, commit: anyCommit })
    .map(({ header, commit }) => encodeSignedHeader({ header, commit }));
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(valid)), (bytes) => {
      for (const decode of [decodeSignedHeader, decodeBlock]) {
        try {
          expect(decode(bytes)).toBeDefined();
        } catch (error) {
          if (!(error instanceof Rejected)) throw error;
        }
      }
    }),
    { numRuns: 500 },
  );
});
