/** Records of the HTTP API of every rollup that a client reads, without its routes: a page loads no more than these. */
import { schema } from '@switchyard/service/contract';

export const hash = (description: string) => schema.text(description, { pattern: '^[0-9a-f]{64}$' });
export const time = schema.text('RFC 3339 in UTC', { examples: ['2026-01-01T00:00:00Z'] });
export const amount = schema.text('Decimal digits, in the smallest unit', { pattern: '^[0-9]{1,39}$' });
export const address = schema.text('A bech32m address', { pattern: '^[a-z0-9]+1[a-z0-9]{38}$' });

export const block = schema.record('Block', {
  number: schema.u64('Number of the block'),
  hash: hash('Hash of the block'),
  parentHash: hash('Hash of the block before'),
  time,
  sequencerBlockHash: hash('Hash of the sequencer block that it was made from'),
  stateRoot: hash('Root of the state after the block'),
  executed: schema.integer('Transactions that were executed'),
  refused: schema.integer('Transactions that were refused'),
  deposits: schema.integer('Deposits that were credited'),
  skippedDeposits: schema.integer('Deposits that were refused'),
});
export type RollupBlock = schema.TypeOf<typeof block>;

const kind = schema.text('One of the kinds of events that this rollup has');
/** Its other members are those of its kind. */
export const event = schema.find(
  schema.object({ kind }, { name: 'Event', isOpen: true }).json,
  (input): Readonly<Record<string, unknown>> => input.object(),
);

export const outcome = schema.record('Outcome', {
  hash: hash('Hash of the transaction'),
  state: schema.words(
    'unclear: handed to the composer, which may have it or not; the same bytes may be submitted again. expired: no block up to its last one has it, and no other can',
    ...(['unclear', 'queued', 'sequenced', 'executed', 'refused', 'expired', 'firm'] as const),
  ),
  sequencerHeight: schema.optional(schema.u64('Height of the sequencer block that holds it')),
  block: schema.optional(schema.u64('Number of the rollup block that holds it')),
  index: schema.optional(schema.integer('Position in its block')),
  code: schema.optional(schema.integer('Why it was refused: number of the reason')),
  reason: schema.optional(schema.text('Why it was refused, for people')),
  refusal: schema.optional(
    schema.record('OwnRefusal', {
      kind: schema.text('One of the kinds of refusals that this rollup has'),
      facts: schema.optional(schema.json('Members of its kind; absent where the node does not keep them any more')),
    }),
  ),
  events: schema.optional(schema.list(event)),
});
export type TransactionOutcome = schema.TypeOf<typeof outcome>;

export const depositMembers = {
  id: schema.u64('Number among all deposits'),
  block: schema.u64('Number of the block'),
  bridge: address,
  amount,
  asset: schema.text('Name of the asset on the sequencer'),
  destination: schema.text('The receiver as given, valid or not'),
  sourceTransaction: hash('Hash of the transaction on the sequencer'),
  sourceAction: schema.u64('Position of the action in it'),
};

export const deposit = schema.record('Deposit', {
  ...depositMembers,
  state: schema.words('The funds of a refused one stay locked on the sequencer', 'credited', 'refused'),
  account: schema.nullable(address),
  reason: schema.nullable(schema.text('Why it was refused')),
});

export const batchResult = schema.record('BatchResult', {
  accepted: schema.integer('How many were passed on'),
  hashes: schema.optional(schema.list(schema.nullable(hash('Hash of a transaction that was passed on')))),
  refused: schema.list(
    schema.record('BatchRefusal', {
      index: schema.integer('Position in the batch'),
      code: schema.text('Why, for programs'),
      reason: schema.text('Why, for people'),
    }),
  ),
});
export type BatchResult = schema.TypeOf<typeof batchResult>;

export const nextNonce = schema.record('NextNonce', {
  nonce: schema.integer('Nonce of the next transaction'),
  block: schema.u64('Number of the newest block, from which the last block of a transaction is counted'),
  chainId: schema.text('Chain id that transactions must name'),
});
