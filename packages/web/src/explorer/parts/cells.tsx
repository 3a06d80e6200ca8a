import type { Input } from '@switchyard/client/http-api';
import type { ReactNode } from 'react';
import { formatCoins } from '../../chat/coins.ts';
import { numberOf, rollupPath, textOf, within, word } from '../api.ts';
import { formatBytes, formatCount, words } from '../format.ts';
import { shown } from '../shown.ts';
import { Id } from './id.tsx';
import { Badge } from './layout.tsx';
import { When } from './when.tsx';

/* What is in a cell of a list, made from a row of an answer. */

type Cell = (row: Input) => ReactNode;

export const text =
  (...names: readonly string[]): Cell =>
  (row) =>
    textOf(row, ...names) || '–';

export const count =
  (...names: readonly string[]): Cell =>
  (row) =>
    formatCount(textOf(row, ...names)) || '–';

export const bytes =
  (...names: readonly string[]): Cell =>
  (row) =>
    formatBytes(numberOf(row, ...names) ?? 0);

export const when =
  (...names: readonly string[]): Cell =>
  (row) => <When at={within(row, ...names)} />;

/** An identity that leads to a page of the sequencer. */
export const link =
  (kind: string, ...names: readonly string[]): Cell =>
  (row) => {
    const id = word(within(row, ...names));
    return <Id text={id} to={`/${kind}/${id}`} label={/^\d+$/.test(id) ? formatCount(id) : undefined} />;
  };

/** A rollup by its name where that is known. */
export const rollupLink: Cell = (row) => {
  const name = word(within(row, 'name'));
  const id = word(within(row, 'rollup'));
  return name === '' ? (
    <Id text={id} to={rollupPath(row.at('rollup'))} />
  ) : (
    <a href={`#${rollupPath(row.at('rollup'))}`}>{shown(name)}</a>
  );
};

export function amount(input: Input): string {
  const asset = word(within(input, 'asset'));
  const units = word(within(input, 'amount'));
  return /^\d+$/.test(units) ? shown(formatCoins(BigInt(units), asset)) : `${shown(units)} ${shown(asset)}`;
}

export const amounts = (input: Input): ReactNode =>
  input.isPresent ? input.list().map(amount).join(', ') || 'none' : 'not known: the node does not answer';

const TONES: Readonly<Record<string, string>> = {
  executed: 'good',
  firm: 'good',
  credited: 'good',
  sequenced: 'warn',
  unclear: 'warn',
  refused: 'bad',
};

/** The fact on a page about one block, which is absent where nothing is known of a layer. */
export function layerFact(block: Input): readonly [string, ReactNode] | undefined {
  if (!block.at('layer').isPresent) return undefined;
  const value = (
    <span>
      height {count('layer', 'height')(block)}, <When at={within(block, 'layer', 'at')} both />
    </span>
  );
  return ['Data availability', value];
}

/** Whether a block of a rollup is firm; absent where its node does not state it. */
export function finalityFact(block: Input): readonly [string, ReactNode] | undefined {
  const isFirm = word(within(block, 'isFirm'));
  if (isFirm === '') return undefined;
  return ['Finality', <Firmness key="finality" isFirm={isFirm === 'true'} />];
}

export const Firmness = ({ isFirm }: { readonly isFirm: boolean }) => (
  <Badge tone={isFirm ? 'good' : 'warn'}>{isFirm ? 'firm' : 'soft'}</Badge>
);

/** What became of something, with the reason. */
export function State({ state, reason = '' }: { readonly state: string; readonly reason?: string }) {
  return (
    <>
      <Badge tone={TONES[state] ?? 'plain'}>{shown(state)}</Badge>
      {reason !== '' && <span className="reason"> {reason}</span>}
    </>
  );
}

export const outcome: Cell = (row) => (
  <State state={word(row.at('state'))} reason={textOf(row, 'execution', 'reason') || textOf(row, 'reason')} />
);

export const result: Cell = (row) => {
  const isExecuted = word(row.at('code')) === '0';
  return <State state={isExecuted ? 'executed' : 'refused'} reason={isExecuted ? '' : textOf(row, 'reason')} />;
};

/** The kinds of a transaction's actions. */
export const kinds: Cell = (row) => {
  const total = numberOf(row, 'actionCount') ?? 0;
  const names = row
    .at('kinds')
    .list()
    .map((kind) => shown(word(kind)));
  return (
    <>
      {names.map((name) => (
        <Badge key={name}>{words(name)}</Badge>
      ))}
      {total > 1 && <span className="quiet"> × {formatCount(total)}</span>}
    </>
  );
};

/** Of a withdrawal, the transaction of the rollup where the explorer has it, else what it names. */
export const withdrawnIn: Cell = (row) => {
  const hash = word(within(row, 'request', 'transaction'));
  if (hash !== '') return <Id text={hash} to={`${rollupPath(row.at('rollup'))}/evm/transactions/${hash}`} />;
  const event = textOf(row, 'event');
  return `block ${textOf(row, 'rollupBlock')}, ${event.length > 24 ? `${event.slice(0, 24)}…` : event}`;
};
