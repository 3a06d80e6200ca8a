import { currentLog, MERGED, type Model, viewOf } from './model.ts';
import { cut, flow } from './text.ts';
import { PLAIN, type Theme } from './theme.ts';
import { aboutLines } from './view/about.ts';
import { footerLines } from './view/footer.ts';
import { headerLines } from './view/header.ts';
import { helpLines } from './view/help.ts';
import { bordered, bottomBorder, lineRows, lineStyle, lookText, paneFacts, titleLine, topBorder } from './view/pane.ts';
import { pathLines } from './view/path.ts';
import { type Window, windowRows } from './window.ts';

/**
 * A part of the screen, from top to bottom. `chrome` changes seldom and is laid out by the terminal library; `rows` are
 * log lines, which may change with every frame and are put between as they are.
 */
export type Part =
  | { readonly kind: 'chrome'; readonly lines: readonly string[] }
  | { readonly kind: 'rows'; readonly lines: readonly string[] };

const chrome = (lines: readonly string[]): Part => ({ kind: 'chrome', lines });

/** The whole screen: parts whose lines are together exactly as many as the terminal has rows. */
export function frameOf(model: Model, theme: Theme, now: number): Part[] {
  const { rows, columns } = model.size;
  if (rows < 1 || columns < 1) return [];
  const header = headerLines(model, theme);
  const footer = footerLines(model, theme, now);
  const room = rows - header.length - footer.length;
  // A terminal of a few rows or columns: what fits, and nothing that could fail.
  if (room < 1) return fitted([chrome(header), chrome(footer)], rows);
  return fitted([chrome(header), ...middle(model, theme, room), chrome(footer)], rows);
}

function middle(model: Model, theme: Theme, room: number): Part[] {
  switch (model.screen) {
    case 'main':
      return mainParts(model, theme, room);
    case 'full':
    case 'merged':
      return logParts(model, theme, room);
    default:
      return list(listLines(model, theme), model, room);
  }
}

/** The lines of a screen that is a list. */
function listLines(model: Model, theme: Theme): readonly string[] {
  if (model.screen === 'about') return aboutLines(model);
  return model.screen === 'help' ? helpLines(model, theme) : pathLines(model, theme);
}

/** Lines that may be more than there is room for. */
function list(lines: readonly string[], { listTop }: Model, room: number): Part[] {
  const top = Math.max(0, Math.min(listTop, lines.length - room));
  return [{ kind: 'rows', lines: padded(lines.slice(top, top + room), room) }];
}

function mainParts(model: Model, theme: Theme, room: number): Part[] {
  const { columns } = model.size;
  const parts = paneHeights(model, room).flatMap(({ index, body }): Part[] => {
    const pane = model.panes[index];
    if (pane === undefined) return [];
    const isSelected = index === model.selected;
    const paint = isSelected ? theme.highlight : theme.border;
    const style = lineStyle(model, pane.name, theme, columns - 2);
    const window: Window = { rows: body, rowsOf: (line) => lineRows(line, style) };
    const rows = padded(windowRows(pane.log, viewOf(model, pane.name), window), body);
    return [
      chrome([titleLine(pane, model, theme, isSelected)]),
      { kind: 'rows', lines: [...rows.map((row) => bordered(row, columns, paint)), bottomBorder(columns, paint)] },
    ];
  });
  return fitted(parts, room);
}

/** Rows of the log of each pane that has a place: as high as each other, the selected one always among them. */
export function paneHeights({ panes, selected }: Model, room: number): { index: number; body: number }[] {
  const least = (index: number) => (panes[index]?.folded ? 2 : 3);
  let [from, to] = [0, panes.length];
  let needed = panes.reduce((sum, _, index) => sum + least(index), 0);
  while (needed > room && to - from > 1) {
    // Those that are farther from the selected one go first.
    const drop = to - 1 - selected >= selected - from ? to - 1 : from;
    needed -= least(drop);
    if (drop === from) from += 1;
    else to -= 1;
  }
  const shown = Array.from({ length: to - from }, (_, offset) => from + offset);
  const open = shown.filter((index) => !panes[index]?.folded);
  const spare = Math.max(0, room - shown.length * 2);
  return shown.map((index) => {
    const place = open.indexOf(index);
    const share = Math.floor(spare / open.length) + (place < spare % open.length ? 1 : 0);
    return { index, body: place === -1 ? 0 : share };
  });
}

function logParts(model: Model, theme: Theme, room: number): Part[] {
  const current = currentLog(model);
  if (current === undefined) return [];
  const { columns } = model.size;
  const { rows, width } = logWindow(model, room);
  const style = lineStyle(model, current.name, theme, width);
  const lines = padded(
    windowRows(current.log, viewOf(model, current.name), { rows, rowsOf: (line) => lineRows(line, style) }),
    rows,
  );
  const info = infoLines(model, theme).slice(0, infoRows(model, room));
  if (model.borderless) return [chrome(info), { kind: 'rows', lines }];
  const pane = current.name === MERGED ? undefined : model.panes[model.selected];
  const name = theme.inverse(` ${pane?.name ?? 'all services'} `);
  const facts = pane === undefined ? lookText(viewOf(model, MERGED), model, theme) : paneFacts(pane, model, theme);
  return [
    chrome([...info, topBorder(name, facts, columns, theme.highlight)]),
    {
      kind: 'rows',
      lines: [...lines.map((row) => bordered(row, columns, theme.highlight)), bottomBorder(columns, theme.highlight)],
    },
  ];
}

/** What the selected service is, above its log. */
function infoLines({ screen, panes, selected, size }: Model, theme: Theme): string[] {
  const pane = panes[selected];
  if (screen !== 'full' || pane === undefined) return [];
  const { program, version, logFile, listens } = pane;
  const places = listens.length === 0 ? ['nowhere that is known here'] : listens.map(({ use, url }) => `${use} ${url}`);
  return [
    cut(
      `${theme.dim('program')} ${program}${version === '' ? '' : `  ${theme.dim('version')} ${version}`}`,
      size.columns,
    ),
    cut(`${theme.dim('log file')} ${logFile}`, size.columns),
    ...flow([`${theme.dim('listens')} ${places[0]}`, ...places.slice(1)], size.columns),
  ];
}

function infoRows(model: Model, room: number): number {
  return room >= 9 ? infoLines(model, PLAIN).length : 0;
}

function logWindow(model: Model, room: number): { rows: number; width: number } {
  const edge = model.borderless ? 0 : 2;
  return {
    rows: Math.max(0, room - edge - infoRows(model, room)),
    width: Math.max(1, model.size.columns - edge),
  };
}

/** The window through which the present log is seen, for scrolling in it. */
export function scrollWindow(model: Model): Window {
  const current = currentLog(model);
  const room = model.size.rows - headerLines(model, PLAIN).length - footerLines(model, PLAIN, 0).length;
  const place = paneHeights(model, room).find(({ index }) => index === model.selected);
  const seen =
    model.screen === 'main'
      ? { rows: place?.body ?? 0, width: Math.max(1, model.size.columns - 2) }
      : logWindow(model, room);
  const style = lineStyle(model, current?.name ?? MERGED, PLAIN, seen.width);
  return { rows: Math.max(1, seen.rows), rowsOf: (line) => lineRows(line, style) };
}

/** How far down the present list can be moved. */
export function lastListTop(model: Model): number {
  const room = model.size.rows - headerLines(model, PLAIN).length - footerLines(model, PLAIN, 0).length;
  return Math.max(0, listLines(model, PLAIN).length - Math.max(1, room));
}

function padded(lines: readonly string[], rows: number): string[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? '');
}

/** The same parts with exactly so many lines: the last ones cut off, or empty ones before the last part. */
function fitted(parts: readonly Part[], rows: number): Part[] {
  let left = rows;
  const kept = parts.map((part): Part => {
    const lines = part.lines.slice(0, left);
    left -= lines.length;
    return { ...part, lines };
  });
  if (left > 0) kept.splice(-1, 0, { kind: 'rows', lines: padded([], left) });
  return kept.filter(({ lines }) => lines.length > 0);
}
