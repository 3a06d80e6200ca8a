/** The HTTP API of the faucet: its records and routes. It loads nothing that reads or serves. */
import { contract, schema } from '@switchyard/service/contract';

export const info = schema.record('FaucetInfo', {
  account: schema.text('Account that pays'),
  network: schema.text('Name of the network: of the rollup, or its chain id, unless a setting states another'),
  payout: schema.text('Coins of one claim'),
  kind: schema.words('Kind of the chain', 'evm', 'sequencer', 'messenger', 'rollup'),
  explorerUrl: schema.optional(schema.text('Page of an explorer')),
  walletRpcUrl: schema.optional(schema.text('JSON-RPC for wallets')),
  developmentKey: schema.flag('Whether the key of the account is published'),
  symbol: schema.text('Symbol of the coin'),
  chainId: schema.optional(schema.text('Chain id; absent until the node has answered')),
  rollup: schema.optional(schema.text('Name of the rollup, under which explorers have it')),
  balance: schema.optional(schema.text('Coins of the account; absent until the node has answered')),
  minutes: schema.integer('Minutes between two claims of an address; 0 without a limit'),
  clientClaims: schema.integer('Claims of one client in that time'),
  waiting: schema.integer('Claims that are neither paid nor failed'),
  queueCap: schema.integer('Claims that may wait'),
  state: schema.words(
    'absent: the node does not answer, claims wait; unusable: it answers, but the settings must be corrected',
    ...(['ready', 'empty', 'absent', 'unusable'] as const),
  ),
  problem: schema.optional(schema.text('Problem of the faucet, if it is not ready')),
});
export type Info = schema.TypeOf<typeof info>;

export const claim = schema.record('Claim', {
  id: schema.integer('Number of the claim'),
  address: schema.text('Address that is paid'),
  amount: schema.text('Coins'),
  symbol: schema.text('Symbol of the coin'),
  state: schema.words(
    'sent: a node has the payment; paid: it is in a block',
    ...(['queued', 'sent', 'paid', 'failed'] as const),
  ),
  at: schema.text('Time at which it was accepted, RFC 3339'),
  hash: schema.optional(schema.text('Hash of the payment')),
  block: schema.optional(schema.u64('Block of the payment')),
  reason: schema.optional(schema.text('Reason why it failed')),
  ahead: schema.optional(schema.integer('Claims that are paid before this one')),
  note: schema.optional(schema.text('Reason why it waits, if there is one')),
});
export type Claim = schema.TypeOf<typeof claim>;

const common = { tag: 'Faucet', method: 'get' } as const;

export const getInfo = contract({
  ...common,
  url: '/api/info',
  id: 'getInfo',
  summary: 'The faucet',
  answers: { 200: info },
});
export const listClaims = contract({
  ...common,
  url: '/api/history',
  id: 'listClaims',
  summary: 'Claims, newest first',
  query: { limit: schema.optional(schema.integer('Claims of the list', { min: 1, max: 100 }), 20) },
  answers: { 200: schema.record('Claims', { claims: schema.list(claim) }) },
});
export const getClaim = contract({
  ...common,
  url: '/api/claims/{id}',
  id: 'getClaim',
  summary: 'One claim',
  path: { id: schema.integer('Number of the claim') },
  answers: { 200: claim },
});
export const postClaim = contract({
  ...common,
  method: 'post',
  url: '/api/claim',
  id: 'claim',
  summary: 'Claims funds for the address in the body',
  answers: { 200: schema.record('AcceptedClaim', { ...claim.members, msg: schema.text('Text for people') }) },
});
