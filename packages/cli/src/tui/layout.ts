import { currentLog, MERGED, type Model } from './model.ts';
import { flow } from './text.ts';
import { PLAIN, type Theme } from './theme.ts';
import { footerLines } from './view/footer.ts';
import { headerLines } from './view/header.ts';
import { lineRows, lineStyle } from './view/log-lines.ts';
import type { Window } from './window.ts';

/*
 * Layout of the screen: rows and columns, as pure functions of the model, so that drawing and scrolling agree.
 */

/** Rows between header and footer. */
export function getRoom(model: Model): number {
  return model.size.rows - headerLines(model, PLAIN).length - footerLines(model, PLAIN, 0).length;
}

/** A log with its borders has at least three lines. */
const LEAST_LOG = 5;
/** With fewer rows than this, the list has all of them. */
const LEAST_FOR_BOTH = 12;

/** How the rows of the main view are divided between the list, with its titles, and the log below it. */
export function listAndLog({ panes }: Pick<Model, 'panes'>, room: number) {
  const wanted = panes.length + 1;
  if (room - wanted >= LEAST_LOG) return { list: wanted, log: room - wanted };
  return room < LEAST_FOR_BOTH ? { list: room, log: 0 } : { list: room - LEAST_LOG, log: LEAST_LOG };
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

export interface Area {
  readonly rows: number;
  readonly width: number;
}

/** The area of the current log's lines, without borders. */
export function logArea(model: Model, room: number): Area {
  const { screen, selected, size, borderless } = model;
  const framed = (rows: number) => ({ rows: Math.max(0, rows - 2), width: Math.max(1, size.columns - 2) });
  if (screen === 'main' && model.layout === 'list') return framed(listAndLog(model, room).log);
  if (screen === 'main') {
    const place = paneHeights(model, room).find(({ index }) => index === selected);
    return framed((place?.body ?? 0) + 2);
  }
  const rows = room - infoRows(model, room);
  return borderless ? { rows: Math.max(0, rows), width: Math.max(1, size.columns) } : framed(rows);
}

/** The window that shows the current log, for scrolling in it. */
export function scrollWindow(model: Model): Window {
  const { rows, width } = logArea(model, getRoom(model));
  const style = lineStyle(model, currentLog(model)?.name ?? MERGED, PLAIN, width);
  return { rows: Math.max(1, rows), getRows: (line) => lineRows(line, style) };
}

/** Program, log file and listeners of the selected service, above its log. */
export function infoLines({ screen, panes, selected, size }: Model, theme: Theme): string[] {
  const pane = panes[selected];
  if (screen !== 'full' || pane === undefined) return [];
  const { program, version, logFile, listens } = pane;
  const places = listens.map(({ use, url }) => `${use} ${url}`);
  return [
    ...flow(
      [`${theme.dim('program')} ${program}`, ...(version === '' ? [] : [`${theme.dim('version')} ${version}`])],
      size.columns,
    ),
    ...flow([`${theme.dim('log file')} ${logFile}`], size.columns),
    ...(places.length === 0 ? [] : flow([`${theme.dim('listens')} ${places[0]}`, ...places.slice(1)], size.columns)),
  ];
}

/** A low terminal has more use for the log. */
export function infoRows(model: Model, room: number): number {
  return room >= 9 ? infoLines(model, PLAIN).length : 0;
}
