import type { EvmTransaction, TokenName as Token } from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { formatCount, formatUnits, significant } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { rollupPath } from '../api.ts';
import { Id } from '../parts/cells.tsx';

/* Contents of the cells of a list about an EVM rollup. */

const ETHER = 18;
const GWEI = 9;
const ZERO = /^0x0{40}$/;

/** A row that has such a member. */
type Has<K extends string, V> = { readonly [Name in K]: V };

/** Where the pages of an EVM rollup are. */
export const evmBase = (rollup: string): string => `${rollupPath(rollup)}/evm`;

export const ether = (wei: string | null): string => (wei === null ? '–' : `${formatUnits(wei, ETHER)} ETH`);

/** Prices of gas are read in gwei, but on a quiet chain the base fee falls to a few wei. */
export function gasPrice(wei: string | null): string {
  if (wei === null || !/^\d+$/.test(wei)) return '–';
  const price = Number(wei);
  return price < 10 ** 6 ? `${formatCount(wei)} wei` : `${significant(price / 10 ** GWEI)} gwei`;
}

export const etherOf =
  <K extends string>(name: K) =>
  (row: Has<K, string | null>) =>
    ether(row[name]);

interface AddressProps {
  readonly base: string;
  readonly text: string | null;
  readonly isWhole?: boolean;
}

export function Address({ base, text, isWhole = false }: AddressProps) {
  if (text === null) return <>–</>;
  if (ZERO.test(text)) return <span title={text}>none (0x0)</span>;
  return <Id text={text} to={`${base}/addresses/${text}`} isWhole={isWhole} />;
}

export const addressOf =
  <K extends string>(base: string, name: K) =>
  (row: Has<K, string | null>) => <Address base={base} text={row[name]} />;

export const transactionOf =
  <K extends string>(base: string, name: K) =>
  (row: Has<K, string | null>) => <Id text={row[name] ?? ''} to={`${base}/transactions/${row[name]}`} />;

export const blockOf =
  <K extends string>(base: string, name: K) =>
  (row: Has<K, number | null>) =>
    row[name] === null ? '–' : <a href={`#${base}/blocks/${row[name]}`}>{formatCount(row[name])}</a>;

/** Whom a transaction called, or which contract it created. */
export const recipientOf =
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
export function TokenName({ base, token }: { readonly base: string; readonly token: Token }) {
  const { address } = token;
  const name = shown(token.symbol || token.name);
  const path = `${base}/tokens/${address}`;
  if (name === '') return <Id text={address} to={path} />;
  return (
    <span className="token">
      <a href={`#${path}`} title={address}>
        <bdi>{name}</bdi>
      </a>{' '}
      <code className="quiet">{`${address.slice(0, 6)}…${address.slice(-4)}`}</code>
    </span>
  );
}

/** An amount of a token in whole units, or which item it is. */
export function tokenAmount(amount: string, { decimals }: Pick<Token, 'decimals'>, id: string | null = null): string {
  const units = formatUnits(amount, decimals !== null && decimals <= 77 ? decimals : 0);
  if (id === null) return units;
  return `${amount === '1' ? '' : `${units} of `}#${shown(id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)}`;
}
