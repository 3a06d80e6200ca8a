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

/** An amount in decimal coins, exactly, without zeros at its end: the reverse of {@link parseAmount}. */
export function formatAmount(units: bigint, precision: number): string {
  const digits = String(units).padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  const fraction = digits.slice(digits.length - precision).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
