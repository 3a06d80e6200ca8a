import { MCLBN_FP_SIZE, MCLBN_FR_SIZE, MCLBN_G1_SIZE, MCLBN_GT_SIZE } from 'mcl-wasm/dist/constants.js';
import { loadMcl, type Mcl, put } from './mcl.ts';

/*
 * Curves with a pairing, as precompiled contracts have them: points are written without compression, and infinity is
 * zeros.
 */

/** How the contracts of a curve write its points. */
export interface Encoding {
  /** The number of the curve in the library. */
  readonly curve: number;
  readonly fieldBytes: number;
  /** Zeros come before a field element to make it this long. */
  readonly paddedBytes: number;
  /** Whether the imaginary part of a field element of G2 comes first. */
  readonly imaginaryFirst: boolean;
  /** Whether the library has the little end of a field element first. The contracts have the big one. */
  readonly isReversed: boolean;
  /** Whether there are points on the curve of G1 that are not in the group. */
  readonly hasCofactor: boolean;
  /** Whether a point of the curve of G2 is in the group; otherwise the library checks it. */
  readonly membershipOfG2?: (mcl: Mcl) => (point: number) => boolean;
}

export interface Group {
  /** Length of a point in the input. */
  readonly bytes: number;
  /** Length of a point in the module. */
  readonly size: number;
  /** @param at Position of the field elements, one after another. @returns whether they were below the prime. */
  readField(to: number, input: Uint8Array, count: number): boolean;
  /** @returns whether it is a point of the curve, or infinity. */
  read(to: number, point: Uint8Array): boolean;
  /** Whether a point of the curve is in the group. */
  includes(point: number): boolean;
  isZero(point: number): boolean;
  sum(input: Uint8Array): Uint8Array | undefined;
  /** The sum of points times numbers, a pair after the other. */
  products(input: Uint8Array): Uint8Array | undefined;
  write(point: number): Uint8Array;
}

export interface PairingCurve {
  readonly mcl: Mcl;
  readonly g1: Group;
  readonly g2: Group;
  /** Whether the product of pairings is 1, as a word. Undefined if a point is not in its group. */
  pairing(input: Uint8Array): Uint8Array | undefined;
}

const SCALAR_BYTES = 32;
/** Pairings that share their squarings, and products that share their doublings. More take memory and save little. */
const PAIRS_AT_ONCE = 16;
const PRODUCTS_AT_ONCE = 64;

export async function loadPairingCurve(encoding: Encoding): Promise<PairingCurve> {
  const mcl = await loadMcl(encoding.curve);
  const g1 = createGroup(mcl, encoding, 1);
  const g2 = createGroup(mcl, encoding, 2);
  const lefts = mcl._malloc(PAIRS_AT_ONCE * g1.size);
  const rights = mcl._malloc(PAIRS_AT_ONCE * g2.size);
  const product = mcl._malloc(MCLBN_GT_SIZE);
  const factor = mcl._malloc(MCLBN_GT_SIZE);
  const pairBytes = g1.bytes + g2.bytes;

  /** @returns how many pairs without infinity there are; undefined if a point is invalid. */
  const readPairs = (input: Uint8Array): number | undefined => {
    let count = 0;
    for (let at = 0; at < input.length; at += pairBytes) {
      const left = lefts + count * g1.size;
      const right = rights + count * g2.size;
      if (!g1.read(left, input.subarray(at, at + g1.bytes)) || !g1.includes(left)) return undefined;
      if (!g2.read(right, input.subarray(at + g1.bytes, at + pairBytes)) || !g2.includes(right)) return undefined;
      if (!g1.isZero(left) && !g2.isZero(right)) count += 1;
    }
    return count;
  };

  function pairing(input: Uint8Array): Uint8Array | undefined {
    if (input.length % pairBytes !== 0) return undefined;
    let isFirst = true;
    for (let at = 0; at < input.length; at += PAIRS_AT_ONCE * pairBytes) {
      const count = readPairs(input.subarray(at, at + PAIRS_AT_ONCE * pairBytes));
      if (count === undefined) return undefined;
      if (count === 0) continue;
      mcl._mclBn_millerLoopVec(isFirst ? product : factor, lefts, rights, count);
      if (!isFirst) mcl._mclBnGT_mul(product, product, factor);
      isFirst = false;
    }
    const result = new Uint8Array(32);
    if (!isFirst) {
      // The last exponentiation is as long as a pairing, and one for all of them is enough.
      mcl._mclBn_finalExp(product, product);
      if (mcl._mclBnGT_isOne(product) === 0) return result;
    }
    result[31] = 1;
    return result;
  }

  return { mcl, g1, g2, pairing };
}

/** @param degree Of the field of its coordinates. */
function createGroup(mcl: Mcl, encoding: Encoding, degree: 1 | 2): Group {
  const { fieldBytes, paddedBytes, imaginaryFirst, isReversed, hasCofactor } = encoding;
  const padding = paddedBytes - fieldBytes;
  const size = degree * MCLBN_G1_SIZE;
  const bytes = 2 * degree * paddedBytes;
  /** Place in the module of each element, in the order of reading. */
  const places = [0, 1, 2, 3].map((index) => (degree === 2 && imaginaryFirst ? index ^ 1 : index) * MCLBN_FP_SIZE);
  const isFirst = degree === 1;
  const clear = isFirst ? mcl._mclBnG1_clear : mcl._mclBnG2_clear;
  const isValid = isFirst ? mcl._mclBnG1_isValid : mcl._mclBnG2_isValid;
  const isValidOrder = isFirst ? mcl._mclBnG1_isValidOrder : mcl._mclBnG2_isValidOrder;
  const isZeroPoint = isFirst ? mcl._mclBnG1_isZero : mcl._mclBnG2_isZero;
  const add = isFirst ? mcl._mclBnG1_add : mcl._mclBnG2_add;
  const normalize = isFirst ? mcl._mclBnG1_normalize : mcl._mclBnG2_normalize;
  const mulVec = isFirst ? mcl._mclBnG1_mulVec : mcl._mclBnG2_mulVec;

  const ownCheck = isFirst ? undefined : encoding.membershipOfG2?.(mcl);
  const isInGroup = ownCheck ?? ((point: number) => isValidOrder(point) !== 0);

  const buffer = mcl._malloc(bytes);
  const left = mcl._malloc(size);
  const right = mcl._malloc(size);
  const sum = mcl._malloc(size);
  const points = mcl._malloc(PRODUCTS_AT_ONCE * size);
  const numbers = mcl._malloc(PRODUCTS_AT_ONCE * MCLBN_FR_SIZE);

  const group: Group = {
    bytes,
    size,
    readField(to, input, count) {
      put(mcl, buffer, isReversed ? reversed(input) : input);
      for (let index = 0; index < count; index += 1) {
        const at = index * paddedBytes;
        for (let zero = at; zero < at + padding; zero += 1) if (input[zero] !== 0) return false;
        const place = to + (places[index] ?? 0);
        if (mcl._mclBnFp_deserialize(place, buffer + at + padding, fieldBytes) === 0) return false;
      }
      return true;
    },
    read(to, point) {
      clear(to);
      if (isZero(point)) return true;
      if (!group.readField(to, point, 2 * degree)) return false;
      mcl._mclBnFp_setInt32(to + 2 * degree * MCLBN_FP_SIZE, 1);
      return isValid(to) !== 0;
    },
    includes: (point) => (isFirst && !hasCofactor) || isZeroPoint(point) !== 0 || isInGroup(point),
    isZero: (point) => isZeroPoint(point) !== 0,
    sum(input) {
      if (input.length !== 2 * bytes) return undefined;
      if (!group.read(left, input.subarray(0, bytes)) || !group.read(right, input.subarray(bytes))) return undefined;
      add(left, left, right);
      return group.write(left);
    },
    products(input) {
      const pairBytes = bytes + SCALAR_BYTES;
      if (input.length === 0 || input.length % pairBytes !== 0) return undefined;
      clear(sum);
      for (let start = 0; start < input.length; start += PRODUCTS_AT_ONCE * pairBytes) {
        const end = Math.min(input.length, start + PRODUCTS_AT_ONCE * pairBytes);
        let count = 0;
        for (let at = start; at < end; at += pairBytes) {
          const point = points + count * size;
          if (!group.read(point, input.subarray(at, at + bytes)) || !group.includes(point)) return undefined;
          if (isZeroPoint(point) !== 0) continue;
          put(mcl, buffer, input.subarray(at + bytes, at + pairBytes));
          mcl._mclBnFr_setBigEndianMod(numbers + count * MCLBN_FR_SIZE, buffer, SCALAR_BYTES);
          count += 1;
        }
        if (count === 0) continue;
        mulVec(left, points, numbers, count);
        add(sum, sum, left);
      }
      return group.write(sum);
    },
    write(point) {
      const result = new Uint8Array(bytes);
      if (isZeroPoint(point) !== 0) return result;
      normalize(point, point);
      for (let index = 0; index < 2 * degree; index += 1) {
        mcl._mclBnFp_serialize(buffer, fieldBytes, point + (places[index] ?? 0));
        const element = new Uint8Array(mcl.HEAP8.buffer, buffer, fieldBytes);
        result.set(isReversed ? element.reverse() : element, index * paddedBytes + padding);
      }
      return result;
    },
  };

  const reversed = (input: Uint8Array) => {
    const result = new Uint8Array(input.length);
    for (let start = 0; start < input.length; start += paddedBytes) {
      const last = start + paddedBytes - 1;
      for (let index = 0; index < fieldBytes; index += 1) result[start + padding + index] = input[last - index] ?? 0;
    }
    return result;
  };

  return group;
}

export function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}
