import { keccak256, toHex } from '@switchyard/protocol';

/** Pages show the same addresses again and again, and hashing one takes longer than the rest of its row. */
const known = new Map<string, string>();
const MAX_KNOWN = 20_000;

/** With `0x` and the capitals of EIP-55. @param hex 40 lower-case digits. */
export function checksummed(hex: string): string {
  const found = known.get(hex);
  if (found !== undefined) return found;
  if (known.size >= MAX_KNOWN) known.clear();
  const made = withCapitals(hex);
  known.set(hex, made);
  return made;
}

function withCapitals(hex: string): string {
  const digest = toHex(keccak256(new TextEncoder().encode(hex)));
  const cased = [...hex].map((digit, at) =>
    Number.parseInt(digest[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  return `0x${cased.join('')}`;
}
