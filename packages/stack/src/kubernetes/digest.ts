import { createHash } from 'node:crypto';

/** Changes with anything that is in these values. */
export function computeDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}
