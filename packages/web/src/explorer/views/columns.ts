import {
  amount,
  bytes,
  count,
  kinds,
  link,
  outcome,
  result,
  rollupLink,
  text,
  when,
  withdrawnIn,
} from '../parts/cells.tsx';
import type { Columns } from '../parts/list.tsx';

/* The lists of the sequencer. */

export const BLOCKS: Columns = [
  ['Height', link('blocks', 'height')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Submissions', count('submissions'), 'number'],
  ['Rollup data', bytes('submissionBytes'), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
];

export const TRANSACTIONS: Columns = [
  ['Hash', link('transactions', 'hash')],
  ['Block', link('blocks', 'height')],
  ['Time', when('time')],
  ['Signer', link('accounts', 'signer')],
  ['Actions', kinds],
  ['Result', result],
];

const pick = (columns: Columns, ...names: readonly string[]): Columns =>
  columns.filter(([name]) => names.includes(name));

export const NEWEST_BLOCKS = pick(BLOCKS, 'Height', 'Time', 'Transactions', 'Rollup data');
export const NEWEST_TRANSACTIONS = pick(TRANSACTIONS, 'Hash', 'Time', 'Actions', 'Result');

export const BLOCK_ROLLUPS: Columns = [
  ['Rollup', rollupLink],
  ['Submissions', count('submissions'), 'number'],
  ['Bytes', bytes('bytes'), 'number'],
  ['Deposits', count('deposits'), 'number'],
];

export const ROLLUP_BLOCKS = (base: string): Columns => [
  ['Number', link(`${base.slice(1)}/blocks`, 'number')],
  ['Time', when('time')],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
  ['Executed', count('executed'), 'number'],
  ['Refused', count('refused'), 'number'],
  ['Deposits', count('deposits'), 'number'],
];

export const MESSAGES = (base: string): Columns => [
  ['From', text('sender')],
  ['Address', link(`${base.slice(1)}/accounts`, 'address')],
  ['Message', text('message')],
  ['Time', when('time')],
  ['Transaction', link(`${base.slice(1)}/transactions`, 'hash')],
];

export const DEPOSITS: Columns = [
  ['Transaction', link('transactions', 'transaction')],
  ['Time', when('time')],
  ['Amount', amount],
  ['From bridge', link('accounts', 'bridge')],
  ['To', text('destination')],
  ['Outcome', outcome],
];

export const WITHDRAWALS: Columns = [
  ['Transaction', link('transactions', 'transaction')],
  ['Time', when('time')],
  ['Amount', amount],
  ['From bridge', link('accounts', 'bridge')],
  ['To', link('accounts', 'recipient')],
  ['Withdrawn in', withdrawnIn],
];
