import { type Action, type Address, formatAddress, toHex, txHashOf } from '@switchyard/protocol';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** More of one transaction are counted, not stored: a bundle has hundreds, and each is a row of its own anyway. */
export const MAX_STORED_ACTIONS = 64;

/**
 * An action for people, made from what its type has, so that a new kind needs nothing here: addresses as text, amounts as
 * decimal text, bytes in hex. Data of rollups is left out, with its size and hash in its place.
 */
export function actionJson(action: Action): Json {
  if (action.kind === 'rollupDataSubmission') {
    const { kind, rollup, data, feeAsset } = action;
    return { kind, rollup, bytes: data.length, hash: txHashOf(data), feeAsset: feeAsset.text };
  }
  return jsonOf(action);
}

function jsonOf(value: unknown): Json {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (isAddress(value)) return formatAddress(value.account, value.prefix);
  if (isDenom(value)) return value.text;
  const present = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(present.map(([key, each]) => [key, jsonOf(each)]));
}

function isAddress(value: object): value is Address {
  return 'account' in value && 'prefix' in value;
}

function isDenom(value: object): value is { readonly text: string } {
  return 'text' in value && 'form' in value && 'id' in value && typeof value.text === 'string';
}
