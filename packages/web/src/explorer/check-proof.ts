import type { Proof } from '@switchyard/explorer/contract';
import { toHex, verifyCommit, verifyInclusion } from '@switchyard/protocol';
import { inclusionOf, signedHeaderOf } from '../inclusion-json.ts';

export interface Checked {
  readonly height: number;
  readonly dataHash: string;
  readonly validators: number;
}

/**
 * Checks an inclusion proof by itself: the data is under the data hash of a header, and more than two thirds of the power of
 * the validators that the header names have signed it. Whether these are the chain's validators is not shown by it.
 *
 * @param expected Chain, rollup and height that the data must be of.
 * @throws {Rejected | Error} with what does not hold.
 */
export function checkProof(
  proof: Proof,
  expected: { readonly chainId: string; readonly rollup: string; readonly height: number },
): Checked {
  const { signed, validators } = signedHeaderOf(proof);
  verifyCommit(expected.chainId, validators, signed);
  const height = Number(signed.header.height);
  if (height !== expected.height) throw new Error(`expected the header of block ${expected.height}, got ${height}`);
  if (!verifyInclusion(inclusionOf(proof, expected.rollup), signed.header.dataHash))
    throw new Error('the data is not under the hash of the header');
  return { height, dataHash: toHex(signed.header.dataHash), validators: validators.length };
}
