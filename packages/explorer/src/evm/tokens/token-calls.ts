/* Calls of the token standards, and their answers. Bytes are hex without `0x`. */

const word = (hex: string) => hex.padStart(64, '0');

export const NAME = '06fdde03';
export const SYMBOL = '95d89b41';
export const DECIMALS = '313ce567';
export const TOTAL_SUPPLY = '18160ddd';
export const balanceOf = (holder: string) => `70a08231${word(holder)}`;
/** Call of ERC-1155. @param id 64 hex digits. */
export const balanceOfItem = (holder: string, id: string) => `00fdd58e${word(holder)}${id}`;

/** The first word of an answer. */
export function numberIn(answer: string | undefined): bigint | undefined {
  return answer === undefined || answer.length < 64 ? undefined : BigInt(`0x${answer.slice(0, 64)}`);
}

/**
 * A text as the ABI has it, or in one word as early tokens have it. Its creator chose it: it may be anything.
 *
 * @param most Characters; the rest is cut.
 */
export function textIn(answer: string | undefined, most: number): string | undefined {
  if (answer === undefined || answer.length < 64) return undefined;
  const bytes = answer.length === 64 ? answer.replace(/(00)+$/, '') : textBytes(answer, most);
  if (bytes === undefined || bytes.length % 2 !== 0) return undefined;
  const text = new TextDecoder().decode(Buffer.from(bytes, 'hex'));
  // Cut by characters, so that none is halved.
  return [...text].slice(0, most).join('');
}

function textBytes(answer: string, most: number): string | undefined {
  const offset = 2 * smallNumber(answer.slice(0, 64));
  const length = 2 * smallNumber(answer.slice(offset, offset + 64));
  if (Number.isNaN(length) || answer.length < offset + 64 + length) return undefined;
  // A character has at most four bytes.
  return answer.slice(offset + 64, offset + 64 + Math.min(length, 8 * most));
}

const smallNumber = (hex: string): number => (/^0{56}[0-9a-f]{8}$/.test(hex) ? Number.parseInt(hex, 16) : Number.NaN);
