/** The HTTP API of the withdrawer: its records and routes. It loads nothing that reads or serves. */
import { contract, schema } from '@switchyard/service/contract';

const amount = (description: string) => schema.text(description, { pattern: '^-?[0-9]{1,40}$' });

export const payment = schema.record('Payment', {
  eventId: schema.text('Event id of the withdrawal'),
  block: schema.u64('Number of its rollup block'),
  sender: schema.text('Account of the rollup'),
  to: schema.text('Destination as given'),
  amount: amount('In the smallest unit of the asset'),
  state: schema.words(
    'waiting: read, and not in a block of the sequencer yet; held: it cannot be paid now, see reason',
    ...(['waiting', 'held', 'paid'] as const),
  ),
  reason: schema.optional(schema.text('Why it is held')),
  transaction: schema.optional(schema.text('Transaction of the sequencer that paid it, where this process did')),
  height: schema.optional(schema.u64('Height of its block')),
  fee: schema.optional(amount('Part of the amount that was kept back for the fees of that transaction')),
});
export type Payment = schema.TypeOf<typeof payment>;

export const sheet = schema.record('BalanceSheet', {
  height: schema.u64('Height of the sequencer at which the account was read'),
  locked: amount('Balance of the bridge account'),
  minted: amount('Deposited and not withdrawn'),
  unpaid: amount('Withdrawn and not paid, as far as deposits cover it'),
  uncovered: amount('Withdrawn beyond all deposits, such as coins of the genesis: not owed, no part of the balance'),
  arriving: amount('Deposits on their way, at most'),
  uncredited: amount('Deposits that the rollup refused'),
  surplus: amount('What remains, such as plain transfers to the account; negative for a shortfall'),
  isBalanced: schema.flag('Whether the account holds at least what it owes'),
});
export type BalanceSheet = schema.TypeOf<typeof sheet>;

export const status = schema.record('WithdrawerStatus', {
  bridge: schema.text('Bridge account, in bech32m form'),
  asset: schema.nullable(schema.text('Its asset; null while the account is not initialized')),
  account: schema.text('Account of the key that signs payments'),
  rollup: schema.nullable(schema.text('Name of the rollup; null before it has answered')),
  sequencerChainId: schema.text('Chain id of the sequencer'),
  commitment: schema.words('Blocks whose withdrawals are paid', ...(['firm', 'soft'] as const)),
  withdrawals: schema.integer('Withdrawals that were read'),
  open: schema.integer('Withdrawals that are not known to be paid'),
  held: schema.integer('Open withdrawals that cannot be paid now'),
  paid: schema.integer('Withdrawals that are paid'),
  paidSum: amount('Their sum'),
  sheet: schema.nullable(sheet),
  trouble: schema.nullable(schema.text('Why nothing is paid, or a withdrawal that should be is not')),
});
export type WithdrawerStatus = schema.TypeOf<typeof status>;

export const getPayment = contract({
  method: 'get',
  url: '/v1/withdrawals/{eventId}',
  id: 'getPayment',
  tag: 'Withdrawals',
  summary: 'One withdrawal, and whether it is paid',
  path: { eventId: schema.text('Event id', { pattern: '^[!-~]{1,256}$' }) },
  answers: { 200: payment },
  errors: { 404: 'No such withdrawal was read; it may be in a block that is not final yet' },
});

export const listPayments = contract({
  method: 'get',
  url: '/v1/withdrawals',
  id: 'listPayments',
  tag: 'Withdrawals',
  summary: 'Open withdrawals in their order, then the newest paid ones',
  query: { limit: schema.optional(schema.integer('Withdrawals of the list', { min: 1, max: 1_000 }), 100) },
  answers: { 200: schema.record('Payments', { withdrawals: schema.list(payment) }) },
});
