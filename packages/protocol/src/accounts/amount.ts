import { U128_MAX } from '../bytes/uint128.ts';
import { ForeseenError } from '../errors.ts';

/** A typed amount that cannot be used. */
export class InvalidAmount extends ForeseenError {
  override readonly name = 'InvalidAmount';
  /** Completes the phrase "expected ...". For a text with two meanings, both of them. */
  readonly expected: string;

  constructor(expected: string, text: string) {
    super(`expected ${expected}, got ${JSON.stringify(text.length > 50 ? `${text.slice(0, 50)}...` : text)}`);
    this.expected = expected;
  }
}

const GROUPED = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/;
/** 2^128 with as many digits after the point as any asset has. */
const LONGEST = 80;

/**
 * Smallest units of an amount that a person typed. The decimal sign is a point. Commas may separate groups of three
 * digits in places in which no reader could take one for a decimal sign, as in `1,000,000` and `1,000.5`.
 *
 * @param decimals Digits after the point that the asset has.
 * @param minimum In the smallest unit.
 * @throws {InvalidAmount} also for amounts that do not fit 128 bits.
 */
export function parseAmount(text: string, decimals: number, minimum: 0n | 1n = 1n): bigint {
  const typed = text.trim();
  const readings = typed.length > LONGEST ? [] : getReadings(typed);
  const [reading] = readings;
  if (reading !== undefined && typed.includes(',') && (readings.length > 1 || !GROUPED.test(typed)))
    throw new InvalidAmount(`${readings.join(' or ')}, written without commas`, text);
  const [whole = '', fraction = ''] = reading?.split('.') ?? [];
  const units = whole === '' || fraction.length > decimals ? -1n : BigInt(whole + fraction.padEnd(decimals, '0'));
  if (units >= minimum && units <= U128_MAX) return units;
  const above = minimum === 0n ? '' : ' above 0';
  const expected =
    decimals === 0
      ? `a whole number${above && `${above} and`} below 2^128`
      : units > U128_MAX
        ? 'an amount below 2^128 smallest units'
        : `a number${above} with at most ${decimals} digits after the point`;
  throw new InvalidAmount(expected, text);
}

/** The numbers that a text can mean: with commas between groups of digits, and with a comma as its decimal sign. */
function getReadings(text: string): string[] {
  const readings = [
    /^\d[\d,]*(\.\d+)?$/.test(text) ? text.replaceAll(',', '') : undefined,
    /^\d[\d.]*,\d+$/.test(text) ? text.replaceAll('.', '').replace(',', '.') : undefined,
  ];
  return readings.flatMap((each) => each?.replace(/^0+(?=\d)/, '') ?? []);
}

/** An amount in coins, exactly, without zeros at its end: the reverse of {@link parseAmount}. */
export function formatAmount(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
