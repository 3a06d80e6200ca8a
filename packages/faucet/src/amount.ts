/**
 * Units of an amount in decimal coins, such as `0.5`.
 *
 * @param precision Digits after the point that the asset has.
 * @returns undefined for what is not a positive decimal number of at most `precision` digits after the point.
 */
export function parseAmount(text: string, precision: number): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,30})(?:\.(\d{1,30}))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > precision) return undefined;
  const amount = BigInt(whole + fraction.padEnd(precision, '0'));
  return amount === 0n ? undefined : amount;
}
