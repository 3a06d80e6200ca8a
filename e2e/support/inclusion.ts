import { SignedSource } from '@switchyard/client/signed-blocks';
import { proveInclusion, rollupIdFromName, type Validator, verifyCommit, verifyInclusion } from '@switchyard/protocol';

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
