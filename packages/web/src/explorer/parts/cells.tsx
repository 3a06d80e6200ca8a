import { createContext, type ReactNode, useContext } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { formatCoins } from '../../ui/coins.ts';
import { formatBytes, formatCount, words } from '../../ui/format.ts';
import { Id as SharedId } from '../../ui/id.tsx';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { rollupPath } from '../api.ts';

/* Contents of the cells of a list, made from a row of an answer. */

interface IdProps {
  readonly text: string;
  /** View of the explorer that it leads to; `./` is that of the rollup of the page. */
  readonly to?: string | undefined;
  readonly label?: string | undefined;
  readonly isWhole?: boolean;
  /** Whether it belongs to an account, which the view shows too. */
  readonly isAccount?: boolean;
}

const OF_ACCOUNT = /\/(accounts|addresses|bridges)\//;

/** Path of the pages of the rollup that a page is about. */
export const Here = createContext('');

export function Id({ to, isAccount = OF_ACCOUNT.test(to ?? ''), ...item }: IdProps) {
  const here = useContext(Here);
  return <SharedId {...item} isAccount={isAccount} href={to && `#${to.replace(/^\./, here)}`} />;
}

const LONG = 200;

/** Isolates the direction of a text, and lets a long one scroll inside its cell. */
export function Long({ children }: { readonly children: string }) {
  if (children.length <= LONG) return <bdi>{children}</bdi>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable parts must be reachable by keyboard
    <div className="long" dir="auto" tabIndex={0}>
      {children}
    </div>
  );
}

/** A row that has such a member. */
export type Has<K extends string, V> = { readonly [Name in K]: V };
type Name = string | number | null;

/** The cell of a member by its name, for members of one type. */
export const cell =
  <V,>(show: (value: V) => ReactNode) =>
  <K extends string>(name: K) =>
  (row: Has<K, V>) =>
    show(row[name]);

export const text = cell((value: Name) => <Long>{shown(String(value ?? '')) || '–'}</Long>);
export const count = cell((value: Name) => formatCount(value) || '–');
export const bytes = cell(formatBytes);
export const when = cell((at: string | null) => <When at={at} />);

/** An identity that leads to a page of the same kind. */
export function Link({ kind, id }: { readonly kind: string; readonly id: Name }) {
  const name = String(id ?? '');
  return (
    <Id
      text={name}
      to={`${kind.startsWith('.') ? '' : '/'}${kind}/${name}`}
      label={/^\d+$/.test(name) ? formatCount(name) : undefined}
    />
  );
}

export const link =
  <K extends string>(kind: string, name: K) =>
  (row: Has<K, Name>) => <Link kind={kind} id={row[name]} />;

/** The block of a fact. */
export const inBlock = (block: Name, kind = 'blocks') =>
  block === null ? (
    '–'
  ) : (
    <span>
      block <Link kind={kind} id={block} />
    </span>
  );

/** A rollup by its name if that is known. */
export function rollupLink({ rollup, name }: { readonly rollup: string | null; readonly name: string | null }) {
  const path = rollupPath(rollup ?? '');
  return name === null ? <Id text={rollup ?? ''} to={path} /> : <a href={`#${path}`}>{shown(name)}</a>;
}

interface Amount {
  readonly asset: string | null;
  readonly amount: string;
}

export function amount({ asset, amount: units }: Amount): string {
  return /^\d+$/.test(units) ? shown(formatCoins(BigInt(units), asset ?? '')) : `${shown(units)} ${shown(asset)}`;
}

export const amounts = (all: readonly Amount[] | null): string =>
  all === null ? 'not known: the node does not answer' : all.map(amount).join(', ') || 'none';

const TONES: Readonly<Record<string, string>> = {
  executed: 'good',
  firm: 'good',
  credited: 'good',
  sequenced: 'warn',
  unclear: 'warn',
  refused: 'bad',
};

export type Fact = readonly [string, ReactNode] | undefined;

/** The fact on a page about one block, which is absent if nothing is known of a layer. */
export function layerFact({ layer }: Has<'layer', { readonly height: number; readonly at: string } | null>): Fact {
  if (layer === null) return undefined;
  const value = (
    <span>
      height {formatCount(layer.height)}, <When at={layer.at} both />
    </span>
  );
  return ['Data availability', value];
}

/** The rollup of a page, by the name or id in its address. */
export const rollupFact = (rollup: string): Fact => [
  'Rollup',
  <a key="rollup" href={`#${rollupPath(rollup)}`}>
    {shown(rollup.length > 20 ? `${rollup.slice(0, 10)}…` : rollup)}
  </a>,
];

/** Whether a block of a rollup is firm; absent if its node does not state it. */
export const finalityFact = ({ isFirm }: { readonly isFirm: boolean | null }): Fact =>
  isFirm === null ? undefined : ['Finality', <Firmness key="finality" isFirm={isFirm} />];

export const Firmness = ({ isFirm }: { readonly isFirm: boolean }) => (
  <Badge tone={isFirm ? 'good' : 'warn'}>{isFirm ? 'firm' : 'soft'}</Badge>
);

/** Outcome of a transaction, deposit or withdrawal, with the reason. */
export function State({ state, reason }: { readonly state: string; readonly reason?: string | null | undefined }) {
  return (
    <>
      <Badge tone={TONES[state] ?? 'plain'}>{shown(state)}</Badge>
      {shown(reason) !== '' && <span className="reason"> {shown(reason)}</span>}
    </>
  );
}

export const outcome = ({ state, reason }: { readonly state: string; readonly reason: string | null }) => (
  <State state={state} reason={reason} />
);

export const result = ({ code, reason }: { readonly code: number; readonly reason: string | null }) =>
  code === 0 ? <State state="executed" /> : <State state="refused" reason={reason} />;

/** The kinds of a transaction's actions. */
export const kinds = (row: { readonly kinds: readonly string[]; readonly actionCount: number }) => (
  <>
    {row.kinds.map((name) => (
      <Badge key={name}>{words(shown(name))}</Badge>
    ))}
    {row.actionCount > 1 && <span className="quiet"> × {formatCount(row.actionCount)}</span>}
  </>
);
