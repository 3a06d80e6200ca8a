import { type EVMBN254Interface, EVMError } from '@ethereumjs/evm';
import {
  add,
  BN_SNARK1,
  Fp,
  Fp2,
  Fr,
  finalExp,
  G1,
  G2,
  type GT,
  init,
  millerLoop,
  mul,
  normalize,
  verifyOrderG2,
} from 'mcl-wasm';

/*
 * The curve of the precompiled contracts 6, 7 and 8 (EIP-196, EIP-197) in WebAssembly: their gas is made for native code,
 * and the JavaScript of the EVM library takes several times as long. What is accepted and what comes out is the
 * same as there; a test compares.
 *
 * A value of the library is an array of JavaScript's own. It is in the module's memory during one operation only, so
 * there is nothing to free.
 */

export interface Bn254 extends EVMBN254Interface {
  /** For a pairing that is made in pieces. */
  readonly product: () => PairingProduct;
}

/** A product of pairings. */
export interface PairingProduct {
  /**
   * Multiplies by the pairing of a point of G1 and one of G2.
   *
   * @param pair 192 bytes.
   * @throws {Error} where one of them is none.
   */
  readonly times: (pair: Uint8Array) => void;
  readonly isOne: () => boolean;
}

/** Once per process: the library keeps one curve for all. */
export function loadBn254(): Promise<Bn254> {
  loading ??= load();
  return loading;
}

let loading: Promise<Bn254> | undefined;

async function load(): Promise<Bn254> {
  await init(BN_SNARK1);
  // Whether a point is on the curve and whether it is in the group are two questions here.
  verifyOrderG2(false);
  return {
    add: (input) => encoded(add(firstGroup(input, 0), firstGroup(input, 64))),
    mul: (input) => encoded(mul(firstGroup(input, 0), scalar(input.subarray(64, 96)))),
    pairing(input) {
      const product = createProduct();
      for (let at = 0; at < input.length; at += PAIR_BYTES) product.times(input.subarray(at, at + PAIR_BYTES));
      return pairingResult(product);
    },
    product: createProduct,
  };
}

export const PAIR_BYTES = 192;
const G1_BYTES = 64;
const FP_BYTES = 32;

/** What the contract answers. */
export function pairingResult(product: PairingProduct): Uint8Array {
  const result = new Uint8Array(32);
  if (product.isOne()) result[31] = 1;
  return result;
}

function createProduct(): PairingProduct {
  let product: GT | undefined;
  return {
    times(pair) {
      const left = firstGroup(pair, 0);
      const right = secondGroup(pair.subarray(G1_BYTES, PAIR_BYTES));
      if (left.isZero() || right.isZero()) return;
      const factor = millerLoop(left, right);
      product = product === undefined ? factor : mul(product, factor);
    },
    // The last exponentiation is as long as a pairing, and one for all of them is enough.
    isOne: () => product === undefined || finalExp(product).isOne(),
  };
}

/** @throws {Error} */
function firstGroup(input: Uint8Array, at: number): G1 {
  const bytes = input.subarray(at, at + G1_BYTES);
  const point = new G1();
  if (isZero(bytes)) return point;
  const [x, y] = [bytes.subarray(0, FP_BYTES), bytes.subarray(FP_BYTES)];
  if (!isInField(x) || !isInField(y)) throw new Error('a coordinate is not in the field');
  point.setX(field(x));
  point.setY(field(y));
  point.setZ(ONE());
  // All of the curve is the group.
  if (!point.isValid()) throw new Error('not on the curve');
  return point;
}

/** @throws {Error} with the library's own where it has one, which traces show. */
function secondGroup(bytes: Uint8Array): G2 {
  const point = new G2();
  if (isZero(bytes)) return point;
  const parts = [0, 1, 2, 3].map((index) => bytes.subarray(index * FP_BYTES, (index + 1) * FP_BYTES));
  if (!parts.every(isInField)) throw new EVMError(EVMError.errorMessages.BN254_FP_NOT_IN_FIELD);
  const [xImaginary, xReal, yImaginary, yReal] = parts.map(field);
  point.setX(complex(xReal, xImaginary));
  point.setY(complex(yReal, yImaginary));
  point.setZ(complex(ONE(), new Fp()));
  if (!point.isValid()) throw new Error('not on the curve');
  if (!point.isValidOrder()) throw new Error('not in the group');
  return point;
}

const ONE = (): Fp => {
  const one = new Fp();
  one.setInt(1);
  return one;
};

function field(bytes: Uint8Array): Fp {
  const value = new Fp();
  value.setBigEndianMod(bytes);
  return value;
}

function complex(real = new Fp(), imaginary = new Fp()): Fp2 {
  const value = new Fp2();
  value.set_a(real);
  value.set_b(imaginary);
  return value;
}

/** Any number is one: it counts modulo the order of the group. */
function scalar(bytes: Uint8Array): Fr {
  const value = new Fr();
  value.setBigEndianMod(bytes);
  return value;
}

function encoded(point: G1): Uint8Array {
  const result = new Uint8Array(G1_BYTES);
  if (point.isZero()) return result;
  const affine = normalize(point);
  // The library's own order is the other one.
  result.set(affine.getX().serialize().reverse());
  result.set(affine.getY().serialize().reverse(), FP_BYTES);
  return result;
}

const PRIME = Buffer.from('30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47', 'hex');

function isInField(bytes: Uint8Array): boolean {
  return PRIME.compare(bytes) > 0;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
