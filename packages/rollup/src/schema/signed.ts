import { schema } from '@switchyard/service/input';
import { digitsSchema, u64, u128, withDefault } from './scalars.ts';
import { type Type, unfit } from './type.ts';

/* Integers with a sign, in the zigzag form that protobuf has for sint32 and sint64: small ones of either sign take few bytes. */

const HIGHEST_32 = 0x7fff_ffff;

/** A whole number from -2^31 to 2^31 - 1. See the example of {@link u64}. */
export const i32: Type<number> = withDefault(0, {
  description: { type: 'i32' },
  maxBytes: 5,
  write(writer, number, value) {
    if (!Number.isInteger(value) || value < -HIGHEST_32 - 1 || value > HIGHEST_32)
      throw unfit('a whole number from -2^31 to 2^31 - 1', value);
    writer.uint32Always(number, ((value << 1) ^ (value >> 31)) >>> 0);
  },
  read(reader) {
    const found = reader.uint32();
    return (found >>> 1) ^ -(found & 1);
  },
  json: schema((input) => Number(input.big(BigInt(-HIGHEST_32 - 1), BigInt(HIGHEST_32))), {
    ...{ expects: 'a whole number from -2^31 to 2^31 - 1', example: '-1' },
    json: { type: 'integer', minimum: -HIGHEST_32 - 1, maximum: HIGHEST_32 },
  }),
});

/** A whole number from -2^63 to 2^63 - 1; in JSON as text. See the example of {@link u64}. */
export const i64: Type<bigint> = signed(64n, u64);
/** A whole number from -2^127 to 2^127 - 1; in JSON as text. See the example of {@link u64}. */
export const i128: Type<bigint> = signed(128n, u128);

/** @param unsigned The type whose bytes hold it. */
function signed(bits: bigint, unsigned: Type<bigint>): Type<bigint> {
  const lowest = -(1n << (bits - 1n));
  const expects = `a whole number from -2^${bits - 1n} to 2^${bits - 1n} - 1`;
  return withDefault<bigint>(0n, {
    description: { type: `i${bits}` },
    maxBytes: unsigned.maxBytes,
    write(writer, number, value) {
      if (typeof value !== 'bigint' || value < lowest || value >= -lowest) throw unfit(expects, value);
      unsigned.write(writer, number, value < 0n ? -2n * value - 1n : 2n * value);
    },
    read(reader) {
      // The type of bigints reads nothing else.
      const found = unsigned.read(reader) as bigint;
      return found & 1n ? -(found >> 1n) - 1n : found >> 1n;
    },
    json: digitsSchema(lowest, -lowest - 1n, expects),
    toJson: String,
  });
}
