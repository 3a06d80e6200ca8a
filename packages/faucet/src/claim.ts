import { stored, storedRecord } from '@switchyard/protocol';
import type { SignedPayment } from './payer.ts';

/** A request for funds, from the moment it is accepted. */
interface ClaimRequest {
  /** Counts from 1. */
  readonly id: number;
  /** In the canonical spelling of the chain. */
  readonly address: string;
  /** Name of the client by `clientOf`. Never shown. */
  readonly client: string;
  /** In the smallest unit: the promised amount, regardless of later settings. */
  readonly amount: bigint;
  /** When it was accepted, in milliseconds since 1970. */
  readonly at: number;
}

export interface QueuedClaim extends ClaimRequest {
  readonly kind: 'queued';
}

export interface SignedClaim extends ClaimRequest {
  readonly kind: 'signed';
  readonly nonce: number;
  /** All with that nonce, the newest last. On disk before any of them is sent. */
  readonly payments: readonly [SignedPayment, ...SignedPayment[]];
}

export interface PaidClaim extends ClaimRequest {
  readonly kind: 'paid';
  readonly hash: string;
  readonly block: bigint;
  readonly nonce: number;
  readonly endedAt: number;
}

export interface FailedClaim extends ClaimRequest {
  readonly kind: 'failed';
  readonly reason: string;
  /** Hash of the payment that failed in a block. */
  readonly hash?: string;
  readonly endedAt: number;
}

/** Neither paid nor failed. */
export type OpenClaim = QueuedClaim | SignedClaim;
export type Claim = OpenClaim | PaidClaim | FailedClaim;

export const isOpen = (claim: Claim): claim is OpenClaim => claim.kind === 'queued' || claim.kind === 'signed';

/** Whether nothing was spent on a claim that is decided: a claim that failed in a block has cost the fee. */
export const isFree = (claim: Claim): boolean => claim.kind === 'failed' && claim.hash === undefined;

/** Fields that all kinds of claims have. */
export function toRequest({ id, address, client, amount, at }: Claim): ClaimRequest {
  return { id, address, client, amount, at };
}

/** The newest payment, which is the sent one. */
export function lastPayment({ payments }: SignedClaim): SignedPayment {
  return payments.at(-1) ?? payments[0];
}

const { text, whole, list, optional } = stored;
/** Amounts of EVM chains have up to 256 bits. */
const amount = stored.mapped(text, BigInt, String);
const payment = storedRecord('payment', { hash: [1, text], bytes: [2, text], cost: [3, amount] });
const claimRecord = storedRecord('claim', {
  ...{ kind: [1, text], id: [2, whole], address: [3, text], client: [4, text], amount: [5, amount], at: [6, whole] },
  ...{ nonce: [7, whole], payments: [8, list(payment)], hash: [9, optional(text)], block: [10, optional(amount)] },
  ...{ reason: [11, text], endedAt: [12, whole] },
});
const ABSENT = { nonce: 0, payments: [], hash: undefined, block: undefined, reason: '', endedAt: 0 };

export const encodeClaim = (claim: Claim): Uint8Array => claimRecord.encode({ ...ABSENT, ...claim });

/** @throws {Error} for bytes that are no claim: something else has written into the database. */
export function decodeClaim(bytes: Uint8Array): Claim {
  const { kind, nonce, payments, hash, block, reason, endedAt, ...request } = claimRecord.decode(bytes);
  const [first, ...others] = payments;
  if (kind === 'queued') return { kind, ...request };
  if (kind === 'signed' && first !== undefined) return { kind, ...request, nonce, payments: [first, ...others] };
  if (kind === 'paid' && hash !== undefined && block !== undefined)
    return { kind, ...request, hash, block, nonce, endedAt };
  if (kind === 'failed') return { kind, ...request, reason, ...(hash !== undefined && { hash }), endedAt };
  throw new Error(`the database of claims is damaged: claim ${request.id} has no known state`);
}
