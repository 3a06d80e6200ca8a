import { Rejected } from '../errors.ts';
import type { Uint128 } from '../gen/astria/primitive/v1/types_pb.ts';

export const U128_MAX = (1n << 128n) - 1n;
const LOW_64 = (1n << 64n) - 1n;

/** An absent message counts as zero; if it must be present, the caller looks first. */
export function u128FromWire(message: Pick<Uint128, 'lo' | 'hi'> | undefined): bigint {
  return message === undefined ? 0n : (message.hi << 64n) | message.lo;
}

/** @throws {Rejected} `overflow` */
export function u128ToWire(value: bigint): { readonly lo: bigint; readonly hi: bigint } {
  if (value < 0n || value > U128_MAX) throw new Rejected('overflow', { amount: value, maximum: U128_MAX });
  return { lo: value & LOW_64, hi: value >> 64n };
}

/** Fees never fail for being too big: they stop at the maximum, which no account can pay. */
export function saturateU128(value: bigint): bigint {
  return value > U128_MAX ? U128_MAX : value;
}
