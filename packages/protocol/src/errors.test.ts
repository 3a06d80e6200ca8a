import { expect, test } from 'vitest';
import { ForeseenError, REJECTION_CODES, Rejected, type RejectionReason } from './errors.ts';

test('a refusal has a reason and facts', () => {
  const refusal = new Rejected('insufficient-balance', { held: 3n, amount: 5n, asset: 'nria' });
  expect(refusal.message).toBe('insufficient balance: held 3, amount 5, asset nria');
  expect(new Rejected('unauthorized').message).toBe('unauthorized');
  expect(refusal).toBeInstanceOf(Error);
});

// Defect: Stacks of errors took more than half of the time spent on invalid batches
test('an error that clients can cause has no stack, and the next one of ours has', () => {
  class Foreseen extends ForeseenError {}
  for (const error of [new Foreseen('x', { cause: 1 }), new Rejected('malformed')]) {
    expect(error.stack).not.toContain('\n    at ');
  }
  expect(new Foreseen('x', { cause: 1 })).toMatchObject({ message: 'x', cause: 1 });
  expect(new Error('ours').stack).toContain('\n    at ');
});

// Numbers travel between processes and are stored: changing one is an upgrade.
test('the numbers of the reasons never change', () => {
  const pinned: readonly RejectionReason[] = [
    'malformed',
    'bad-signature',
    'nonce-too-low',
    'nonce-too-high',
    'nonce-taken',
    'insufficient-balance',
    'wrong-chain',
    'too-large',
    'empty',
    'overflow',
    'unsupported-action',
    'action-disabled',
    'group-mismatch',
    'fee-asset-not-allowed',
    'unknown-asset',
    'wrong-asset',
    'unauthorized',
    'not-a-bridge',
    'already-a-bridge',
    'is-a-bridge',
    'deposits-disabled',
    'event-already-used',
    'unknown-validator',
    'last-validator',
    'already-present',
    'not-present',
    'not-found',
    'limit-reached',
    'expired',
    'duplicate',
    'not-canonical',
    'bug',
  ];
  expect(pinned.map((reason) => new Rejected(reason).code)).toEqual(pinned.map((_, index) => index + 1));
  expect(Object.keys(REJECTION_CODES).slice(0, pinned.length)).toEqual(pinned);
});
