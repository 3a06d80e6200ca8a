import { type AccountId, formatAddress } from '@switchyard/protocol';
import type { Row, Value } from '../store/store.ts';
import { time } from './page.ts';

/* Rows as the API shows them. */

/** How accounts are written on this chain. */
export type AddressText = (account: Value | undefined) => string | null;

export const addressText =
  (prefix: string): AddressText =>
  (account) =>
    typeof account === 'string' && /^[0-9a-f]{40}$/.test(account) ? formatAddress(account as AccountId, prefix) : null;

export const blockJson = (row: Row) => ({
  height: row.height,
  hash: row.hash,
  time: time(row.time),
  proposer: row.proposer,
  size: row.size,
  transactions: row.transactions,
  failed: row.failed,
  submissions: row.submissions,
  submissionBytes: row.submission_bytes,
  deposits: row.deposits,
  // Known once the next block is there.
  commit: row.signed === null ? null : { round: row.round, signed: row.signed, validators: row.validators },
});

export const transactionJson = (row: Row, address: AddressText) => ({
  hash: row.hash,
  height: row.height,
  position: row.position,
  time: time(row.time),
  signer: address(row.signer),
  nonce: row.nonce,
  code: row.code,
  reason: row.reason === '' ? null : row.reason,
  size: row.size,
  actionCount: row.action_count,
  kinds: row.kinds === '' ? [] : String(row.kinds).split(','),
  fees: JSON.parse(String(row.fees)) as unknown,
});

export const TRANSACTION_COLUMNS =
  't.hash, t.height, t.position, b.time, t.signer, t.nonce, t.code, t.reason, t.size, t.action_count, t.kinds, t.fees';
export const TRANSACTIONS = 'transactions t JOIN blocks b ON b.height = t.height';

export const rollupBlockJson = (row: Row) => ({
  number: row.number,
  hash: row.hash,
  time: time(row.time),
  seen: time(row.seen),
  sequencerHeight: row.height ?? null,
  sequencerBlockHash: row.sequencer_hash,
  executed: row.executed,
  refused: row.refused,
  deposits: row.deposits,
  skippedDeposits: row.skipped_deposits,
});

export const ROLLUP_BLOCK_COLUMNS =
  'r.rollup, r.number, r.hash, r.time, r.seen, r.sequencer_hash, r.executed, r.refused, r.deposits, r.skipped_deposits, b.height';
export const ROLLUP_BLOCKS = 'rollup_blocks r LEFT JOIN blocks b ON b.hash = r.sequencer_hash';
