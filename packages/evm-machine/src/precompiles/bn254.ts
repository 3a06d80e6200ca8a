import { BN_SNARK1, MCLBN_FP_SIZE, MCLBN_G2_SIZE } from 'mcl-wasm/dist/constants.js';
import type { Mcl } from './mcl.ts';
import { loadPairingCurve, type PairingCurve } from './pairing-curve.ts';

/** Bytes of a pair of points, in the input of a pairing (EIP-197). */
export const PAIR_BYTES = 192;

/** The curve of the precompiled contracts 6, 7 and 8 (EIP-196, EIP-197). Once per process. */
export function loadBn254(): Promise<PairingCurve> {
  loading ??= loadPairingCurve({
    curve: BN_SNARK1,
    fieldBytes: 32,
    paddedBytes: 32,
    imaginaryFirst: true,
    isReversed: true,
    hasCofactor: false,
    membershipOfG2,
  });
  return loading;
}

let loading: Promise<PairingCurve> | undefined;

const PRIME = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** The curve's prime and its order are polynomials of this number. */
const PARAMETER = 4_965_661_367_192_848_881n;
const FP2_SIZE = 2 * MCLBN_FP_SIZE;

/**
 * Whether a point of the twist is in G2, in less than half the time of a product with the order, by which the library
 * checks it: [x + 1]P + f([x]P) + f(f([x]P)) = f(f(f([2x]P))), with x the parameter and f the Frobenius map through the
 * curve that the twist is of (El Housni, Guillevic, Piellard, eprint 2022/348, sections 3 and 5.1).
 */
function membershipOfG2(mcl: Mcl): (point: number) => boolean {
  const powerForX = mcl._malloc(FP2_SIZE);
  const powerForY = mcl._malloc(FP2_SIZE);
  const conjugate = mcl._malloc(FP2_SIZE);
  // 9 + i, of which neither a square nor a cube root is in the field.
  const nonResidue = mcl._malloc(FP2_SIZE);
  mcl._mclBnFp_setInt32(nonResidue, 9);
  mcl._mclBnFp_setInt32(nonResidue + MCLBN_FP_SIZE, 1);
  raise(mcl, powerForX, nonResidue, (PRIME - 1n) / 3n);
  raise(mcl, powerForY, nonResidue, (PRIME - 1n) / 2n);

  const conjugated = (to: number, from: number) => {
    mcl.HEAP8.copyWithin(to, from, from + MCLBN_FP_SIZE);
    mcl._mclBnFp_neg(to + MCLBN_FP_SIZE, from + MCLBN_FP_SIZE);
  };
  const frobenius = (to: number, from: number) => {
    conjugated(conjugate, from);
    mcl._mclBnFp2_mul(to, conjugate, powerForX);
    conjugated(conjugate, from + FP2_SIZE);
    mcl._mclBnFp2_mul(to + FP2_SIZE, conjugate, powerForY);
    conjugated(to + 2 * FP2_SIZE, from + 2 * FP2_SIZE);
  };

  const digits = PARAMETER.toString(2).slice(1);
  const [sum, left, right] = [mcl._malloc(MCLBN_G2_SIZE), mcl._malloc(MCLBN_G2_SIZE), mcl._malloc(MCLBN_G2_SIZE)];
  return (point) => {
    mcl.HEAP8.copyWithin(sum, point, point + MCLBN_G2_SIZE);
    for (const digit of digits) {
      mcl._mclBnG2_dbl(sum, sum);
      if (digit === '1') mcl._mclBnG2_add(sum, sum, point);
    }
    frobenius(left, sum);
    mcl._mclBnG2_add(sum, sum, point);
    mcl._mclBnG2_add(sum, sum, left);
    frobenius(right, left);
    mcl._mclBnG2_add(sum, sum, right);
    frobenius(left, right);
    mcl._mclBnG2_dbl(left, left);
    return mcl._mclBnG2_isEqual(left, sum) !== 0;
  };
}

/** In the field of G2. */
function raise(mcl: Mcl, to: number, base: number, exponent: bigint): void {
  mcl.HEAP8.copyWithin(to, base, base + FP2_SIZE);
  for (const digit of exponent.toString(2).slice(1)) {
    mcl._mclBnFp2_mul(to, to, to);
    if (digit === '1') mcl._mclBnFp2_mul(to, to, base);
  }
}
