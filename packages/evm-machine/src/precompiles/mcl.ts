import { MCLBN_COMPILED_TIME_VAR } from 'mcl-wasm/dist/constants.js';
import createModule from 'mcl-wasm/dist/mcl_c.js';

/*
 * Elliptic curves in WebAssembly. A module of the library has one curve, and its classes know of one module only, so the
 * modules are used without them.
 */

/** The used part of the module. Values are in its memory; every argument but bytes and counts is an address there. */
export interface Mcl extends PointsOf<'G1'>, PointsOf<'G2'> {
  readonly HEAP8: Int8Array;
  _malloc(bytes: number): number;
  _mclBn_init(curve: number, compiled: number): number;
  _mclBn_setETHserialization(on: number): void;
  _mclBn_setMapToMode(mode: number): number;
  _mclBn_verifyOrderG1(on: number): void;
  _mclBn_verifyOrderG2(on: number): void;
  /** How many bytes were taken; 0 for a number that is not below the order. */
  _mclBnFr_deserialize(to: number, bytes: number, length: number): number;
  _mclBnFr_setBigEndianMod(to: number, bytes: number, length: number): number;
  _mclBnFr_setLittleEndianMod(to: number, bytes: number, length: number): number;
  _mclBnFr_neg(to: number, from: number): void;
  _mclBnFr_inv(to: number, from: number): void;
  _mclBnFr_mul(to: number, left: number, right: number): void;
  _mclBnFr_isZero(value: number): number;
  _mclBnFr_isEqual(left: number, right: number): number;
  /** How many bytes were taken; 0 for a number that is not below the prime. */
  _mclBnFp_deserialize(to: number, bytes: number, length: number): number;
  _mclBnFp_serialize(to: number, space: number, from: number): number;
  _mclBnFp_setInt32(to: number, value: number): void;
  _mclBnFp_neg(to: number, from: number): void;
  _mclBnFp2_mul(to: number, left: number, right: number): void;
  _mclBnFp_mapToG1(to: number, from: number): number;
  _mclBnFp2_mapToG2(to: number, from: number): number;
  _mclBnG1_getBasePoint(to: number): void;
  _mclBn_getUint64NumToPrecompute(): number;
  _mclBn_precomputeG2(to: number, point: number): void;
  /** The product of two pairings before the last exponentiation. */
  _mclBn_precomputedMillerLoop2(to: number, left1: number, right1: number, left2: number, right2: number): void;
  /** The product of the pairings of two rows of points before the last exponentiation. */
  _mclBn_millerLoopVec(to: number, lefts: number, rights: number, count: number): void;
  _mclBn_finalExp(to: number, from: number): void;
  _mclBnGT_mul(to: number, left: number, right: number): void;
  _mclBnGT_isOne(value: number): number;
}

type PointsOf<Group extends 'G1' | 'G2'> = {
  readonly [Name in keyof Points as `_mclBn${Group}_${Name}`]: Points[Name];
};

/** Functions that a module has for each group. */
interface Points {
  clear(to: number): void;
  /** How many bytes were taken; 0 for bytes that are no point. */
  deserialize(to: number, bytes: number, length: number): number;
  /** Whether it is on the curve. */
  isValid(point: number): number;
  isValidOrder(point: number): number;
  isZero(point: number): number;
  neg(to: number, from: number): void;
  add(to: number, left: number, right: number): void;
  dbl(to: number, from: number): void;
  isEqual(left: number, right: number): number;
  normalize(to: number, from: number): void;
  /** The sum of products. Points may be normalized in place. */
  mulVec(to: number, points: number, numbers: number, count: number): void;
}

/**
 * A module of its own. Numbers are read and written with the big end first on BLS12-381, otherwise with the little one. Points need not be in a group.
 */
export async function loadMcl(curve: number): Promise<Mcl> {
  // The package declares no type.
  const mcl = (await createModule({})) as Mcl;
  if (mcl._mclBn_init(curve, MCLBN_COMPILED_TIME_VAR) !== 0) throw new Error(`mcl-wasm has no curve ${curve}`);
  mcl._mclBn_setETHserialization(1);
  // Whether a point is on the curve and whether it is in the group are two questions here.
  mcl._mclBn_verifyOrderG1(0);
  mcl._mclBn_verifyOrderG2(0);
  return mcl;
}

/** Copies into a module. */
export function put(mcl: Mcl, at: number, bytes: Uint8Array): void {
  mcl.HEAP8.set(bytes, at);
}

/** A copy of a module's memory. */
export function take(mcl: Mcl, at: number, length: number): Uint8Array {
  return new Uint8Array(mcl.HEAP8.buffer, at, length).slice();
}
