import type { Timestamp } from '../bytes/timestamp.ts';

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Seconds from the year 1 to 1970: the form in which Go prints an unset time. */
export const ZERO_TIME: Timestamp = { seconds: -62_135_596_800n, nanos: 0 };

/** Reads a time with up to nine digits after the point; `undefined` for any other text, also for a 30th of February. */
export function parseRfc3339(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const utc = new Date(0);
  utc.setUTCFullYear(year, month - 1, day);
  utc.setUTCHours(hour, minute, second);
  const same = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day && utc.getUTCHours() === hour;
  if (!same || utc.getUTCMinutes() !== minute || part(9) > 23 || part(10) > 59) return undefined;
  const offset = (part(9) * 60 + part(10)) * 60 * (match[8] === '-' ? -1 : 1);
  return { seconds: BigInt(utc.getTime() / 1_000 - offset), nanos: Number((match[7] ?? '').padEnd(9, '0')) };
}

/** The form CometBFT prints: UTC, and only as many digits after the point as there are. */
export function formatRfc3339({ seconds, nanos }: Timestamp): string {
  const whole = new Date(Number(seconds) * 1_000).toISOString().replace(/\.\d+Z$/, '');
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${whole}${fraction}Z`;
}

/** One millisecond later: the least by which CometBFT lets block times rise. */
export function oneMillisecondAfter({ seconds, nanos }: Timestamp): Timestamp {
  const moved = nanos + 1_000_000;
  return moved < 1_000_000_000 ? { seconds, nanos: moved } : { seconds: seconds + 1n, nanos: moved - 1_000_000_000 };
}
