import type { Timestamp } from '@switchyard/protocol';

/** RFC 3339 in UTC, with as many digits after the second as it takes. */
export function rfc3339({ seconds, nanos }: Timestamp): string {
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return `${seconds} s after 1970-01-01T00:00:00Z`;
  const fraction = nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, -5)}${fraction}Z`;
}
