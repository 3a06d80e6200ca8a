import {
  createValidator,
  decodeSignedHeader,
  fromHex,
  type MerkleProof,
  type RollupId,
  verifyCommit,
  verifyInclusion,
} from '@switchyard/protocol';
import type { Answer } from './submitting.ts';

const merkle = ({ path, index, leaves }: { path: string[]; index: number; leaves: number }): MerkleProof => ({
  path: path.map(fromHex),
  index,
  leaves,
});

/**
 * The data that an answer of `/v1/rollups/{rollup}/proof/{height}/{position}` proves to be in a block.
 *
 * @throws {Error} if the commit is not that of its validators, or the data is not under the hash of the header.
 */
export function provenData(proof: Answer['body'], chainId: string): Uint8Array {
  const signed = decodeSignedHeader(fromHex(proof.signedHeader));
  const validators = proof.validators.map((each: { publicKey: string; power: string }) =>
    createValidator(fromHex(each.publicKey), BigInt(each.power)),
  );
  verifyCommit(chainId, validators, signed);
  const inclusion = {
    rollup: proof.rollup as RollupId,
    data: fromHex(proof.data),
    dataProof: merkle(proof.dataProof),
    dataRoot: fromHex(proof.dataRoot),
    rollupProof: merkle(proof.rollupProof),
    rollupTransactionsRoot: fromHex(proof.rollupTransactionsRoot),
    entryProof: merkle(proof.entryProof),
  };
  if (!verifyInclusion(inclusion, signed.header.dataHash)) throw new Error('the proof does not hold');
  return inclusion.data;
}
