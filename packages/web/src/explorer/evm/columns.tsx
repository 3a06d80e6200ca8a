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
import { Badge } from '../../ui/badge.tsx';
import { Name } from '../../ui/name.tsx';
import { shown } from '../../ui/shown.ts';
import type { Columns } from '../../ui/table.tsx';
import { rollupPath } from '../api.ts';
import { bytes, cell, count, type Has, Id, Link, link, text, when } from '../parts/cells.tsx';
import { ether, gasPrice, isZero, tokenAmount } from './amounts.ts';

/* Contents of the cells of lists about an EVM rollup. */

/** Base of the pages of an EVM rollup. */
export const evmBase = (rollup: string): string => `${rollupPath(rollup)}/evm`;

const getEther = cell(ether);

interface AddressProps {
  readonly base: string;
  readonly text: string | null;
  readonly isWhole?: boolean;
}

export function Address({ base, text, isWhole = false }: AddressProps) {
  if (text === null) return <>–</>;
  if (isZero(text)) return <span title={text}>none (0x0)</span>;
  return <Id text={text} to={`${base}/addresses/${text}`} isWhole={isWhole} />;
}

export const getAddress =
  <K extends string>(base: string, name: K) =>
  (row: Has<K, string | null>) => <Address base={base} text={row[name]} />;

export const getTransaction = <K extends string>(base: string, name: K) => link(`${base.slice(1)}/transactions`, name);
export const getBlock = <K extends string>(base: string, name: K) => link(`${base.slice(1)}/blocks`, name);

/** Whom a transaction called, or which contract it created. */
export const getRecipient =
  (base: string) =>
  ({ to, created }: Pick<EvmTransaction, 'to' | 'created'>) =>
    created === null ? (
      <Address base={base} text={to} />
    ) : (
      <>
        <Badge>new contract</Badge> <Address base={base} text={created} />
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
export function TokenName({ base, token }: { readonly base: string; readonly token: TokenFacts }) {
  const { address } = token;
  const name = token.symbol || token.name || '';
  const path = `${base}/tokens/${address}`;
  if (name === '') return <Id text={address} to={path} />;
  return (
    <span className="token">
      <a href={`#${path}`} title={address}>
        <Name name={name} address={address} />
      </a>{' '}
      <code className="quiet">{`${address.slice(0, 6)}…${address.slice(-4)}`}</code>
    </span>
  );
}

/* The lists of an EVM rollup. */

export const blockColumns = (base: string): Columns<EvmBlock> => [
  ['Number', getBlock(base, 'number')],
  ['Time', when('time')],
  ['Transactions', count('transactions'), 'number'],
  ['Gas used', count('gasUsed'), 'number'],
  ['Base fee', ({ baseFee }) => gasPrice(baseFee), 'number'],
  ['Deposits', count('deposits'), 'number'],
  ['Size', bytes('size'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight'), 'number'],
];

export const transactionColumns = (base: string): Columns<EvmTransaction> => [
  ['Hash', getTransaction(base, 'hash')],
  ['Method', method],
  ['Block', getBlock(base, 'block')],
  ['Time', when('time')],
  ['From', getAddress(base, 'from')],
  ['To', getRecipient(base)],
  ['Value', getEther('value'), 'number'],
  ['Result', status],
];

export const transferColumns = (base: string): Columns<Transfer> => [
  ['Transaction', getTransaction(base, 'transaction')],
  ['Time', when('time')],
  ['From', getAddress(base, 'from')],
  ['To', getAddress(base, 'to')],
  ['Amount', ({ amount, token, id }) => tokenAmount(amount, token, id), 'number'],
  ['Token', ({ token }) => <TokenName base={base} token={token} />],
];

export const tokenColumns = (base: string): Columns<Token> => [
  ['Token', (token) => <TokenName base={base} token={token} />],
  ['Name', ({ name, address }) => <Name name={name ?? ''} address={address} />],
  ['Standard', ({ kind }) => <Badge>{standard(kind)}</Badge>],
  ['Holders', count('holders'), 'number'],
  ['Transfers', count('transfers'), 'number'],
];

export const standard = (kind: string): string => kind.replace('erc', 'ERC-');

/** A call in a list, or in the trace of one transaction. */
export const callColumns = (base: string): Columns<Pick<Call, 'type' | 'from' | 'to' | 'value'>> => [
  ['Type', text('type')],
  ['From', getAddress(base, 'from')],
  ['To', getAddress(base, 'to')],
  ['Value', getEther('value'), 'number'],
];

export const internalColumns = (base: string): Columns<ValueCall> => [
  ['Transaction', getTransaction(base, 'transaction')],
  ['Block', getBlock(base, 'block')],
  ...callColumns(base),
];

export const depositColumns = (base: string): Columns<EvmDeposit> => [
  ['Block', getBlock(base, 'block')],
  ['Time', when('time')],
  ['Amount', getEther('amount'), 'number'],
  ['Sequencer block', link('blocks', 'sequencerHeight')],
];

export const withdrawalColumns = (base: string): Columns<EvmWithdrawal> => [
  ['Transaction', getTransaction(base, 'transaction')],
  ['Time', when('time')],
  ['Sender', getAddress(base, 'sender')],
  ['Contract', getAddress(base, 'contract')],
  ['Amount', getEther('amount'), 'number'],
  ['To', ({ destination }) => <Id text={destination} />],
  ['Paid in', ({ paid }) => (paid === null ? 'not yet' : <Link kind="transactions" id={paid.transaction} />)],
];

export const holdingColumns = (base: string): Columns<Holding> => [
  ['Token', ({ token }) => <TokenName base={base} token={token} />],
  ['Standard', ({ token }) => standard(token.kind)],
  ['Balance', ({ balance, token }) => tokenAmount(balance, token), 'number'],
];
