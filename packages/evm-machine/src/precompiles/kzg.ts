import { MCLBN_FR_SIZE, MCLBN_G1_SIZE, MCLBN_G2_SIZE, MCLBN_GT_SIZE } from 'mcl-wasm/dist/constants.js';
import { loadBls12381 } from './bls12-381.ts';
import { sha256 } from './hashes.ts';

/*
 * Checks of KZG proofs (EIP-4844), for the precompiled contract 0x0a: its gas is made for native code.
 */

/** The generators, as points are written. */
const G1 = '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb';
const G2 =
  '93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8';
/**
 * The secret of the KZG ceremony times the generator of G2: point 1 of `g2_monomial` in the trusted setup of EIP-4844.
 * Checking proofs needs no more of it.
 */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2';

const NUMBER_BYTES = 32;
const G1_BYTES = 48;
const G2_BYTES = 96;
/** Bits of a point's first byte: only its x follows; it is the point at infinity. */
const COMPRESSED = 0x80;
const INFINITE = 0x40;
const INFINITY = Buffer.from([COMPRESSED | INFINITE, ...new Uint8Array(G1_BYTES - 1)]);

/** Bytes; numbers are big-endian. */
interface Claim {
  readonly commitment: Uint8Array;
  readonly z: Uint8Array;
  readonly y: Uint8Array;
  readonly proof: Uint8Array;
}

/** Undefined if something is no point of the group or no field element. */
type Verify = (claim: Claim) => boolean | undefined;

/** Once per process. */
export function loadKzg(): Promise<void> {
  loading ??= load().then((loaded) => {
    verify = loaded;
  });
  return loading;
}

let loading: Promise<void> | undefined;
let verify: Verify | undefined;

async function load(): Promise<Verify> {
  const { mcl, g1 } = await loadBls12381();
  const input = mcl._malloc(G2_BYTES);
  const put = (bytes: Uint8Array) => {
    mcl.HEAP8.set(bytes, input);
    return bytes.length;
  };
  const secondGroup = (text: string) => {
    const point = mcl._malloc(MCLBN_G2_SIZE);
    const length = put(Buffer.from(text, 'hex'));
    if (mcl._mclBnG2_deserialize(point, input, length) !== length) throw new Error(`${text} is no point of G2`);
    return point;
  };
  const prepared = (point: number) => {
    const lines = mcl._malloc(mcl._mclBn_getUint64NumToPrecompute() * 8);
    mcl._mclBn_precomputeG2(lines, point);
    return lines;
  };
  const tau = prepared(secondGroup(TAU_G2));
  const minusOne = secondGroup(G2);
  mcl._mclBnG2_neg(minusOne, minusOne);
  const minus = prepared(minusOne);

  // Side by side, for their sum of products.
  const generator = mcl._malloc(2 * MCLBN_G1_SIZE);
  const proof = generator + MCLBN_G1_SIZE;
  const y = mcl._malloc(2 * MCLBN_FR_SIZE);
  const z = y + MCLBN_FR_SIZE;
  const commitment = mcl._malloc(MCLBN_G1_SIZE);
  const sum = mcl._malloc(MCLBN_G1_SIZE);
  const product = mcl._malloc(MCLBN_GT_SIZE);

  const readNumber = (to: number, bytes: Uint8Array) =>
    bytes.length === NUMBER_BYTES && mcl._mclBnFr_deserialize(to, input, put(bytes)) === NUMBER_BYTES;
  const readPoint = (to: number, bytes: Uint8Array) => {
    const first = bytes[0] ?? 0;
    // The library does not check all bytes of an encoded infinity.
    const isOne = (first & INFINITE) === 0 ? (first & COMPRESSED) !== 0 : INFINITY.equals(bytes);
    if (bytes.length !== G1_BYTES || !isOne) return false;
    if (mcl._mclBnG1_deserialize(to, input, put(bytes)) !== G1_BYTES) return false;
    return g1.includes(to);
  };
  readPoint(generator, Buffer.from(G1, 'hex'));

  return (given) => {
    if (!readNumber(z, given.z) || !readNumber(y, given.y)) return undefined;
    if (!readPoint(commitment, given.commitment) || !readPoint(proof, given.proof)) return undefined;
    mcl._mclBnFr_neg(y, y);
    mcl._mclBnG1_mulVec(sum, generator, y, 2);
    mcl._mclBnG1_add(sum, sum, commitment);
    // e(C - [y] + z proof, [-1]) * e(proof, [tau]) is one. The right sides never change, so their lines are known.
    mcl._mclBn_precomputedMillerLoop2(product, sum, minus, proof, tau);
    mcl._mclBn_finalExp(product, product);
    return mcl._mclBnGT_isOne(product) !== 0;
  };
}

/** Undefined for bytes that are no point of the group or no field element. After `loadKzg`. */
export function verifiedKzg(claim: Claim): boolean | undefined {
  if (verify === undefined) throw new Error('proofs cannot be checked before the module is loaded');
  return verify(claim);
}

const CALL_BYTES = 192;
/** Output of the contract: how many field elements a blob has, and their modulus. */
const ANSWER = Buffer.from(
  '000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
  'hex',
);

/** The contract: input is a versioned hash, z, y, the commitment and the proof. After `loadKzg`. */
export function pointEvaluationContract(input: Uint8Array): Uint8Array | undefined {
  if (input.length !== CALL_BYTES) return undefined;
  const commitment = input.subarray(96, 144);
  const versioned = sha256(commitment);
  versioned[0] = 1;
  if (versioned.some((byte, index) => byte !== input[index])) return undefined;
  const claim = { z: input.subarray(32, 64), y: input.subarray(64, 96), commitment, proof: input.subarray(144) };
  return verifiedKzg(claim) === true ? Uint8Array.from(ANSWER) : undefined;
}
