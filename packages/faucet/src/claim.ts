import { errorLine } from '@switchyard/service';
import { type Input, list, object, optional, parseInput, type Read, text } from '@switchyard/service/input';
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
export function requestOf({ id, address, client, amount, at }: Claim): ClaimRequest {
  return { id, address, client, amount, at };
}

/** The newest payment, which is the sent one. */
export function lastPayment({ payments }: SignedClaim): SignedPayment {
  return payments.at(-1) ?? payments[0];
}

/** Text for the disk, with hex and decimal text if JSON has no numbers. */
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
export function decodeClaim(encoded: string): Claim {
  try {
    const { end, payments, ...request } = claimRecord(parseInput(encoded, 'claim'));
    if (end !== undefined) return { ...request, ...end };
    const [first, ...others] = payments;
    return first === undefined
      ? { kind: 'queued', ...request }
      : { kind: 'signed', ...request, payments: [first, ...others] };
  } catch (error) {
    throw new Error(`the database of claims is damaged: ${errorLine(error)}`, { cause: error });
  }
}

const big: Read<bigint> = (input) => input.big();
const time: Read<number> = (input) => (typeof input.value === 'number' ? input.value : input.fail('a number'));
const payment = object({ nonce: big, hash: text, bytes: text, cost: big });
const paid = object({ hash: text, block: big, nonce: big, at: time });
const failed = object({ reason: text, hash: optional(text), at: time });

/** Other kinds are failures too. */
function claimEnd(input: Input) {
  if (input.at('kind').value === 'paid') {
    const { at: endedAt, ...end } = paid(input);
    return { kind: 'paid', ...end, endedAt } as const;
  }
  const { at: endedAt, hash, reason } = failed(input);
  return { kind: 'failed', reason, ...(hash !== undefined && { hash }), endedAt } as const;
}

const claimRecord = object({
  id: (input) => input.integer(),
  address: text,
  client: text,
  amount: big,
  at: time,
  payments: list(payment),
  end: optional(claimEnd),
});
