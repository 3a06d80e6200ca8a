import { parseAddress, type TxHash, txHashFromHex } from '@switchyard/protocol';
import { schema } from '@switchyard/service/api';

/* What the routes of every rollup have in common. */

const HEX_32 = '^[0-9a-f]{64}$';

/** Any prefix: only the 20 bytes count. */
export const addressParameter = schema.parsed(
  {
    description: 'A bech32m address',
    // A prefix, 32 digits of 5 bits, and the checksum.
    pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$',
    examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'],
  },
  'a bech32m address of 20 bytes',
  parseAddress,
);

export const hashParameter = schema.parsed<TxHash>(
  { description: 'Hash of a transaction', pattern: '^[0-9a-fA-F]{64}$' },
  '64 hex digits',
  (text) => {
    if (!/^[0-9a-fA-F]{64}$/.test(text)) throw new RangeError('not a hash');
    return txHashFromHex(text);
  },
);

export const hash = (description: string) => schema.text(description, { pattern: HEX_32 });
export const time = schema.text('RFC 3339 in UTC', { examples: ['2026-01-01T00:00:00Z'] });
export const amount = schema.text('Decimal digits, in the smallest unit', { pattern: '^[0-9]{1,39}$' });
export const address = schema.text('A bech32m address', { pattern: '^[a-z0-9]+1[a-z0-9]{38}$' });

const blockMembers = {
  number: schema.u64('Number of the block'),
  hash: hash('Of the block'),
  parentHash: hash('Of the block before'),
  time,
  sequencerBlockHash: hash('Of the sequencer block that it was made from'),
  stateRoot: hash('Root of the state after the block'),
  executed: schema.integer('Transactions that were executed'),
  refused: schema.integer('Transactions that were refused'),
  deposits: schema.integer('Deposits that were credited'),
  skippedDeposits: schema.integer('Deposits that were refused'),
};

export const blockSchema = schema.object(blockMembers, { name: 'Block' });

export const fullBlockSchema = schema.object(
  {
    ...blockMembers,
    refusals: schema.list(
      schema.object(
        {
          index: schema.integer('Position in the block'),
          hash: hash('Of the transaction'),
          code: schema.integer('Number of the reason'),
          message: schema.text('The reason, for people'),
        },
        { name: 'Refusal' },
      ),
    ),
  },
  { name: 'BlockWithRefusals' },
);

export const outcomeSchema = schema.object(
  {
    hash: hash('Of the transaction'),
    state: schema.words(
      'unclear: handed to the composer, which may have it or not; the same bytes may be submitted again',
      ...(['unclear', 'queued', 'sequenced', 'executed', 'refused', 'firm'] as const),
    ),
    sequencerHeight: schema.optional(schema.u64('Of the sequencer block that holds it')),
    block: schema.optional(schema.u64('Number of the rollup block that holds it')),
    index: schema.optional(schema.integer('Position in its block')),
    code: schema.optional(schema.integer('Why it was refused: number of the reason')),
    reason: schema.optional(schema.text('Why it was refused, for people')),
  },
  { name: 'Outcome' },
);

const depositMembers = {
  id: schema.u64('Consecutive'),
  block: schema.u64('Number of the block'),
  bridge: address,
  amount,
  asset: schema.text('As the sequencer names it'),
  destination: schema.text('What was given as the receiver, whatever it is'),
  sourceTransaction: hash('Of the transaction on the sequencer'),
  sourceAction: schema.u64('Position of the action in it'),
};

export const depositSchema = schema.object(
  {
    ...depositMembers,
    state: schema.words('The funds of a refused one stay locked on the sequencer', 'credited', 'refused'),
    account: schema.nullable(address),
    reason: schema.nullable(schema.text('Why it was refused')),
  },
  { name: 'Deposit' },
);

export const refusedDepositSchema = schema.object(
  { ...depositMembers, message: schema.text('Why it was refused'), reason: schema.text('The same') },
  { name: 'RefusedDeposit' },
);
