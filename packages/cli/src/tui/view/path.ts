import type { Journey } from '../facts.ts';
import type { Model } from '../model.ts';
import { cut, filled, flow, shown } from '../text.ts';
import type { Theme } from '../theme.ts';
import { clockText, laterText } from './time-text.ts';

/** Columns: when it was queued, its hash, and the three stations after that. They take 78 of 80. */
const WIDTHS = [12, 13, 9, 18, 18] as const;

/** The path of the latest transactions, newest first; times are relative to when each was queued. */
export function pathLines(model: Model, theme: Theme): string[] {
  const { path, sequencerHeight } = model.facts;
  const { columns } = model.size;
  const title = [
    theme.bold('Latest transactions:'),
    'queued →',
    'bundled →',
    'sequenced in block n →',
    'executed in rollup block m',
  ];
  if (path.length === 0) {
    const nothing =
      sequencerHeight === undefined
        ? 'The sequencer has not answered yet.'
        : 'None has come to the composer yet. Try: rollup-cli submit text "hello" me --private-key KEY';
    return [...flow(title, columns, ' '), '', ...flow(nothing.split(' '), columns, ' ')];
  }
  const head = theme.dim(row(['queued at', 'transaction', 'bundled', 'sequenced', 'executed'], columns));
  return [...flow(title, columns, ' '), head, ...path.map((journey) => journeyLine(journey, columns, theme))];
}

function journeyLine(journey: Journey, columns: number, theme: Theme): string {
  const { queuedAt, bundledAt, sequenced, executed, refused, evm } = journey;
  const hash = evm?.hash ?? journey.hash;
  const since = (at: number | undefined) => (at === undefined ? '' : laterText(at - queuedAt));
  const why =
    refused === undefined
      ? evm?.end?.kind === 'skipped' && evm.end.why
      : `refused after ${since(refused.at).slice(1)}: ${refused.reason}`;
  if (why) {
    const bad = theme.bad(shown(why, { colour: false }));
    return cut(`${row([clockText(queuedAt), hashText(hash, columns)], columns)}  ${bad}`, columns);
  }
  const open = theme.pending('waiting');
  const inBlock = (block: number | undefined, at: number | undefined) =>
    `${block === undefined ? 'yes' : `block ${block}`} ${theme.dim(since(at))}`;
  const last = () => {
    if (executed === undefined) return sequenced === undefined ? '' : open;
    const { at, block } = executed;
    if (evm?.end?.kind === 'reverted') return theme.bad(block === undefined ? 'reverted' : `reverted, block ${block}`);
    return theme.good(inBlock(block, at));
  };
  return row(
    [
      clockText(queuedAt),
      hashText(hash, columns),
      bundledAt === undefined ? open : theme.dim(since(bundledAt)),
      sequenced === undefined ? (bundledAt === undefined ? '' : open) : inBlock(sequenced.height, sequenced.at),
      last(),
    ],
    columns,
  );
}

/** Whole in a wide terminal, so that it can be copied. */
function hashText(hash: string, columns: number): string {
  return isWide(columns) ? hash : `${hash.slice(0, 6)}…${hash.slice(-6)}`;
}

const isWide = (columns: number) => columns >= 140;

function row(cells: readonly string[], columns: number): string {
  const extra = isWide(columns) ? 6 : 0;
  const widths = WIDTHS.map((width, index) =>
    index === 1 && isWide(columns) ? 66 : index > 2 ? width + extra : width,
  );
  const last = cells.length - 1;
  const joined = cells.map((cell, index) => (index === last && index === 4 ? cell : filled(cell, widths[index] ?? 0)));
  return cut(joined.join('  '), columns);
}
