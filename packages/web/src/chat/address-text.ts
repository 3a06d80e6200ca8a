export const shortAddress = (address: string): string => `${address.slice(0, 10)}…${address.slice(-4)}`;

const HUES = 24;

/** Class of the colour of an address: the same on every device. */
export function colourClass(address: string): string {
  let sum = 0;
  for (const character of address) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return `hue-${sum % HUES}`;
}
