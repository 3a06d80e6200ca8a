import { schema } from '@switchyard/service/contract';
import * as column from './column.ts';

/* Deposits to rollups, and withdrawals from them. */

export const deposit = schema.record('Deposit', {
  rollup: column.hash('Id of the rollup'),
  name: column.rollupName,
  height: column.integer('Height of the sequencer block'),
  position: column.integer('Position among the deposits of the block'),
  time: column.timeOrNull,
  transaction: column.hash('Hash of the sequencer transaction'),
  action: column.integer('Position of the action in it'),
  sender: column.account('Account that signed the transaction'),
  bridge: column.account('The bridge account that holds the funds'),
  asset: column.text('Name of the asset on the sequencer'),
  amount: column.digits('Decimal digits, in the smallest unit', 39),
  destination: column.text('The receiver as given, valid or not'),
  block: column.nullable(column.integer('Number of the rollup block made from that of the sequencer')),
  state: schema.words('The funds of a refused one stay locked on the sequencer', 'sequenced', 'credited', 'refused'),
  reason: schema.nullable(schema.text('Why it was refused')),
});
export type Deposit = schema.TypeOf<typeof deposit>;

const units = (description: string) =>
  schema.text(`${description}, decimal digits in the smallest unit of the asset`, { pattern: '^-?[0-9]{1,40}$' });

export const balanceSheet = schema.record('BalanceSheet', {
  bridge: schema.text('Bridge account'),
  asset: schema.text('Its asset'),
  locked: units('Balance of the account'),
  minted: units('Deposited and not withdrawn'),
  unpaid: units('Withdrawn and not paid, as far as deposits cover it'),
  uncredited: units('Deposits that the rollup refused'),
  surplus: units('The rest; negative for a shortfall'),
  isBalanced: schema.flag('Whether the account holds at least what it owes'),
});
export type BalanceSheet = schema.TypeOf<typeof balanceSheet>;

/** The event of an EVM rollup that a withdrawal names. */
export const withdrawalRequest = schema.record('WithdrawalRequest', {
  transaction: column.plain(column.hexHash('Hash of the transaction on the EVM rollup')),
  block: column.integer('Number of its block'),
  contract: column.address('The contract that emitted the event'),
  sender: column.address('Account that withdrew'),
  amount: column.amount('Wei, or the smallest unit of a token'),
});
export type WithdrawalRequest = schema.TypeOf<typeof withdrawalRequest>;

export const withdrawal = schema.record('Withdrawal', {
  rollup: column.nullable(
    column.hash('Id of the rollup; null for a bridge account of the genesis until its first deposit'),
  ),
  name: column.rollupName,
  height: column.integer('Height of the sequencer block'),
  position: column.integer('Position among the withdrawals of the block'),
  time: column.timeOrNull,
  transaction: column.hash('Hash of the sequencer transaction'),
  action: column.integer('Position of the action in it'),
  kind: column.words('Whether it was paid to an account or to another bridge', 'bridgeUnlock', 'bridgeTransfer'),
  bridge: column.account('The bridge account that paid'),
  recipient: column.account('Account that was paid'),
  asset: column.nullable(column.text('Name of the asset on the sequencer')),
  amount: column.digits('Decimal digits, in the smallest unit', 39),
  memo: column.nullable(column.text('Memo as given')),
  destination: column.nullable(column.text('Account that is credited on the other rollup')),
  rollupBlock: column.digits('Number of the block of the rollup, as given', 20),
  event: column.text('Name of the withdrawal on the rollup, as given'),
  request: schema.nullable(withdrawalRequest),
});
export type Withdrawal = schema.TypeOf<typeof withdrawal>;
