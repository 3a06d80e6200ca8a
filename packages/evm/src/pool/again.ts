import type { RefusalCode } from '../refusals.ts';
import type { LocalOutcome } from './deps.ts';
import type { Entry } from './entries.ts';

/** Refusals of transactions that a later block can take. */
const FIT_LATER: ReadonlySet<string> = new Set([
  'block-gas',
  'nonce-too-high',
  'fee-cap-too-low',
] satisfies RefusalCode[]);
/** So often a transaction is sent again that blocks had no room for. */
const MAX_TRIES = 100;

/** Whether a transaction that a block has refused with this code can be in a later one. */
export function fitsLater(code: string): boolean {
  return FIT_LATER.has(code);
}

/** It was refused so often that it is not sent again. */
export function isHopeless({ rejections }: Pick<Entry, 'rejections'>): boolean {
  return rejections > MAX_TRIES;
}

/** The end of a transaction whose nonce another one has used. */
export function nonceTooLow(nonce: bigint, next: bigint): LocalOutcome {
  return { kind: 'refused', code: 'nonce-too-low', reason: `nonce too low: next nonce ${next}, tx nonce ${nonce}` };
}
