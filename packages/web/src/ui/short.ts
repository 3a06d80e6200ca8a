/** Shorter ids, such as heights or names, are shown whole and typed rather than copied. */
export const SHORT = 20;

/** An address or a hash without its middle. */
export const shortId = (text: string): string =>
  text.length <= SHORT ? text : `${text.slice(0, 10)}…${text.slice(-6)}`;

const HUES = 24;

/** Style of what has the colour of an account: the same on every device and every page. */
export function colourOf(address: string): { readonly '--hue': string } {
  let sum = 0;
  for (const character of address) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return { '--hue': String((sum % HUES) * (360 / HUES)) };
}
