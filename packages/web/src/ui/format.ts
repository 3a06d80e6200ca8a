import { formatAmount } from '@switchyard/protocol/values';

/* Values for people, in the same form everywhere. */

const COUNT = new Intl.NumberFormat('en');
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Whole numbers in threes; other text stays unchanged, and undefined becomes empty. */
export function formatCount(value: number | string | null | undefined): string {
  const text = String(value ?? '');
  return /^-?\d+$/.test(text) ? COUNT.format(BigInt(text)) : text;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${Math.round(bytes)} B`;
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${significant(bytes / 1_000 ** power)} ${UNITS[power]}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${significant(ms / 1_000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 2 * 86_400_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} d`;
}

/** How long ago something was. Clocks of other machines may be ahead: what seems to come is now. */
export function formatAge(ms: number): string {
  return ms < 1_000 ? 'now' : `${formatDuration(ms < 120_000 ? Math.floor(ms / 1_000) * 1_000 : ms)} ago`;
}

/** Digits of the whole part in threes; nothing is rounded. */
export const grouped = (value: string): string =>
  value.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

/** An amount in the smallest unit, as a decimal number of whole units. */
export const formatUnits = (amount: string, decimals: number): string =>
  /^\d+$/.test(amount) ? grouped(formatAmount(BigInt(amount), decimals)) : amount;

interface Numeral {
  readonly exact: string;
  readonly seen: string;
  /** Digits that are not shown. */
  readonly rest: string;
  readonly unit: string;
}

/** Numbers, but no versions, ids and dates, each with the word after it. */
const NUMERALS = /(?<![\w.,:#/-])(\d[\d,]*(?:\.\d+)?)(?![\w.,:/-]*\d)( [A-Za-z]{1,12}\b)?/g;

/** No amount with its words is as long; the pattern takes time with the square of a row of digits. */
const MAX_TEXT = 500;

/** A text of ours in its parts: words, and numbers with their units. */
export function numeralsIn(text: string): (string | Numeral)[] {
  if (text.length > MAX_TEXT) return [text];
  const parts: (string | Numeral)[] = [];
  let at = 0;
  for (const { 0: exact, 1: number = '', 2: unit = '', index } of text.matchAll(NUMERALS)) {
    const [seen, rest] = cutNumber(number);
    parts.push(text.slice(at, index), { exact, seen, rest, unit });
    at = index + exact.length;
  }
  return [...parts, text.slice(at)].filter((part) => part !== '');
}

/** A decimal number in its first six digits that matter, and the digits after them: its whole part is never cut. */
export function cutNumber(number: string): readonly [seen: string, rest: string] {
  const [whole = '', fraction = ''] = number.split('.');
  const zeros = /^0*$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.replace(/\D/g, '').length;
  const kept = Math.max(0, zeros + 6);
  const seen = fraction.slice(0, kept).replace(/0+$/, '');
  if (fraction.length <= kept) return [number, ''];
  return seen === '' ? [whole, `.${fraction}`] : [`${whole}.${seen}`, fraction.slice(seen.length)];
}

/** Three digits that matter, and no more zeros than needed. */
export function significant(value: number): string {
  if (value >= 1_000) return COUNT.format(Math.round(value));
  return String(Number(value.toPrecision(3)));
}

/** The name of a kind as words: `rollupDataSubmission` is `rollup data submission`. */
export function words(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, ' ').toLowerCase();
}
