import type {
  Call,
  EvmBlock,
  EvmDeposit,
  EvmTransaction,
  EvmWithdrawal,
  Holding,
  Token,
  TokenName as TokenFacts,
  Transfer,
  ValueCall,
} from '@switchyard/explorer/contract';
import { useContext } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Name } from '../../ui/name.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { rollupPath } from '../api.ts';
import { bytes, cell, count, Here, Id, Link, link, text, when } from '../parts/cells.tsx';
import { ether, gasPrice, isZero, tokenAmount } from './amounts.ts';

/* Contents of the cells of lists about an EVM rollup. */

/** Base of the pages of an EVM rollup. */
export const evmBase = (rollup: string): string => `${rollupPath(rollup)}/evm`;

const amount = cell(ether);

export function Address({ text, isWhole = false }: { readonly text: string | null; readonly isWhole?: boolean }) {
  if (text === null) return <>–</>;
  if (isZero(text)) return <span title={text}>none (0x0)</span>;
  return <Id text={text} to={`./evm/addresses/${text}`} isWhole={isWhole} />;
}

export const address = cell((text: string | null) => <Address text={text} />);
export const transaction = <K extends string>(name: K) => link('./evm/transactions', name);
export const block = <K extends string>(name: K) => link('./evm/blocks', name);

/** Whom a transaction called, or which contract it created. */
export const recipient = ({ to, created }: Pick<EvmTransaction, 'to' | 'created'>) =>
  created === null ? (
    <Address text={to} />
  ) : (
    <>
      <Badge>new contract</Badge> <Address text={created} />
    </>
  );

/** The function that was called: its name, else its selector. */
export function method(row: Pick<EvmTransaction, 'method' | 'selector' | 'created'>) {
  const name = shown(row.method || row.selector);
  if (name !== '') return <Badge>{name.slice(0, 40)}</Badge>;
  return <Badge>{row.created === null ? 'transfer' : 'create'}</Badge>;
}

export const status = ({ status: code }: Pick<EvmTransaction, 'status'>) =>
  code === 1 ? <Badge tone="good">success</Badge> : <Badge tone="bad">failed</Badge>;

/** A token by its symbol or name, which anyone may choose: the address is what counts, and is there too. */
export function TokenName({ token }: { readonly token: TokenFacts }) {
  const name = token.symbol || token.name || '';
  const here = useContext(Here);
  if (name === '') return <Id text={token.address} to={`./evm/tokens/${token.address}`} />;
  return (
    <span className="token">
      <a href={`#${here}/evm/tokens/${token.address}`} title={token.address}>
        <Name name={name} address={token.address} />
      </a>{' '}
      <code className="quiet">{`${token.address.slice(0, 6)}…${token.address.slice(-4)}`}</code>
    </span>
  );
}

/* The lists of an EVM rollup. */

export const BLOCKS: Columns<EvmBlock> = [
  ['Number', block('number')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Gas used', count('gasUsed'), 'number'],
  ['Base fee', ({ baseFee }) => gasPrice(baseFee), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight'), 'number'],
];

export const TRANSACTIONS: Columns<EvmTransaction> = [
  ['Hash', transaction('hash')],
  ['Method', method],
  ['Block', block('block')],
  ['Time', when('time')],
  ['From', address('from')],
  ['To', recipient],
  ['Value', amount('value'), 'number'],
  ['Result', status],
];

export const TRANSFERS: Columns<Transfer> = [
  ['Transaction', transaction('transaction')],
  ['Time', when('time')],
  ['From', address('from')],
  ['To', address('to')],
  ['Amount', ({ amount: units, token, id }) => tokenAmount(units, token, id), 'number'],
  ['Token', ({ token }) => <TokenName token={token} />],
];

export const TOKENS: Columns<Token> = [
  ['Token', (token) => <TokenName token={token} />],
  ['Name', (token) => <Name name={token.name ?? ''} address={token.address} />],
  ['Standard', ({ kind }) => <Badge>{standard(kind)}</Badge>],
  ['Holders', count('holders'), 'number'],
  ['Transfers', count('transfers'), 'number'],
];

export const standard = (kind: string): string => kind.replace('erc', 'ERC-');

/** A call in a list, or in the trace of one transaction. */
export const CALLS: Columns<Pick<Call, 'type' | 'from' | 'to' | 'value'>> = [
  ['Type', text('type')],
  ['From', address('from')],
  ['To', address('to')],
  ['Value', amount('value'), 'number'],
];

export const INTERNAL_CALLS: Columns<ValueCall> = [
  ['Transaction', transaction('transaction')],
  ['Block', block('block')],
  ...CALLS,
];

export const DEPOSITS: Columns<EvmDeposit> = [
  ['Block', block('block')],
  ['Time', when('time')],
  ['Amount', amount('amount'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
];

export const WITHDRAWALS: Columns<EvmWithdrawal> = [
  ['Transaction', transaction('transaction')],
  ['Time', when('time')],
  ['Sender', address('sender')],
  ['Contract', address('contract')],
  ['Amount', amount('amount'), 'number'],
  ['To', ({ destination }) => <Id text={destination} />],
  ['Paid in', ({ paid }) => (paid === null ? 'not yet' : <Link kind="transactions" id={paid.transaction} />)],
];

export const HOLDINGS: Columns<Holding> = [
  ['Token', ({ token }) => <TokenName token={token} />],
  ['Standard', ({ token }) => standard(token.kind)],
  ['Balance', ({ balance, token }) => tokenAmount(balance, token), 'number'],
];
