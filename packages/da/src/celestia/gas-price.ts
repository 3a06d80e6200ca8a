/** Prices of gas, in utia for a unit: exact decimals, as the layer computes with them. */

/** A price in units of 10^-18 utia, the precision of Cosmos. */
export type GasPrice = bigint;

const DIGITS = 18;
const ONE = 10n ** BigInt(DIGITS);
/** Far above the total supply of utia. */
const MAX_INTEGER_DIGITS = 12;

/** A decimal such as `0.004`, with or without `utia` behind it. Undefined for other text. */
export function parseGasPrice(text: string): GasPrice | undefined {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d{1,18}))?(?:utia)?$/.exec(text) ?? [];
  if (whole === '' || whole.length > MAX_INTEGER_DIGITS) return undefined;
  return BigInt(whole) * ONE + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** From the floating point of an estimate. Undefined for other values. */
export function gasPriceFromNumber(value: number): GasPrice | undefined {
  return value >= 0 && value < 10 ** MAX_INTEGER_DIGITS ? parseGasPrice(value.toFixed(DIGITS)) : undefined;
}

/** The shortest decimal. */
export function formatGasPrice(price: GasPrice): string {
  const fraction = String(price % ONE)
    .padStart(DIGITS, '0')
    .replace(/0+$/, '');
  return `${price / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** In utia, rounded up as the layer does. */
export function feeFor(gas: bigint, price: GasPrice): bigint {
  return (gas * price + ONE - 1n) / ONE;
}

/** The least price at which this much gas costs at least the fee. */
export function priceFor(fee: bigint, gas: bigint): GasPrice {
  return gas === 0n ? 0n : (fee * ONE + gas - 1n) / gas;
}
