import { currentLog, MERGED, type Model, type NamedLog, viewOf } from './model.ts';
import { cut, flow } from './text.ts';
import { PLAIN, type Theme } from './theme.ts';
import { aboutLines } from './view/about.ts';
import { footerLines } from './view/footer.ts';
import { headerLines } from './view/header.ts';
import { helpLines } from './view/help.ts';
import { bordered, bottomBorder, lineRows, lineStyle, lookText, paneFacts, titleLine, topBorder } from './view/pane.ts';
import { pathLines } from './view/path.ts';
import { type Window, windowRows } from './window.ts';

/** The whole screen: exactly as many lines as the terminal has rows. */
export function frameOf(model: Model, theme: Theme, now: number): string[] {
  const { rows, columns } = model.size;
  if (rows < 1 || columns < 1) return [];
  const header = headerLines(model, theme);
  const footer = footerLines(model, theme, now);
  const room = rows - header.length - footer.length;
  // A terminal of a few rows shows what fits.
  if (room < 1) return [...header, ...footer].slice(0, rows);
  return [...header, ...sized(middleLines(model, theme, room), room), ...footer];
}

function middleLines(model: Model, theme: Theme, room: number): string[] {
  switch (model.screen) {
    case 'main':
      return paneLines(model, theme, room);
    case 'full':
    case 'merged':
      return logLines(model, theme, room);
    default: {
      const lines = listLines(model, theme);
      return lines.slice(Math.max(0, Math.min(model.listTop, lines.length - room)));
    }
  }
}

/** All lines of a screen that is a list. */
function listLines(model: Model, theme: Theme): string[] {
  if (model.screen === 'about') return aboutLines(model);
  return model.screen === 'help' ? helpLines(model, theme) : pathLines(model, theme);
}

function paneLines(model: Model, theme: Theme, room: number): string[] {
  const { columns } = model.size;
  return paneHeights(model, room).flatMap(({ index, body }) => {
    const pane = model.panes[index];
    if (pane === undefined) return [];
    const isSelected = index === model.selected;
    const paint = isSelected ? theme.highlight : theme.border;
    const lines = visibleLines(pane, model, theme, { rows: body, width: columns - 2 });
    return [titleLine(pane, model, theme, isSelected), ...framed(lines, columns, paint)];
  });
}

/** Log rows of each pane that has room: all the same height, the selected one always among them. */
export function paneHeights({ panes, selected }: Model, room: number): { index: number; body: number }[] {
  const least = (index: number) => (panes[index]?.folded ? 2 : 3);
  let [from, to] = [0, panes.length];
  let needed = panes.reduce((sum, _, index) => sum + least(index), 0);
  while (needed > room && to - from > 1) {
    // The one farthest from the selected one is left out first.
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

function logLines(model: Model, theme: Theme, room: number): string[] {
  const current = currentLog(model);
  if (current === undefined) return [];
  const { columns } = model.size;
  const lines = visibleLines(current, model, theme, logArea(model, room));
  const info = infoLines(model, theme).slice(0, infoRows(model, room));
  if (model.borderless) return [...info, ...lines];
  const pane = current.name === MERGED ? undefined : model.panes[model.selected];
  const name = theme.inverse(` ${pane?.name ?? 'all services'} `);
  const facts = pane === undefined ? lookText(viewOf(model, MERGED), model, theme) : paneFacts(pane, model, theme);
  return [...info, topBorder(name, facts, columns, theme.highlight), ...framed(lines, columns, theme.highlight)];
}

/** Program, log file and listeners of the selected service, above its log. */
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

interface Area {
  readonly rows: number;
  readonly width: number;
}

function visibleLines({ name, log }: NamedLog, model: Model, theme: Theme, { rows, width }: Area): string[] {
  const style = lineStyle(model, name, theme, width);
  return sized(windowRows(log, viewOf(model, name), { rows, rowsOf: (line) => lineRows(line, style) }), rows);
}

function logArea(model: Model, room: number): Area {
  const edge = model.borderless ? 0 : 2;
  return {
    rows: Math.max(0, room - edge - infoRows(model, room)),
    width: Math.max(1, model.size.columns - edge),
  };
}

/** The window that shows the current log, for scrolling in it. */
export function scrollWindow(model: Model): Window {
  const current = currentLog(model);
  const room = roomOf(model);
  const place = paneHeights(model, room).find(({ index }) => index === model.selected);
  const seen =
    model.screen === 'main'
      ? { rows: place?.body ?? 0, width: Math.max(1, model.size.columns - 2) }
      : logArea(model, room);
  const style = lineStyle(model, current?.name ?? MERGED, PLAIN, seen.width);
  return { rows: Math.max(1, seen.rows), rowsOf: (line) => lineRows(line, style) };
}

/** How far down the current list can be scrolled. */
export function lastListTop(model: Model): number {
  return Math.max(0, listLines(model, PLAIN).length - Math.max(1, roomOf(model)));
}

/** Rows between header and footer. */
function roomOf(model: Model): number {
  return model.size.rows - headerLines(model, PLAIN).length - footerLines(model, PLAIN, 0).length;
}

/** Exactly so many lines: cut off, or followed by empty ones. */
function sized(lines: readonly string[], rows: number): string[] {
  return Array.from({ length: rows }, (_, index) => lines[index] ?? '');
}

function framed(lines: readonly string[], columns: number, paint: (text: string) => string): string[] {
  return [...lines.map((line) => bordered(line, columns, paint)), bottomBorder(columns, paint)];
}
