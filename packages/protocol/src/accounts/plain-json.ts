import { type Address, formatAddress } from './address.ts';
import { toHex } from './ids.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * A value of ours for people, made from its type, so that a new kind needs nothing here: addresses as text, amounts
 * as decimal text, bytes in hex, assets by their names.
 */
export function plainJson(value: unknown): Json {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plainJson);
  if (isAddress(value)) return formatAddress(value.account, value.prefix);
  if (isDenom(value)) return value.text;
  const present = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(present.map(([key, each]) => [key, plainJson(each)]));
}

function isAddress(value: object): value is Address {
  return 'account' in value && 'prefix' in value;
}

function isDenom(value: object): value is { readonly text: string } {
  return 'text' in value && 'form' in value && 'id' in value && typeof value.text === 'string';
}
