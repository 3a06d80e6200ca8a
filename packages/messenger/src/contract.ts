/** Records and routes of the messenger's HTTP API, in addition to those of every rollup. It loads nothing that reads or serves. */
import {
  address,
  amount,
  hash,
  pageQuery,
  provenBlock,
  stateProof,
  time,
  withProof,
} from '@switchyard/client/rollup-contract';
import { contract, schema } from '@switchyard/service/contract';

const messageMembers = {
  id: schema.u64('Consecutive from 0, the greeting of the chain'),
  sender: schema.text('The name that the sender chose; anybody may choose any'),
  message: schema.text('The text, at most 2,000 bytes'),
  address: schema.nullable(address),
  block: schema.u64('Number of its block'),
  time,
  hash: schema.nullable(hash('Hash of its transaction')),
};
export const message = schema.record('Message', messageMembers);

/** Position of the bytes of a message: the sequencer's block proves them, since messages are no part of the state. */
export const provenMessage = schema.record('ProvenMessage', {
  ...messageMembers,
  inclusion: schema.optional(
    schema.record('MessageInclusion', {
      block: provenBlock,
      position: schema.integer('Position of its transaction among the data of the rollup in the sequencer block'),
    }),
  ),
});

export const account = schema.record('Account', {
  address,
  nonce: schema.integer('Transactions that were executed', { max: 0xffff_ffff }),
  pendingNonce: schema.integer('Nonce of the next transaction, counting all that this node has passed on', {
    max: 0xffff_ffff,
  }),
  balances: schema.list(schema.record('Balance', { asset: schema.text('Its name, or its id as `ibc/...`'), amount })),
  proof: schema.optional(stateProof),
});

export const historyEntry = schema.record('HistoryEntry', {
  id: schema.u64('Consecutive'),
  kind: schema.words(
    'A deposit is credited from a bridge account of the sequencer, a withdrawal is paid by one to an account there',
    ...(['transfer', 'deposit', 'withdrawal'] as const),
  ),
  block: schema.u64('Number of its block'),
  time,
  from: address,
  to: address,
  asset: schema.text('Its name, or its id as `ibc/...`'),
  amount,
  hash: hash('Hash of the transaction; of a deposit, on the sequencer'),
});

/** Members that the messenger adds to the status of its node. */
export const status = schema.record('MessengerStatus', {
  nativeAsset: schema.text('Asset of the genesis accounts'),
  feeAssets: schema.list(schema.text('Asset that fees may be paid in')),
  withdrawals: schema.optional(schema.list(schema.text('Asset that can go back to the sequencer'))),
  texts: schema.u64('Messages in all'),
  unsignedMessages: schema.optional(schema.flag('Whether the node signs for clients, with a published key')),
  faucet: schema.optional(schema.text('Faucet that the chat page uses')),
  explorer: schema.optional(schema.text('Explorer that the chat page links to')),
});

const bech32m = schema.text('A bech32m address', {
  // A prefix, 32 digits of 5 bits, and the checksum.
  pattern: '^[a-z0-9]+1[02-9ac-hj-np-z]{38}$',
  examples: ['astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm'],
});

export const listMessages = contract({
  method: 'get',
  url: '/v1/messages',
  id: 'listMessages',
  tag: 'Messages',
  summary: 'Messages, newest first',
  description:
    'Pages in both directions: pass `older` as `before`, or `newer` as `after`. With `q` or `sender` a page may have fewer messages than there are, as long as it has a cursor. The search covers the newest messages, as many as the node indexes',
  query: {
    ...pageQuery('messages', ': the following ones', 200),
    sender: schema.optional(bech32m),
    q: schema.optional(schema.text('Only messages with all of these words, in any order and case', { minLength: 1 })),
  },
  answers: {
    200: schema.record('MessagePage', {
      messages: schema.list(message),
      older: schema.nullable(schema.u64('`before` of the page of older messages')),
      newer: schema.nullable(schema.u64('`after` of the page of newer messages')),
      total: schema.u64('Messages in all'),
    }),
  },
  errors: { 503: 'The index is being made' },
});

export const getMessage = contract({
  method: 'get',
  url: '/v1/messages/{id}',
  id: 'getMessage',
  tag: 'Messages',
  summary: 'One message',
  path: { id: schema.u64Digits('Id of the message') },
  query: { proof: withProof },
  answers: { 200: provenMessage },
  errors: { 404: 'There is no such message yet', 410: 'Its block is not kept any more, so that nothing can be proven' },
});

export const getAccount = contract({
  method: 'get',
  url: '/v1/accounts/{address}',
  id: 'getAccount',
  tag: 'Accounts',
  summary: 'The nonces of an account and all it holds',
  description: 'With `proof`: proofs of `nonce` and of the balances, in this order, at most 100 balances',
  path: { address: bech32m },
  query: { proof: withProof },
  answers: { 200: account },
  errors: { 503: 'A proof is requested, and no block is executed yet' },
});

export const getAccountHistory = contract({
  method: 'get',
  url: '/v1/accounts/{address}/history',
  id: 'getAccountHistory',
  tag: 'Accounts',
  summary: 'Transfers, credited deposits and withdrawals of an account, newest first',
  description: 'Its messages are at `/v1/messages?sender=`',
  path: { address: bech32m },
  query: pageQuery('entries', '', 200),
  answers: {
    200: schema.record('HistoryPage', {
      entries: schema.list(historyEntry),
      older: schema.nullable(schema.u64('`before` of the page of older entries')),
      newer: schema.nullable(schema.u64('`after` of the page of newer entries; null while there are none')),
    }),
  },
  errors: { 503: 'The index is being made' },
});
