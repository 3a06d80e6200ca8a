import { textOf } from '../api.ts';
import { bytes, count, link, text, when } from '../parts/cells.tsx';
import { Badge } from '../parts/layout.tsx';
import type { Columns } from '../parts/list.tsx';
import {
  addressOf,
  blockOf,
  etherOf,
  gasPrice,
  method,
  recipientOf,
  status,
  TokenName,
  tokenAmount,
  transactionOf,
} from './cells.tsx';

/* The lists of an EVM rollup. */

export const blockColumns = (base: string): Columns => [
  ['Number', blockOf(base, 'number')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Gas used', count('gasUsed'), 'number'],
  ['Base fee', (row) => gasPrice(textOf(row, 'baseFee')), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight'), 'number'],
];

export const transactionColumns = (base: string): Columns => [
  ['Hash', transactionOf(base, 'hash')],
  ['Method', method],
  ['Block', blockOf(base, 'block')],
  ['Time', when('time')],
  ['From', addressOf(base, 'from')],
  ['To', recipientOf(base)],
  ['Value', etherOf('value'), 'number'],
  ['Result', status],
];

export const transferColumns = (base: string): Columns => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Time', when('time')],
  ['From', addressOf(base, 'from')],
  ['To', addressOf(base, 'to')],
  ['Amount', (row) => tokenAmount(row, row.at('token')), 'number'],
  ['Token', (row) => <TokenName base={base} token={row.at('token')} />],
];

export const tokenColumns = (base: string): Columns => [
  ['Token', (row) => <TokenName base={base} token={row} />],
  ['Name', (row) => <bdi>{textOf(row, 'name') || '–'}</bdi>],
  ['Standard', (row) => <Badge>{standard(textOf(row, 'kind'))}</Badge>],
  ['Holders', count('holders'), 'number'],
  ['Transfers', count('transfers'), 'number'],
];

export const standard = (kind: string): string => kind.replace('erc', 'ERC-');

export const internalColumns = (base: string): Columns => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Block', blockOf(base, 'block')],
  ['Type', text('type')],
  ['From', addressOf(base, 'from')],
  ['To', addressOf(base, 'to')],
  ['Value', etherOf('value'), 'number'],
];

export const depositColumns = (base: string): Columns => [
  ['Block', blockOf(base, 'block')],
  ['Time', when('time')],
  ['Amount', etherOf('amount'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
];

export const withdrawalColumns = (base: string): Columns => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Time', when('time')],
  ['Sender', addressOf(base, 'sender')],
  ['Contract', addressOf(base, 'contract')],
  ['Amount', etherOf('amount'), 'number'],
  ['To', text('destination')],
  ['Paid in', (row) => (row.at('paid').isPresent ? link('transactions', 'paid', 'transaction')(row) : 'not yet')],
];

export const holdingColumns = (base: string): Columns => [
  ['Token', (row) => <TokenName base={base} token={row.at('token')} />],
  ['Standard', (row) => standard(textOf(row, 'token', 'kind'))],
  ['Balance', (row) => tokenAmount(row, row.at('token')), 'number'],
];
