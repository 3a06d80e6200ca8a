/** Fields that actions are made of, each with its conversions from and to the wire. */
import { type Address, formatAddress, parseAnyAddress } from '../accounts/address.ts';
import { type Denom, parseDenom } from '../accounts/asset.ts';
import { type RollupId, rollupIdBytes, rollupIdFromBytes } from '../accounts/ids.ts';
import { u128FromWire, u128ToWire } from '../bytes/uint128.ts';
import { Rejected } from '../errors.ts';
import type { Uint128, Address as WireAddress, RollupId as WireRollupId } from '../gen/astria/primitive/v1/types_pb.ts';

/** A member of an action. @typeParam W What the message has. */
export interface Field<T, W, N extends string = string> {
  /** The field of the message. */
  readonly name: N;
  /** @throws {Rejected} `malformed` */
  fromWire(value: W): T;
  /** Undefined for a field that is left out. */
  toWire(value: T): unknown;
}

type Maybe<W> = W | undefined;

const addressToWire = ({ account, prefix }: Address) => ({ bech32m: formatAddress(account, prefix) });

export const address = <N extends string>(name: N): Field<Address, Maybe<WireAddress>, N> => ({
  name,
  fromWire: (message) => parseAnyAddress(present(name, message).bech32m),
  toWire: addressToWire,
});

export const optionalAddress = <N extends string>(name: N): Field<Maybe<Address>, Maybe<WireAddress>, N> => ({
  name,
  fromWire: (message) => message && parseAnyAddress(message.bech32m),
  toWire: (value) => value && addressToWire(value),
});

export const rollup = <N extends string>(name: N): Field<RollupId, Maybe<WireRollupId>, N> => ({
  name,
  fromWire: (message) => rollupIdFromBytes(present(name, message).inner),
  toWire: (value) => ({ inner: rollupIdBytes(value) }),
});

/** @param isRequired Else an absent amount is zero. */
export const amount = <N extends string>(name: N, isRequired = true): Field<bigint, Maybe<Uint128>, N> => ({
  name,
  fromWire: (message) => u128FromWire(isRequired ? present(name, message) : message),
  toWire: u128ToWire,
});

export const denom = <N extends string>(name: N): Field<Denom, string, N> => ({
  name,
  fromWire: parseDenom,
  toWire: ({ text }) => text,
});

/** Text that must not be empty. */
export const someText = <N extends string>(name: N): Field<string, string, N> => ({
  name,
  fromWire: (text) => present(name, text === '' ? undefined : text),
  toWire: (text) => text,
});

/** A value that is the same on both sides. */
export const asIs =
  <T>() =>
  <N extends string>(name: N): Field<T, T, N> => ({ name, fromWire: (value) => value, toWire: (value) => value });

export const text = asIs<string>();
export const flag = asIs<boolean>();
export const bytes = asIs<Uint8Array>();
export const number = asIs<bigint>();

/** @throws {Rejected} `malformed`. */
export function present<T>(name: string, value: T | undefined): T {
  if (value !== undefined) return value;
  const part = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  throw new Rejected('malformed', { part, expected: 'present' });
}
