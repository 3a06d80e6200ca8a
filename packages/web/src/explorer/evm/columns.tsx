import type {
  EvmBlock,
  EvmDeposit,
  EvmTransaction,
  EvmWithdrawal,
  Holding,
  Token,
  Transfer,
  ValueCall,
} from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { bytes, count, Link, Long, link, text, when } from '../parts/cells.tsx';
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

export const blockColumns = (base: string): Columns<EvmBlock> => [
  ['Number', blockOf(base, 'number')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Gas used', count('gasUsed'), 'number'],
  ['Base fee', ({ baseFee }) => gasPrice(baseFee), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight'), 'number'],
];

export const transactionColumns = (base: string): Columns<EvmTransaction> => [
  ['Hash', transactionOf(base, 'hash')],
  ['Method', method],
  ['Block', blockOf(base, 'block')],
  ['Time', when('time')],
  ['From', addressOf(base, 'from')],
  ['To', recipientOf(base)],
  ['Value', etherOf('value'), 'number'],
  ['Result', status],
];

export const transferColumns = (base: string): Columns<Transfer> => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Time', when('time')],
  ['From', addressOf(base, 'from')],
  ['To', addressOf(base, 'to')],
  ['Amount', ({ amount, token, id }) => tokenAmount(amount, token, id), 'number'],
  ['Token', ({ token }) => <TokenName base={base} token={token} />],
];

export const tokenColumns = (base: string): Columns<Token> => [
  ['Token', (token) => <TokenName base={base} token={token} />],
  [
    'Name',
    ({ name }) => (
      <bdi>
        <Long>{shown(name) || '–'}</Long>
      </bdi>
    ),
  ],
  ['Standard', ({ kind }) => <Badge>{standard(kind)}</Badge>],
  ['Holders', count('holders'), 'number'],
  ['Transfers', count('transfers'), 'number'],
];

export const standard = (kind: string): string => kind.replace('erc', 'ERC-');

/** A call in a list, or in the trace of one transaction. */
interface AnyCall {
  readonly type: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
}

export const callColumns = (base: string): Columns<AnyCall> => [
  ['Type', text('type')],
  ['From', addressOf(base, 'from')],
  ['To', addressOf(base, 'to')],
  ['Value', etherOf('value'), 'number'],
];

export const internalColumns = (base: string): Columns<ValueCall> => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Block', blockOf(base, 'block')],
  ...callColumns(base),
];

export const depositColumns = (base: string): Columns<EvmDeposit> => [
  ['Block', blockOf(base, 'block')],
  ['Time', when('time')],
  ['Amount', etherOf('amount'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
];

export const withdrawalColumns = (base: string): Columns<EvmWithdrawal> => [
  ['Transaction', transactionOf(base, 'transaction')],
  ['Time', when('time')],
  ['Sender', addressOf(base, 'sender')],
  ['Contract', addressOf(base, 'contract')],
  ['Amount', etherOf('amount'), 'number'],
  ['To', text('destination')],
  ['Paid in', ({ paid }) => (paid === null ? 'not yet' : <Link kind="transactions" id={paid.transaction} />)],
];

export const holdingColumns = (base: string): Columns<Holding> => [
  ['Token', ({ token }) => <TokenName base={base} token={token} />],
  ['Standard', ({ token }) => standard(token.kind)],
  ['Balance', ({ balance, token }) => tokenAmount(balance, token), 'number'],
];
