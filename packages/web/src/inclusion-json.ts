import type { Evidence, Proof } from '@switchyard/explorer/contract';
import {
  createValidator,
  decodeSignedHeader,
  fromHex,
  type InclusionProof,
  type MerkleProof,
  type RollupDataProof,
  type RollupId,
  rollupIdFromBytes,
} from '@switchyard/protocol';

/* Proofs as the explorer answers them. */

export const toSignedHeader = ({ signedHeader, validators }: Pick<Proof, 'signedHeader' | 'validators'>) => ({
  signed: decodeSignedHeader(fromHex(signedHeader)),
  validators: validators.map(({ publicKey, power }) => createValidator(fromHex(publicKey), BigInt(power))),
});

/** @param rollup The requested rollup. */
export const toInclusion = (proof: Proof, rollup: string): InclusionProof => ({
  ...toRoots(proof, rollup),
  data: fromHex(proof.data),
  dataProof: merkle(proof.dataProof),
});

/** @param rollup The requested rollup. */
export function toRollupData({ data, absent }: Evidence, rollup: string): RollupDataProof {
  if (data !== null) return toRoots(data, rollup);
  if (absent === null) throw new Error('neither data nor their absence is proven');
  const rollups = absent.rollups.map((id) => rollupIdFromBytes(fromHex(id)));
  return { rollup: rollup as RollupId, dataRoot: undefined, rollups, entryProof: merkle(absent.entryProof) };
}

const toRoots = (proof: NonNullable<Evidence['data']>, rollup: string) => ({
  rollup: rollup as RollupId,
  dataRoot: fromHex(proof.dataRoot),
  rollupProof: merkle(proof.rollupProof),
  rollupTransactionsRoot: fromHex(proof.rollupTransactionsRoot),
  entryProof: merkle(proof.entryProof),
});

const merkle = ({ path, ...place }: Proof['dataProof']): MerkleProof => ({ ...place, path: path.map(fromHex) });
