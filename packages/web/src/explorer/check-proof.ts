import type { Input } from '@switchyard/client/http-api';
import {
  createValidator,
  decodeSignedHeader,
  fromHex,
  type MerkleProof,
  type RollupId,
  toHex,
  verifyCommit,
  verifyInclusion,
} from '@switchyard/protocol';

export interface Checked {
  readonly height: string;
  readonly dataHash: string;
  readonly validators: number;
}

/**
 * Checks an inclusion proof by itself: the data is under the data hash of a header, and more than two thirds of the power of
 * the validators that the header names have signed it. Whether these are the chain's validators is not shown by it.
 *
 * @param expected What the data is to be of: a chain, a rollup, a height.
 * @throws {Rejected | InvalidData | Error} with what does not hold.
 */
export function checkProof(
  proof: Input,
  expected: { readonly chainId: string; readonly rollup: string; readonly height: string },
): Checked {
  const bytes = (name: string) => proof.at(name).parsed(fromHex, 'bytes in hex');
  const signed = decodeSignedHeader(bytes('signedHeader'));
  const validators = proof
    .at('validators')
    .list(10_000)
    .map((each) => createValidator(each.at('publicKey').parsed(fromHex, 'a key'), each.at('power').big()));
  verifyCommit(expected.chainId, validators, signed);
  const height = String(signed.header.height);
  if (height !== expected.height) throw new Error(`expected the header of block ${expected.height}, got ${height}`);
  const inclusion = {
    rollup: expected.rollup as RollupId,
    data: bytes('data'),
    dataProof: merkle(proof.at('dataProof')),
    dataRoot: bytes('dataRoot'),
    rollupProof: merkle(proof.at('rollupProof')),
    rollupTransactionsRoot: bytes('rollupTransactionsRoot'),
    entryProof: merkle(proof.at('entryProof')),
  };
  if (!verifyInclusion(inclusion, signed.header.dataHash))
    throw new Error('the data is not under the hash of the header');
  return { height, dataHash: toHex(signed.header.dataHash), validators: validators.length };
}

function merkle(input: Input): MerkleProof {
  return {
    path: input
      .at('path')
      .list(64)
      .map((each) => each.parsed(fromHex, 'a hash')),
    index: input.at('index').integer(),
    leaves: input.at('leaves').integer(),
  };
}
