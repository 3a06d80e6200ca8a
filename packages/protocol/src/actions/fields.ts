/** Conversions of fields that several actions have. */
import { type Address, formatAddress, parseAnyAddress } from '../address.ts';
import { Rejected } from '../errors.ts';
import type { Address as WireAddress, RollupId as WireRollupId } from '../gen/astria/primitive/v1/types_pb.ts';
import { type RollupId, rollupIdBytes, rollupIdFromBytes } from '../ids.ts';

export const addressToWire = ({ account, prefix }: Address) => ({ bech32m: formatAddress(account, prefix) });

export function addressFromWire(part: string, message: WireAddress | undefined): Address {
  return parseAnyAddress(present(part, message).bech32m);
}

export function optionalAddressFromWire(message: WireAddress | undefined): Address | undefined {
  return message && parseAnyAddress(message.bech32m);
}

export const rollupToWire = (rollup: RollupId) => ({ inner: rollupIdBytes(rollup) });

export const rollupFromWire = (message: WireRollupId | undefined): RollupId =>
  rollupIdFromBytes(present('rollup id', message).inner);

/** @throws {Rejected} `malformed`. */
export function present<T>(part: string, value: T | undefined): T {
  if (value === undefined) throw absent(part);
  return value;
}

export function absent(part: string): Rejected {
  return new Rejected('malformed', { part, expected: 'present' });
}
