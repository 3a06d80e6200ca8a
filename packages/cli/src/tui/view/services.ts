import type { Model, Pane } from '../model.ts';
import { cut, filled, measureWidth } from '../text.ts';
import { PLAIN, type Theme } from '../theme.ts';
import { gist } from './log-lines.ts';
import { findReason, progressText, stateText } from './pane.ts';
import { durationText } from './time-text.ts';

interface Column {
  readonly title: string;
  /** Columns that the terminal has at least if this one is shown. */
  readonly from?: number;
  readonly isNumber?: true;
  cell(pane: Pane, model: Model): string;
  paint?(text: string, pane: Pane, theme: Theme): string;
}

const isDown = ({ status: { state } }: Pane) => state === 'failed' || state === 'restarting';
const orNothing = <T>(value: T | undefined, text: (value: T) => string) => (value === undefined ? '' : text(value));

const COLUMNS: readonly Column[] = [
  {
    title: 'SERVICE',
    cell: ({ name }) => name,
    paint: (text, pane, theme) => (isDown(pane) ? theme.bad(text) : text),
  },
  {
    title: 'STATE',
    cell: ({ status }) => status.state,
    // The blanks after it are not painted.
    paint: (text, { status }, theme) => stateText(status.state, theme) + text.slice(status.state.length),
  },
  { title: 'PROGRESS', from: 48, cell: progressText },
  {
    title: 'RST',
    from: 52,
    isNumber: true,
    cell: ({ status }) => String(status.restarts),
    paint: (text, { status }, theme) => (status.restarts > 0 ? theme.pending(text) : theme.dim(text)),
  },
  {
    title: 'UP',
    from: 56,
    isNumber: true,
    cell: ({ status: { pid, uptimeMs } }) => (pid === undefined ? '' : orNothing(uptimeMs, durationText)),
  },
  {
    title: 'CPU',
    from: 64,
    isNumber: true,
    cell: ({ name }, { facts }) => orNothing(facts.usage[name]?.cpuPercent, percentText),
  },
  {
    title: 'MEM',
    from: 64,
    isNumber: true,
    cell: ({ name }, { facts }) => orNothing(facts.usage[name]?.residentBytes, memoryText),
  },
  {
    title: 'PID',
    from: 120,
    isNumber: true,
    cell: ({ status: { pid } }) => orNothing(pid, String),
  },
  { title: 'PORTS', from: 140, cell: ({ listens }) => listens.map(({ port }) => port).join(' ') },
];

const GAP = '  ';
const LAST_LINE = 'LAST LINE';
const MAX_NAME = 24;

/** The services, a row each, under the titles of the columns; if there is no room for all, those around the selected one. */
export function serviceRows(model: Model, theme: Theme, rows: number): string[] {
  const { panes, selected, size } = model;
  if (rows < 1) return [];
  const table = getTable(model);
  const used = table.reduce((sum, { width }) => sum + width + GAP.length, 1);
  const hasLast = size.columns - used >= LAST_LINE.length;
  const getRow = (cells: readonly string[], last: string) =>
    cut(` ${[...cells, ...(hasLast ? [last] : [])].join(GAP)}`, size.columns);
  const titles = table.map(({ column, width }) => aligned(column, column.title, width));
  const bodies = panes.map((pane, index) => {
    // The selected row has one colour.
    const inRow = index === selected ? PLAIN : theme;
    const cells = table.map(({ column, texts }) => {
      const text = texts[index] ?? '';
      return column.paint?.(text, pane, inRow) ?? text;
    });
    const row = getRow(cells, lastText(pane, inRow));
    return index === selected ? theme.selected(filled(row, size.columns)) : row;
  });
  return [theme.dim(getRow(titles, LAST_LINE)), ...around(bodies, selected, rows - 1)];
}

/** The columns that have room and anything in them; a system that shows no usage of processes has none for it. */
function getTable(model: Model) {
  return COLUMNS.flatMap((column) => {
    const { title, from = 0 } = column;
    if (from > model.size.columns) return [];
    const cells = model.panes.map((pane) => cut(column.cell(pane, model), MAX_NAME));
    if (cells.every((cell) => cell === '')) return [];
    const width = Math.max(title.length, ...cells.map(measureWidth));
    return [{ column, width, texts: cells.map((cell) => aligned(column, cell, width)) }];
  });
}

function aligned({ isNumber }: Column, text: string, width: number): string {
  return isNumber ? text.padStart(width) : filled(text, width);
}

/** Items that there is room for, the selected one among them. */
export function around<T>(items: readonly T[], selected: number, room: number): T[] {
  const top = Math.max(0, Math.min(selected - Math.floor(room / 2), items.length - room));
  return items.slice(top, top + Math.max(0, room));
}

/** Why it is not ready, else the last line that it printed. */
function lastText(pane: Pane, theme: Theme): string {
  const reason = findReason(pane);
  if (reason !== undefined) return theme.pending(reason);
  for (let number = pane.log.end - 1; number >= pane.log.first; number -= 1) {
    const line = pane.log.at(number);
    if (line?.kind === 'output' && line.isCheck !== true) return gist(line, theme);
  }
  return '';
}

/** `0.4%`, `12%` */
export const percentText = (percent: number) => `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}%`;

/** `86M`, `1.2G` */
export function memoryText(bytes: number): string {
  const mebibytes = bytes / 1_048_576;
  return mebibytes < 1_000 ? `${Math.round(mebibytes)}M` : `${(mebibytes / 1_024).toFixed(1)}G`;
}
