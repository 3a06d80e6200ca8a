import { SignedSource } from '@switchyard/client/signed-blocks';
import {
  createValidator,
  decodeSignedHeader,
  fromHex,
  type MerkleProof,
  proveInclusion,
  type RollupId,
  rollupIdFromName,
  type Validator,
  verifyCommit,
  verifyInclusion,
} from '@switchyard/protocol';
import type { Answer } from './submitting.ts';

/** Data of the messenger that a signed block of an explorer holds, and who signed it. */
export interface ProvenData {
  readonly data: Uint8Array;
  readonly validators: readonly Validator[];
}

/** @throws {Error} if the commit is not that of its validators, or the data is not under the hash of the header. */
export async function provenData(
  explorer: string,
  chainId: string,
  { height, position }: { readonly height: number; readonly position: number },
): Promise<ProvenData> {
  const rollup = rollupIdFromName('messenger');
  const { block, signed, validators } = (await new SignedSource({ url: explorer }, rollup).evidence(BigInt(height)))();
  verifyCommit(chainId, validators, signed);
  const inclusion = proveInclusion(block, rollup, position);
  if (!verifyInclusion(inclusion, signed.header.dataHash)) throw new Error('the proof does not hold');
  return { data: inclusion.data, validators };
}

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
export function provenByRoute(proof: Answer['body'], chainId: string): Uint8Array {
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
