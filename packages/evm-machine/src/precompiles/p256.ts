import { MCLBN_FP_SIZE, MCLBN_FR_SIZE, MCLBN_G1_SIZE, NIST_P256 } from 'mcl-wasm/dist/constants.js';
import { loadMcl, put, take } from './mcl.ts';

/** @param input Digest, r, s, x and y of the public key, 32 bytes each. */
export type VerifyP256 = (input: Uint8Array) => boolean;

const WORD = 32;
const INPUT_BYTES = 5 * WORD;

/** Signatures of secp256r1 (EIP-7951). Once per process. */
export function loadP256(): Promise<VerifyP256> {
  loading ??= load();
  return loading;
}

let loading: Promise<VerifyP256> | undefined;

async function load(): Promise<VerifyP256> {
  const mcl = await loadMcl(NIST_P256);
  const buffer = mcl._malloc(INPUT_BYTES);
  const [digest, r, s, x, y] = [0, 1, 2, 3, 4].map((index) => buffer + index * WORD) as Five;
  // Side by side, for their sum of products: the generator and the key, and their factors.
  const generator = mcl._malloc(2 * MCLBN_G1_SIZE);
  const key = generator + MCLBN_G1_SIZE;
  const first = mcl._malloc(2 * MCLBN_FR_SIZE);
  const second = first + MCLBN_FR_SIZE;
  const expected = mcl._malloc(MCLBN_FR_SIZE);
  const inverse = mcl._malloc(MCLBN_FR_SIZE);
  const sum = mcl._malloc(MCLBN_G1_SIZE);
  mcl._mclBnG1_getBasePoint(generator);
  // The module may normalize points in place; this one is normalized, and stays.
  const base = take(mcl, generator, MCLBN_G1_SIZE);

  const readScalar = (to: number, from: number) =>
    mcl._mclBnFr_deserialize(to, from, WORD) === WORD && mcl._mclBnFr_isZero(to) === 0;
  const readKey = () => {
    mcl._mclBnG1_clear(key);
    if (mcl._mclBnFp_deserialize(key, x, WORD) !== WORD) return false;
    if (mcl._mclBnFp_deserialize(key + MCLBN_FP_SIZE, y, WORD) !== WORD) return false;
    mcl._mclBnFp_setInt32(key + 2 * MCLBN_FP_SIZE, 1);
    // All of the curve is the group. (0, 0), which stands for infinity, is not on it.
    return mcl._mclBnG1_isValid(key) !== 0;
  };

  return (input) => {
    if (input.length !== INPUT_BYTES) return false;
    // The library reads numbers of this curve with the little end first.
    for (let at = 0; at < INPUT_BYTES; at += WORD) put(mcl, buffer + at, input.slice(at, at + WORD).reverse());
    if (!readScalar(expected, r) || !readScalar(inverse, s) || !readKey()) return false;
    mcl._mclBnFr_inv(inverse, inverse);
    mcl._mclBnFr_setLittleEndianMod(first, digest, WORD);
    mcl._mclBnFr_mul(first, first, inverse);
    mcl._mclBnFr_mul(second, expected, inverse);
    put(mcl, generator, base);
    mcl._mclBnG1_mulVec(sum, generator, first, 2);
    if (mcl._mclBnG1_isZero(sum) !== 0) return false;
    mcl._mclBnG1_normalize(sum, sum);
    mcl._mclBnFp_serialize(buffer, WORD, sum);
    // The field is larger than the order of the group.
    mcl._mclBnFr_setLittleEndianMod(first, buffer, WORD);
    return mcl._mclBnFr_isEqual(first, expected) !== 0;
  };
}

/** Result of `map` on five elements. */
type Five = [number, number, number, number, number];
