import { type RollupFacts, shortId } from '../../dev/status/facts.ts';
import { isFirm, type Journey, journeyKey, journeyState } from '../../dev/status/journey.ts';
import type { Model } from '../model.ts';
import { cut, filled, flow, measureWidth, shown, wrap } from '../text.ts';
import type { Theme } from '../theme.ts';
import { framed, topBorder } from './pane.ts';
import { around } from './services.ts';
import { clockText, laterText } from './time-text.ts';

const GAP = '  ';
const MAX_NAME = 16;
/** Rows of the list that are seen alongside the details of one. */
const LEAST_LIST = 5;
/** Columns of a terminal that shows hashes whole. */
const WIDE = 140;

/** The selected transaction; the newest one until another is selected, or once it is gone. */
export function selectedJourney({ facts: { path }, journey }: Model): number {
  return Math.max(
    0,
    path.findIndex((each) => journeyKey(each) === journey),
  );
}

/** The latest transactions, newest first, and the details of one. */
export function pathLines(model: Model, theme: Theme, room: number): string[] {
  const { path } = model.facts;
  const { columns } = model.size;
  const selected = selectedJourney(model);
  const journey = path[selected];
  if (journey === undefined) return emptyLines(model);
  const details = model.details ? framed(journeyLines(journey, model, theme), columns, theme.highlight) : [];
  const title = topBorder(` ${theme.bold('transaction')} `, [], columns, theme.highlight);
  const whole = details.length === 0 ? [] : [title, ...details];
  const list = room - whole.length;
  if (whole.length > 0 && list < LEAST_LIST) return whole;
  const [head = '', ...rows] = tableRows(model, selected, theme);
  const shownRows = around(rows, selected, list - 1);
  const blank = Array.from({ length: Math.max(0, list - 1 - shownRows.length) }, () => '');
  return [head, ...shownRows, ...blank, ...whole];
}

function emptyLines({ facts, size: { columns } }: Model): string[] {
  const nothing =
    facts.sequencerHeight === undefined
      ? 'The sequencer has not answered yet.'
      : 'No transaction has come to the composer yet. The key i shows commands to try.';
  return flow(nothing.split(' '), columns, ' ');
}

function tableRows(model: Model, selected: number, theme: Theme): string[] {
  const { path, rollups } = model.facts;
  const { columns } = model.size;
  const names = path.map(({ rollup }) => cut(getName(rollup, rollups), MAX_NAME));
  const name = Math.max('ROLLUP'.length, ...names.map(measureWidth));
  const widths = [8, name, columns >= WIDE ? 66 : 13, 9, 9, 9];
  const getRow = (cells: readonly string[], paints: readonly ((text: string) => string)[] = []) => {
    const texts = cells.map((cell, index) => {
      const text = index === cells.length - 1 ? cell : filled(cell, widths[index] ?? 0);
      return paints[index]?.(text) ?? text;
    });
    return cut(` ${texts.join(GAP)}`, columns);
  };
  const rows = path.map((journey, index) => {
    const { text, paint, why } = journeyState(journey, rollups);
    const cells = [
      clockText(journey.queuedAt).slice(0, 8),
      names[index] ?? '',
      hashText(journey, columns),
      text,
      // A reason has the room of the columns that it leaves empty.
      ...(why === undefined ? blockCells(journey) : [shown(why, { colour: false })]),
    ];
    if (index === selected) return theme.selected(filled(getRow(cells), columns));
    const same = (each: string) => each;
    return getRow(cells, [
      theme.dim,
      same,
      same,
      theme[paint],
      why === undefined ? same : theme[paint],
      same,
      theme.dim,
    ]);
  });
  return [theme.dim(getRow(['QUEUED', 'ROLLUP', 'TRANSACTION', 'STATE', 'SEQUENCER', 'BLOCK', 'TOOK'])), ...rows];
}

function blockCells(journey: Journey): string[] {
  const { sequenced, executed, queuedAt } = journey;
  const at = lastAt(journey);
  return [
    sequenced === undefined ? '' : String(sequenced.height),
    executed?.block === undefined ? '' : String(executed.block),
    at === undefined ? '' : laterText(at - queuedAt).slice(1),
  ];
}

/** Whole in a wide terminal. */
function hashText({ outcome, hash }: Journey, columns: number): string {
  const known = outcome?.hash ?? hash;
  return columns >= WIDE ? known : shortId(known);
}

const LABEL = 11;

/** All that is known of one transaction, for a frame of the terminal's width. */
function journeyLines(journey: Journey, { facts: { rollups }, size: { columns } }: Model, theme: Theme): string[] {
  const { hash, rollup, queuedAt, bundledAt, sequenced, executed, posted, bundle, outcome } = journey;
  const { text, paint, why } = journeyState(journey, rollups);
  const since = (at: number | undefined) => (at === undefined ? '' : laterText(at - queuedAt));
  const facts: readonly (readonly [label: string, value: string | undefined])[] = [
    ['hash', outcome?.hash ?? hash],
    ['submission', outcome === undefined || outcome.hash === hash ? undefined : hash],
    ['rollup', getName(rollup, rollups)],
    ['rollup id', rollup],
    ['state', `${text}${why === undefined ? '' : `: ${shown(why, { colour: false })}`}`],
    ['queued', clockText(queuedAt)],
    ['bundled', bundledAt === undefined ? undefined : since(bundledAt)],
    ['bundle', bundle],
    ['sequenced', sequenced && `${since(sequenced.at)} in sequencer block ${sequenced.height}`],
    [
      'executed',
      executed &&
        `${since(executed.at)}${executed.block === undefined ? '' : ` in rollup block ${executed.block}`}`.trim(),
    ],
    ['posted', posted && `${since(posted.at)} at height ${posted.layerHeight} of the data-availability layer`],
    ['firm', executed === undefined ? undefined : isFirm(journey, rollups) ? 'yes' : 'not yet'],
  ];
  return facts.flatMap(([label, value]) => {
    if (value === undefined) return [];
    const rows = wrap(value, Math.max(1, columns - 3 - LABEL));
    return rows.map((row, index) => {
      const head = theme.dim((index === 0 ? label : '').padEnd(LABEL));
      return ` ${head}${label === 'state' ? theme[paint](row) : row}`;
    });
  });
}

/** Time of its latest step. */
function lastAt({ bundledAt, sequenced, executed, refused }: Journey): number | undefined {
  return refused?.at ?? executed?.at ?? sequenced?.at ?? bundledAt;
}

/** The name of a rollup, or its identity while no more is known. */
function getName(rollup: string, rollups: readonly RollupFacts[]): string {
  const name = rollups.find(({ id }) => id === rollup)?.name;
  return name === undefined ? shortId(rollup) : shown(name, { colour: false });
}
