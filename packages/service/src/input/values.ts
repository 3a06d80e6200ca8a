import { parser, type Schema, schema } from './schema.ts';

/* Single values, as documents, settings and arguments have them. */

type Hex = `0x${string}`;

/** Any text in a document; a setting is not empty. */
export const text: Schema<string> = schema((input) => input.text(), {
  expects: 'text',
  example: 'text',
  json: { type: 'string' },
  fromText: (value) => (value === '' ? undefined : value),
});

/** Text of 1 to `maxBytes` bytes. */
export function shortText(maxBytes: number): Schema<string> {
  return parser(`text of 1 to ${maxBytes} bytes`, 'text', (value) =>
    value !== '' && new TextEncoder().encode(value).length <= maxBytes ? value : undefined,
  );
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'on', 'yes'].map((word) => [word, true] as const),
  ...['0', 'false', 'off', 'no'].map((word) => [word, false] as const),
]);

/** In text `1 true on yes` or `0 false off no`, in any letter case. */
export const bool: Schema<boolean> = schema((input) => input.bool(), {
  expects: 'true or false',
  example: 'true',
  json: { type: 'boolean' },
  fromText: (value) => BOOLEANS.get(value.toLowerCase()),
});

const GROUPED = /^-?\d+(_\d+)*$/;

/** A whole number that a `number` holds, or its digits; in settings `_` may group them. Bounds are inclusive. */
export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Schema<number> {
  const isInRange = (value: unknown) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
  const expects =
    max === Number.MAX_SAFE_INTEGER ? `a whole number, at least ${min}` : `a whole number from ${min} to ${max}`;
  return schema(
    (input) => {
      const { value } = input;
      const isDigits = typeof value === 'bigint' || (typeof value === 'string' && /^\d{1,15}$/.test(value));
      return isInRange(isDigits ? Number(value) : value) ?? input.fail(expects);
    },
    {
      ...{ expects, example: String(min), json: { type: 'integer', minimum: min, maximum: max } },
      fromText: (value) => (GROUPED.test(value) ? isInRange(Number(value.replaceAll('_', ''))) : undefined),
    },
  );
}

/** A whole number of this many bits, exactly: a number or its digits. */
export function unsigned(bits: 32 | 64, { min = 0n } = {}): Schema<bigint> {
  const max = (1n << BigInt(bits)) - 1n;
  return schema((input) => input.big(min, max), {
    expects: `a whole number from ${min} to 2^${bits} - 1`,
    example: String(min),
    json: {
      oneOf: [
        { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', pattern: '^[0-9]{16,20}$' },
      ],
    },
    fromText(value) {
      const number = GROUPED.test(value) && value.length <= 40 ? BigInt(value.replaceAll('_', '')) : -1n;
      return number >= min && number <= max ? number : undefined;
    },
  });
}

/** One of a few words, in text in any letter case; the value is the word as listed. */
export function words<const W extends string>(...all: readonly W[]): Schema<W> {
  const expects = `one of ${all.join(', ')}`;
  return schema((input) => all.find((each) => each === input.value) ?? input.fail(expects), {
    ...{ expects, example: all[0] ?? '', json: { type: 'string', enum: all } },
    fromText: (value) => all.find((word) => word.toLowerCase() === value.toLowerCase()),
  });
}

/** Up to 256 bits in hex with `0x`, as Ethereum's JSON-RPC has it; leading zeros count for nothing. */
export const hexQuantity: Schema<bigint> = parser('a number in hex such as 0x1', '0x1', (value) =>
  value.length <= 66 && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : undefined,
);

/** Any whole number of bytes in hex with `0x`, or exactly `length`; in lower case. */
export function hexData(length?: number, expects = length === undefined ? 'bytes' : `${length} bytes`): Schema<Hex> {
  return parser(`${expects} in hex with 0x`, '0x00', (value): Hex | undefined => {
    const fits = length === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * length;
    return fits && /^0x[0-9a-f]*$/i.test(value) ? `0x${value.slice(2).toLowerCase()}` : undefined;
  });
}
