import type { Read } from './input.ts';

/* Values as Ethereum's JSON-RPC writes them: hex with `0x`. */

type Hex = `0x${string}`;

/** Up to 256 bits; leading zeros count for nothing. */
export const hexQuantity: Read<bigint> = (input) => {
  const { value } = input;
  const fits = typeof value === 'string' && value.length <= 66 && /^0x[0-9a-f]+$/i.test(value);
  return fits ? BigInt(value) : input.fail('a number in hex such as 0x1');
};

/** Any whole number of bytes, or exactly `length`; in lower case. */
export function hexData(length?: number): Read<Hex> {
  return (input) => {
    const { value } = input;
    const fits =
      typeof value === 'string' && (length === undefined ? value.length % 2 === 0 : value.length === 2 + 2 * length);
    if (!fits || !/^0x[0-9a-f]*$/i.test(value))
      return input.fail(length === undefined ? 'bytes in hex' : `${length} bytes in hex`);
    return `0x${value.slice(2).toLowerCase()}`;
  };
}
