import { type AccountId, formatAddress } from '@switchyard/protocol';
import { schema } from '@switchyard/service/api';
import type { Row, Value } from '../store/store.ts';
import { number, numberOrNull, text, textOrNull, timeOrNull } from './cells.ts';
import { type LayerPlace, layerSchema } from './layer-places.ts';
import * as form from './schemas.ts';

/* Rows as the API shows them, with their schemas. */

/** How accounts are written on this chain. */
export type AddressText = (account: Value | undefined) => string | null;

export const addressText =
  (prefix: string): AddressText =>
  (account) =>
    typeof account === 'string' && /^[0-9a-f]{40}$/.test(account) ? formatAddress(account as AccountId, prefix) : null;

export type Amount = schema.TypeOf<typeof form.amountSchema>;

/** @param cell That the indexer wrote. */
export const amounts = (cell: Value | undefined): readonly Amount[] => JSON.parse(text(cell)) as readonly Amount[];

export const blockMembers = {
  height: schema.integer('Of the block'),
  hash: form.hash('Of the block'),
  time: schema.nullable(form.time),
  proposer: form.accountBytes('Address of the validator that proposed it'),
  size: schema.integer('Bytes of its transactions'),
  transactions: schema.integer('Transactions in it'),
  failed: schema.integer('Of these, transactions that failed'),
  submissions: schema.integer("Users' bytes for rollups"),
  submissionBytes: schema.integer('Bytes of these'),
  deposits: schema.integer('Deposits to rollups'),
  fees: schema.list(form.amountSchema),
  commit: schema.nullable(
    schema.object({
      round: schema.nullable(schema.integer('In which it was decided')),
      signed: schema.integer('Validators that signed it'),
      validators: schema.nullable(schema.integer('Validators at that height')),
    }),
  ),
  layer: layerSchema,
};

export const blockSchema = schema.object(blockMembers, { name: 'Block' });

export const blockJson = (row: Row, layer: LayerPlace | undefined): schema.TypeOf<typeof blockSchema> => ({
  height: number(row.height),
  hash: text(row.hash),
  time: timeOrNull(row.time),
  proposer: text(row.proposer),
  size: number(row.size),
  transactions: number(row.transactions),
  failed: number(row.failed),
  submissions: number(row.submissions),
  submissionBytes: number(row.submission_bytes),
  deposits: number(row.deposits),
  fees: amounts(row.fees),
  // Known once the next block is there.
  commit:
    row.signed === null
      ? null
      : { round: numberOrNull(row.round), signed: number(row.signed), validators: numberOrNull(row.validators) },
  layer: layer ?? null,
});

export const transactionMembers = {
  hash: form.hash('Of the transaction'),
  height: schema.integer('Of its block'),
  position: schema.integer('In its block'),
  time: schema.nullable(form.time),
  signer: schema.nullable(form.account('Who signed it')),
  nonce: schema.integer('Of the signer'),
  code: schema.integer('0 where it succeeded, else the number of the reason'),
  reason: schema.nullable(schema.text('Why it failed')),
  size: schema.integer('Bytes'),
  actionCount: schema.integer('Actions in it'),
  kinds: schema.list(schema.text('Kind of some of its actions')),
  fees: schema.list(form.amountSchema),
};

export const transactionSchema = schema.object(transactionMembers, { name: 'Transaction' });

export const transactionJson = (row: Row, address: AddressText): schema.TypeOf<typeof transactionSchema> => ({
  hash: text(row.hash),
  height: number(row.height),
  position: number(row.position),
  time: timeOrNull(row.time),
  signer: address(row.signer),
  nonce: number(row.nonce),
  code: number(row.code),
  reason: textOrNull(row.reason),
  size: number(row.size),
  actionCount: number(row.action_count),
  kinds: row.kinds === '' ? [] : text(row.kinds).split(','),
  fees: amounts(row.fees),
});

export const TRANSACTION_COLUMNS =
  't.hash, t.height, t.position, b.time, t.signer, t.nonce, t.code, t.reason, t.size, t.action_count, t.kinds, t.fees';
export const TRANSACTIONS = 'transactions t JOIN blocks b ON b.height = t.height';

export const rollupBlockMembers = {
  number: schema.integer('Of the block'),
  hash: form.hash('Of the block'),
  time: schema.nullable(form.time),
  seen: schema.nullable(form.time),
  sequencerHeight: schema.nullable(
    schema.integer('Of the sequencer block that it was made from; null while the index does not have it'),
  ),
  sequencerBlockHash: form.hash('Of that block'),
  isFirm: schema.nullable(schema.flag('Whether the rollup calls it final; null where its node does not state it')),
  layer: layerSchema,
  executed: schema.integer('Transactions that were executed'),
  refused: schema.integer('Transactions that were refused'),
  deposits: schema.integer('Deposits that were credited'),
  skippedDeposits: schema.integer('Deposits that were refused'),
};

export const rollupBlockSchema = schema.object(rollupBlockMembers, { name: 'RollupBlock' });

export interface Finality {
  readonly isFirm: boolean | null;
  readonly layer: LayerPlace | null;
}

export const rollupBlockJson = (row: Row, finality: Finality): schema.TypeOf<typeof rollupBlockSchema> => ({
  number: number(row.number),
  hash: text(row.hash),
  time: timeOrNull(row.time),
  seen: timeOrNull(row.seen),
  sequencerHeight: numberOrNull(row.height),
  sequencerBlockHash: text(row.sequencer_hash),
  isFirm: finality.isFirm,
  layer: finality.layer,
  executed: number(row.executed),
  refused: number(row.refused),
  deposits: number(row.deposits),
  skippedDeposits: number(row.skipped_deposits),
});

export const ROLLUP_BLOCK_COLUMNS =
  'r.rollup, r.number, r.hash, r.time, r.seen, r.sequencer_hash, r.executed, r.refused, r.deposits, r.skipped_deposits, b.height';
export const ROLLUP_BLOCKS = 'rollup_blocks r LEFT JOIN blocks b ON b.hash = r.sequencer_hash';
