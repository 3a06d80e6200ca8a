import type { KZG } from '@ethereumjs/util';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bytesOf } from '../hex.ts';
import type { Data } from '../types.ts';

type G1 = InstanceType<typeof bls12_381.G1.Point>;
type G2 = InstanceType<typeof bls12_381.G2.Point>;

/**
 * The secret of the KZG ceremony times the generator of G2: point 1 of `g2_monomial` in the trusted setup of EIP-4844.
 * Checking proofs needs no more of it.
 */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';

const { Fr, Fp12 } = bls12_381.fields;
const generator = bls12_381.G1.Point.BASE;
let tau: G2 | undefined;

/**
 * Whether the polynomial of this commitment has value y at z (EIP-4844, `verify_kzg_proof`).
 *
 * @throws {Error} for what is no point of the group or no field element, with the word that EthereumJS looks for.
 */
export function verifyKzgProof(commitment: Data, z: Data, y: Data, proof: Data): boolean {
  tau ??= bls12_381.G2.Point.fromHex(TAU_G2);
  const [at, value] = [scalar(z), scalar(y)];
  const left = point(commitment).subtract(generator.multiplyUnsafe(value));
  const right = tau.subtract(bls12_381.G2.Point.BASE.multiplyUnsafe(at));
  // e(C - [y], [-1]) * e(proof, [tau - z]) is one.
  const product = Fp12.mul(pairing(left, bls12_381.G2.Point.BASE.negate()), pairing(point(proof), right));
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
}

/** The library takes no point at infinity. */
function pairing(left: G1, right: G2) {
  return left.is0() || right.is0() ? Fp12.ONE : bls12_381.pairing(left, right, false);
}

function scalar(text: Data): bigint {
  const value = BigInt(text);
  if (value >= Fr.ORDER) throw new Error('C_KZG_BADARGS: not a field element');
  return value;
}

function point(text: Data): G1 {
  try {
    const decoded = bls12_381.G1.Point.fromBytes(bytesOf(text));
    decoded.assertValidity();
    return decoded;
  } catch (error) {
    throw new Error('C_KZG_BADARGS: not a point of the group', { cause: error });
  }
}

/** As much of KZG as the precompile at 0x0a needs. Blobs themselves never come to this chain. */
export const pointEvaluation: KZG = {
  verifyProof: (commitment, z, y, proof) => verifyKzgProof(hex(commitment), hex(z), hex(y), hex(proof)),
  blobToKzgCommitment: noBlobs,
  computeBlobProof: noBlobs,
  verifyBlobProofBatch: noBlobs,
  computeCells: noBlobs,
  computeCellsAndProofs: noBlobs,
  recoverCellsAndProofs: noBlobs,
  verifyCellKzgProofBatch: noBlobs,
};

function noBlobs(): never {
  throw new Error('this chain has no blobs');
}

function hex(text: string): Data {
  return `0x${text.replace(/^0x/, '')}`;
}
