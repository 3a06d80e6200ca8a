import type { SignedPayment } from './payer.ts';

/** A request for funds, from the moment it is accepted. */
interface ClaimRequest {
  /** Counts from 1. */
  readonly id: number;
  /** In the canonical spelling of the chain. */
  readonly address: string;
  /** Who asked, as `clientOf` names it. Never shown. */
  readonly client: string;
  /** In the smallest unit: what was promised, whatever the settings are later. */
  readonly amount: bigint;
  /** When it was accepted, in milliseconds since 1970. */
  readonly at: number;
}

export interface QueuedClaim extends ClaimRequest {
  readonly kind: 'queued';
}

export interface SignedClaim extends ClaimRequest {
  readonly kind: 'signed';
  /** All with one nonce, the newest last. On disk before any of them is sent. */
  readonly payments: readonly [SignedPayment, ...SignedPayment[]];
}

export interface PaidClaim extends ClaimRequest {
  readonly kind: 'paid';
  readonly hash: string;
  readonly block: bigint;
  readonly nonce: bigint;
  readonly endedAt: number;
}

export interface FailedClaim extends ClaimRequest {
  readonly kind: 'failed';
  readonly reason: string;
  /** Of the payment that failed in a block. */
  readonly hash?: string;
  readonly endedAt: number;
}

/** Neither paid nor failed. */
export type OpenClaim = QueuedClaim | SignedClaim;
export type Claim = OpenClaim | PaidClaim | FailedClaim;

export const isOpen = (claim: Claim): claim is OpenClaim => claim.kind === 'queued' || claim.kind === 'signed';

/** What all kinds of claims have. */
export function requestOf({ id, address, client, amount, at }: Claim): ClaimRequest {
  return { id, address, client, amount, at };
}

/** The newest payment, which is the one that is sent. */
export function lastPayment({ payments }: SignedClaim): SignedPayment {
  return payments.at(-1) ?? payments[0];
}

/** As text for the disk. Hex and decimal text for what JSON has no numbers for. */
export function encodeClaim(claim: Claim): string {
  const payments = claim.kind === 'signed' ? claim.payments : [];
  const row = { ...requestOf(claim), payments, end: endOf(claim) };
  return JSON.stringify(row, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function endOf(claim: Claim) {
  switch (claim.kind) {
    case 'queued':
    case 'signed':
      return undefined;
    case 'paid':
      return { kind: claim.kind, hash: claim.hash, block: claim.block, nonce: claim.nonce, at: claim.endedAt };
    case 'failed':
      return { kind: claim.kind, reason: claim.reason, hash: claim.hash, at: claim.endedAt };
  }
}

/** @throws {Error} for text that is no claim: something else has written into the database. */
export function decodeClaim(text: string): Claim {
  const value = object(JSON.parse(text));
  const request = {
    id: number(value.id),
    address: string(value.address),
    client: string(value.client),
    amount: BigInt(string(value.amount)),
    at: number(value.at),
  };
  if (!Array.isArray(value.payments)) throw malformed('payments', value.payments);
  if (value.end !== undefined) return { ...request, ...decodeEnd(object(value.end)) };
  const [first, ...others] = value.payments.map(decodePayment);
  return first === undefined
    ? { kind: 'queued', ...request }
    : { kind: 'signed', ...request, payments: [first, ...others] };
}

function decodePayment(value: unknown): SignedPayment {
  const { nonce, hash, bytes, cost } = object(value);
  return { nonce: BigInt(string(nonce)), hash: string(hash), bytes: string(bytes), cost: BigInt(string(cost)) };
}

function decodeEnd({ kind, hash, block, nonce, reason, at }: Readonly<Record<string, unknown>>) {
  const endedAt = number(at);
  if (kind === 'paid') {
    return { kind, hash: string(hash), block: BigInt(string(block)), nonce: BigInt(string(nonce)), endedAt } as const;
  }
  return {
    kind: 'failed',
    reason: string(reason),
    ...(hash !== undefined && { hash: string(hash) }),
    endedAt,
  } as const;
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
