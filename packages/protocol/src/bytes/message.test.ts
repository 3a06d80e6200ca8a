import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromHex } from '../accounts/ids.ts';
import { Rejected } from '../errors.ts';
import { GetNonceSpenderRequestSchema } from '../gen/switchyard/sequencer/v1/node_pb.ts';
import { CanonicalVoteSchema } from '../gen/tendermint/types/types_pb.ts';
import { anyBytes, anyDamaged, anyU32 } from '../testing.ts';
import { decodeMessage } from './message.ts';

test('well-formed messages read as the protobuf library reads them', () => {
  const request = create(GetNonceSpenderRequestSchema, { address: { bech32m: 'x' }, nonces: [1, 2, 1 << 30] });
  expect(decodeMessage(GetNonceSpenderRequestSchema, toBinary(GetNonceSpenderRequestSchema, request))).toEqual(request);
  const vote = create(CanonicalVoteSchema, { type: 2, height: -5n, chainId: 'ü', timestamp: { seconds: -1n } });
  expect(decodeMessage(CanonicalVoteSchema, toBinary(CanonicalVoteSchema, vote))).toEqual(vote);
});

test.each([
  ['text where a number belongs', CanonicalVoteSchema, '0a00'],
  ['a number where text belongs', CanonicalVoteSchema, '3001'],
  ['a short number where a fixed one belongs', CanonicalVoteSchema, '1001'],
  ['a message that runs over its end', GetNonceSpenderRequestSchema, '0a021205'],
  ['text that is not UTF-8', CanonicalVoteSchema, '3201ff'],
  ['a packed list that stops in a number', GetNonceSpenderRequestSchema, '120180'],
  ['a number over 64 bits', CanonicalVoteSchema, '08ffffffffffffffffff7f'],
])('%s is malformed, although the library might forgive it', (_, schema, hex) => {
  expect(() => decodeMessage(schema, fromHex(hex))).toThrow(Rejected);
});

test('unknown fields are passed over and not kept', () => {
  expect(decodeMessage(CanonicalVoteSchema, fromHex('f80101'))).toEqual(create(CanonicalVoteSchema));
});

test('no bytes make it throw anything but a refusal', () => {
  const valid = fc
    .array(anyU32)
    .map((nonces) =>
      toBinary(GetNonceSpenderRequestSchema, create(GetNonceSpenderRequestSchema, { nonces, address: {} })),
    );
  fc.assert(
    fc.property(fc.oneof(anyBytes(), anyDamaged(valid)), (bytes) => {
      try {
        const message = decodeMessage(GetNonceSpenderRequestSchema, bytes);
        expect(message).toEqual(fromBinary(GetNonceSpenderRequestSchema, bytes, { readUnknownFields: false }));
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
    { numRuns: 1000 },
  );
});
