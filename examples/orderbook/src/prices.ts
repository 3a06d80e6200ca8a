import type { HandlerContext } from '@switchyard/rollup/define';
import { marks } from './state.ts';

/*
 * The prices with orders of one side, as bits of 128 words with a bit for each price, and of one word above them with a bit for each
 * word that is not empty. The best price is found by two reads, since a handler reads rows by their keys alone.
 */

type State = HandlerContext['state'];

const WIDTH = 128;
const ABOVE = WIDTH;
export const HIGHEST_PRICE = WIDTH * WIDTH - 1;

const sideOf = (isBid: boolean): number => (isBid ? 1 : 0);

export function mark(state: State, isBid: boolean, price: number, isThere: boolean): void {
  const [side, word] = [sideOf(isBid), Math.trunc(price / WIDTH)];
  const bits = withBit(marks.get(state, [side, word]), price % WIDTH, isThere);
  put(state, side, word, bits);
  put(state, side, ABOVE, withBit(marks.get(state, [side, ABOVE]), word, bits !== 0n));
}

/** The highest bid, or the lowest ask; undefined where there is none. */
export function bestPrice(state: Parameters<typeof marks.get>[0], isBid: boolean): number | undefined {
  const found = isBid ? highestBit : lowestBit;
  const word = found(marks.get(state, [sideOf(isBid), ABOVE]));
  return word < 0 ? undefined : word * WIDTH + found(marks.get(state, [sideOf(isBid), word]));
}

function put(state: State, side: number, word: number, bits: bigint): void {
  if (bits === 0n) marks.delete(state, [side, word]);
  else marks.put(state, [side, word], bits);
}

function withBit(bits: bigint, at: number, isSet: boolean): bigint {
  const bit = 1n << BigInt(at);
  return isSet ? bits | bit : bits & ~bit;
}

/** Place of a bit, from 0; -1 where there is none. */
const highestBit = (bits: bigint): number => (bits === 0n ? -1 : bits.toString(2).length - 1);
const lowestBit = (bits: bigint): number => highestBit(bits & -bits);
