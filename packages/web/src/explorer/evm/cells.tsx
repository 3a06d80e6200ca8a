import type { Input } from '@switchyard/client/http-api';
import type { ReactNode } from 'react';
import { textOf, within, word } from '../api.ts';
import { formatCount, formatUnits, significant } from '../format.ts';
import { Id } from '../parts/id.tsx';
import { Badge } from '../parts/layout.tsx';
import { shown } from '../shown.ts';

/* What is in a cell of a list about an EVM rollup. */

export type Cell = (row: Input) => ReactNode;

const ETHER = 18;
const GWEI = 9;
const ZERO = /^0x0{40}$/;

/** Where the pages of an EVM rollup are. */
export const evmBase = (rollup: string): string => `/rollups/${encodeURIComponent(rollup)}/evm`;

export const ether = (wei: string): string => (wei === '' ? '–' : `${formatUnits(wei, ETHER)} ETH`);

/** Prices of gas are read in gwei, but on a quiet chain the base fee falls to a few wei. */
export function gasPrice(wei: string): string {
  if (!/^\d+$/.test(wei)) return '–';
  const price = Number(wei);
  return price < 10 ** 6 ? `${formatCount(wei)} wei` : `${significant(price / 10 ** GWEI)} gwei`;
}

export const etherOf =
  (...names: readonly string[]): Cell =>
  (row) =>
    ether(textOf(row, ...names));

export function Address({
  base,
  text,
  isWhole = false,
}: {
  readonly base: string;
  readonly text: string;
  readonly isWhole?: boolean;
}) {
  if (ZERO.test(text)) return <span title={text}>none (0x0)</span>;
  return <Id text={text} to={`${base}/addresses/${text}`} isWhole={isWhole} />;
}

export const addressOf =
  (base: string, ...names: readonly string[]): Cell =>
  (row) => <Address base={base} text={word(within(row, ...names))} />;

export const transactionOf =
  (base: string, ...names: readonly string[]): Cell =>
  (row) => {
    const hash = word(within(row, ...names));
    return <Id text={hash} to={`${base}/transactions/${hash}`} />;
  };

export const blockOf =
  (base: string, ...names: readonly string[]): Cell =>
  (row) => {
    const number = word(within(row, ...names));
    return number === '' ? '–' : <a href={`#${base}/blocks/${number}`}>{formatCount(number)}</a>;
  };

/** Whom a transaction called, or which contract it created. */
export const recipientOf =
  (base: string): Cell =>
  (row) => {
    const created = word(row.at('created'));
    if (created === '') return addressOf(base, 'to')(row);
    return (
      <>
        <Badge>new contract</Badge> <Address base={base} text={created} />
      </>
    );
  };

/** The function that was called: its name, else its selector. */
export const method: Cell = (row) => {
  const name = textOf(row, 'method') || textOf(row, 'selector');
  if (name !== '') return <Badge>{name.slice(0, 40)}</Badge>;
  return word(within(row, 'created')) === '' ? <Badge>transfer</Badge> : <Badge>create</Badge>;
};

export const status: Cell = (row) =>
  word(row.at('status')) === '1' ? <Badge tone="good">success</Badge> : <Badge tone="bad">failed</Badge>;

/** A token by its symbol or name, which anyone may choose: the address is what counts, and is there too. */
export function TokenName({ base, token }: { readonly base: string; readonly token: Input }) {
  const address = word(token.at('address'));
  const name = textOf(token, 'symbol') || textOf(token, 'name');
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
export function tokenAmount(row: Input, token: Input): string {
  const amount = word(within(row, 'amount')) || word(within(row, 'balance'));
  const id = word(within(row, 'id'));
  const decimals = Number(word(within(token, 'decimals')) || '0');
  const units = formatUnits(amount, decimals <= 77 ? decimals : 0);
  return id === ''
    ? units
    : `${amount === '1' ? '' : `${units} of `}#${shown(id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-6)}` : id)}`;
}
