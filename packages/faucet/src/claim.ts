import { errorLine } from '@switchyard/service';
import { list, object, optional, parseInput, type Read, text } from '@switchyard/service/input';
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

/** @throws {Error} where the text is no claim: another program has written into the database. */
export function decodeClaim(encoded: string): Claim {
  try {
    const { end, ...claim } = claimRecord(parseInput(encoded, 'claim'));
    return { ...claim, ...(end !== undefined && { end }) };
  } catch (error) {
    throw new Error(`the database of claims is damaged: ${errorLine(error)}`, { cause: error });
  }
}

const big: Read<bigint> = (input) => input.big();
const time: Read<number> = (input) => (typeof input.value === 'number' ? input.value : input.fail('a number'));
const payment = object({ nonce: big, hash: text, bytes: text, cost: big });
const paid = object({ hash: text, block: big, nonce: big, at: time });
const failed = object({ reason: text, hash: optional(text), at: time });

const claimEnd: Read<ClaimEnd> = (input) => {
  if (input.at('kind').value === 'paid') return { kind: 'paid', ...paid(input) };
  const { hash, ...end } = failed(input);
  return { kind: 'failed', ...end, ...(hash !== undefined && { hash }) };
};

const claimRecord = object({
  id: (input) => input.integer(),
  address: text,
  client: text,
  amount: big,
  at: time,
  payments: list(payment),
  end: optional(claimEnd),
});
