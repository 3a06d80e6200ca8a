/** Records and routes of the HTTP API that every rollup of the framework has. It loads nothing that reads or serves. */
import { contract, schema } from '@switchyard/service/contract';
import { address, amount, block, deposit, depositMembers, hash, nextNonce } from './rollup-records.ts';

export * from './rollup-records.ts';

export const fullBlock = schema.record('BlockWithRefusals', {
  ...block.members,
  refusals: schema.list(
    schema.record('Refusal', {
      index: schema.integer('Position in the block'),
      hash: hash('Hash of the transaction'),
      code: schema.integer('Number of the reason'),
      message: schema.text('The reason, for people'),
    }),
  ),
});

export const refusedDeposit = schema.record('RefusedDeposit', {
  ...depositMembers,
  message: schema.text('Why it was refused'),
  reason: schema.text('The message again'),
});

export const withdrawal = schema.record('Withdrawal', {
  id: schema.u64('Consecutive from 0'),
  block: schema.u64('Number of its block'),
  transaction: hash('Hash of the transaction that withdrew'),
  action: schema.integer('Position of the action in the transaction, from 0', { max: 0xffff_ffff }),
  eventId: schema.text('Event id under which the bridge account pays it on the sequencer, once'),
  sender: address,
  bridge: address,
  asset: schema.text('Asset of the bridge account'),
  amount,
  destination: schema.text('Account on the sequencer, as a bech32m address'),
  memo: schema.text('At most 64 bytes of UTF-8'),
});

export const bridge = schema.record('Bridge', {
  bridge: address,
  asset: schema.text('Asset of the bridge account'),
  minimum: schema.text('Smallest amount of a withdrawal, in decimal digits'),
  backing: schema.text('Sum of the credited deposits minus withdrawals, in decimal digits'),
  withdrawn: schema.text('Sum of all withdrawals, in decimal digits'),
  withdrawals: schema.u64('How many there were'),
  uncredited: schema.text('Sum of the refused deposits, in decimal digits; they stay locked on the sequencer'),
});

export const accepted = schema.record('Accepted', { hash: hash('Hash of the transaction') });

const bytes = (description: string) => schema.text(description, { pattern: '^([0-9a-f]{2})*$' });

/** Parts of a block that its hash covers, which is how a state root is tied to the chain. */
export const provenBlock = schema.record('ProvenBlock', {
  number: schema.u64('Number of the block'),
  hash: hash(
    'SHA-256 over the text `switchyard rollup block 1`, a line feed, and the other members but `sequencerHeight`',
  ),
  contentHash: hash('Over executed transactions, credited deposits and time'),
  parentHash: hash('Hash of the block before'),
  sequencerBlockHash: hash('Hash of the sequencer block that it was made from'),
  stateRoot: hash('Root of the state after the block'),
  receiptsHash: hash('Over the outcome of each transaction and deposit'),
  sequencerHeight: schema.u64('Height of that sequencer block'),
});
export type ProvenBlock = schema.TypeOf<typeof provenBlock>;

export const stateProof = schema.record('StateProof', {
  block: provenBlock,
  entries: schema.list(
    schema.record('ProvenEntry', {
      key: schema.text('Key in the state'),
      value: schema.nullable(bytes('Bytes of the value; null if there is none')),
      siblings: schema.list(hash('A hash next to the path of the key, from the root down'), { maxItems: 256 }),
      other: schema.nullable(
        schema.object({
          keyHash: hash('Of the only key of the subtree where an absent one would be'),
          valueHash: hash('Of its value'),
        }),
      ),
    }),
  ),
});
/** Values of the state, each with its path to the root that a block commits to. */
export type StateProofAnswer = schema.TypeOf<typeof stateProof>;

export const stateValue = schema.record('StateValue', {
  table: schema.text('Name of the table'),
  key: schema.text('The key as requested'),
  value: schema.nullable(bytes('Bytes of the value; null if there is none')),
  decoded: schema.json('The value; of an absent one what that means, such as 0, or null'),
  block: schema.u64('Number of the block whose state it is of'),
  proof: schema.optional(stateProof),
});

/** For routes that answer a proof on request. */
export const withProof = schema.optional(schema.words('Given, with or without a value: with the proof', '', 'true'));

export const listState = contract({
  method: 'get',
  url: '/v1/state/{table}',
  id: 'listState',
  tag: 'State',
  summary: 'The values of a table of the state, in the order of their keys in the store',
  path: {
    table: schema.text('Name of a table, or its prefix with percent-encoded slashes', { examples: ['balances'] }),
  },
  query: {
    after: schema.optional(schema.text('Only values behind this key: `next` of the page before')),
    limit: schema.optional(schema.integer('Values of the page', { min: 1, max: 1_000 }), 100),
  },
  answers: {
    200: schema.record('StatePage', {
      block: schema.u64('Number of the block whose state it is of; another one on each page, while blocks are made'),
      rows: schema.list(
        schema.record('StateRow', {
          key: schema.text('Key in the form of its table'),
          decoded: schema.json('The value'),
        }),
      ),
      next: schema.nullable(schema.text('`after` of the next page; null on the last one')),
    }),
  },
  errors: { 404: 'There is no such table' },
});

export const getState = contract({
  method: 'get',
  url: '/v1/state/{table}/{key}',
  restOfPath: true,
  id: 'getState',
  tag: 'State',
  summary: 'A value of the state, or that there is none, with its proof',
  description:
    'A table is given by its name or its prefix; an unknown one is answered with the list of all. A part of a key may have slashes, percent-encoded',
  path: {
    table: schema.text('Name of a table, or its prefix with percent-encoded slashes', { examples: ['balances'] }),
    key: schema.text('Key in the form of its table', {
      examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm/nria'],
    }),
  },
  query: { proof: withProof },
  answers: { 200: stateValue },
  errors: { 404: 'There is no such table', 503: 'No block is executed yet, so that nothing commits to the state' },
});

export const getNonce = contract({
  method: 'get',
  url: '/v1/nonces/{address}',
  id: 'getNonce',
  tag: 'Transactions',
  summary:
    'All that a signer needs: the next nonce of an account, counting pending transactions, the newest block and the chain',
  path: { address: schema.text('A bech32m address', { examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'] }) },
  answers: { 200: nextNonce },
});

/** Cursors of a page in both directions. @param of The items. */
export const pageQuery = (item: string, following: string, most: number) => ({
  before: schema.optional(schema.u64Digits(`Only ${item} before this id`)),
  after: schema.optional(schema.u64Digits(`Only ${item} after this id${following}`)),
  limit: schema.optional(
    schema.integer(`${item[0]?.toUpperCase()}${item.slice(1)} of the page`, { min: 1, max: most }),
    50,
  ),
});

export const listBlocks = contract({
  method: 'get',
  url: '/v1/blocks',
  id: 'listBlocks',
  tag: 'Blocks',
  summary: 'Blocks, newest first',
  description: 'Pages in both directions: pass `older` as `before`, or `newer` as `after`',
  query: {
    before: schema.optional(schema.u64Digits('Only blocks below this number')),
    after: schema.optional(schema.u64Digits('Only blocks above this number: the following ones')),
    limit: schema.optional(schema.integer('Blocks of the page', { min: 1, max: 100 }), 50),
  },
  answers: {
    200: schema.record('BlockPage', {
      blocks: schema.list(block),
      older: schema.nullable(schema.u64('`before` of the page of older blocks')),
      newer: schema.u64('`after` of the page of newer blocks'),
    }),
  },
});

export const getBlock = contract({
  method: 'get',
  url: '/v1/blocks/{number}',
  id: 'getBlock',
  tag: 'Blocks',
  summary: 'One block, with the refusals in it',
  path: { number: schema.u64Digits('Number of the block') },
  answers: { 200: fullBlock },
  errors: { 404: 'There is no such block yet', 410: 'This node does not keep the block any more' },
});

export const listDeposits = contract({
  method: 'get',
  url: '/v1/deposits',
  id: 'listDeposits',
  tag: 'Deposits',
  summary: 'Deposits, credited and refused, newest first',
  query: pageQuery('deposits', ': the following ones', 200),
  answers: {
    200: schema.record('DepositPage', {
      deposits: schema.list(deposit),
      older: schema.nullable(schema.u64('`before` of the page of older deposits')),
      newer: schema.nullable(schema.u64('`after` of the page of newer deposits; null while there are none')),
    }),
  },
});

export const listWithdrawals = contract({
  method: 'get',
  url: '/v1/withdrawals',
  id: 'listWithdrawals',
  tag: 'Withdrawals',
  summary: 'Withdrawals to the sequencer, newest first',
  description: 'Pages in both directions. Whether one is paid is known to the process `withdrawer` and the sequencer',
  query: pageQuery('withdrawals', ': the following ones', 200),
  answers: {
    200: schema.record('WithdrawalPage', {
      withdrawals: schema.list(withdrawal),
      older: schema.nullable(schema.u64('`before` of the page of older withdrawals')),
      newer: schema.nullable(schema.u64('`after` of the page of newer withdrawals; null while there are none')),
      soft: schema.u64('The newest block'),
      firm: schema.u64('The newest final block'),
    }),
  },
});

export const listBridges = contract({
  method: 'get',
  url: '/v1/bridges',
  id: 'listBridges',
  tag: 'Withdrawals',
  summary: 'Bridge accounts that pay withdrawals, and what they owe, after the newest block',
  answers: {
    200: schema.record('Bridges', {
      block: schema.u64('Number of the newest block'),
      sequencerHeight: schema.u64('Height of its sequencer block'),
      bridges: schema.list(bridge),
    }),
  },
});
