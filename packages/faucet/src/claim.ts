import type { SignedPayment } from './payer.ts';

/** Somebody's request for funds, from the moment it is accepted. */
export interface Claim {
  /** Counts from 1. */
  readonly id: number;
  /** In the one spelling of the chain. */
  readonly address: string;
  /** Who asked, as `clientOf` names it. Never shown. */
  readonly client: string;
  /** In the smallest unit: what was promised, whatever the settings say later. */
  readonly amount: bigint;
  /** When it was accepted, in milliseconds since 1970. */
  readonly at: number;
  /** Signed for it, all with one nonce, the newest last. On disk before any of them is sent. */
  readonly payments: readonly SignedPayment[];
  readonly end?: ClaimEnd;
}

export type ClaimEnd =
  | {
      readonly kind: 'paid';
      readonly hash: string;
      readonly block: bigint;
      readonly nonce: bigint;
      readonly at: number;
    }
  | { readonly kind: 'failed'; readonly reason: string; readonly hash?: string; readonly at: number };

/** As text for the disk. Hex and decimal text for what JSON has no numbers for. */
export function encodeClaim(claim: Claim): string {
  return JSON.stringify(claim, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/** @throws {Error} where the text is no claim: somebody else has written into the database. */
export function decodeClaim(text: string): Claim {
  const value = object(JSON.parse(text));
  const end = value.end === undefined ? undefined : decodeEnd(object(value.end));
  if (!Array.isArray(value.payments)) throw malformed('payments', value.payments);
  return {
    id: number(value.id),
    address: string(value.address),
    client: string(value.client),
    amount: BigInt(string(value.amount)),
    at: number(value.at),
    payments: value.payments.map(decodePayment),
    ...(end !== undefined && { end }),
  };
}

function decodePayment(value: unknown): SignedPayment {
  const { nonce, hash, bytes, cost } = object(value);
  return { nonce: BigInt(string(nonce)), hash: string(hash), bytes: string(bytes), cost: BigInt(string(cost)) };
}

function decodeEnd({ kind, hash, block, nonce, reason, at }: Readonly<Record<string, unknown>>): ClaimEnd {
  if (kind === 'paid') {
    return { kind, hash: string(hash), block: BigInt(string(block)), nonce: BigInt(string(nonce)), at: number(at) };
  }
  return { kind: 'failed', reason: string(reason), ...(hash !== undefined && { hash: string(hash) }), at: number(at) };
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw malformed('an object', value);
  // Any object can be asked for members that it may lack.
  return value as Readonly<Record<string, unknown>>;
}

function string(value: unknown): string {
  if (typeof value !== 'string') throw malformed('text', value);
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw malformed('a number', value);
  return value;
}

function malformed(expected: string, got: unknown): Error {
  return new Error(`the database of claims is damaged: expected ${expected}, got ${typeof got}`);
}
