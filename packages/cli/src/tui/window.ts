import type { LogBuffer, LogLine } from './log-buffer.ts';
import type { LogView } from './model.ts';
import { uncoloured } from './text.ts';

/*
 * Which lines of a log are on the screen. Only those are read: a log may be long and change a thousand times a second.
 */

export interface Window {
  readonly rows: number;
  /** The rows that a line takes. */
  getRows(line: LogLine): readonly string[];
}

const passes = ({ filter, checks }: LogView, line: LogLine) =>
  (checks === true || line.isCheck !== true) && (filter?.passes(line) ?? true);

/** The rows to show, at most as many as there is room for. */
export function windowRows(log: LogBuffer, view: LogView, window: Window): string[] {
  const { anchor = log.end } = view;
  const rows = upFrom(log, view, Math.min(anchor, log.end), window);
  if (rows.length >= window.rows || view.anchor === undefined) return rows;
  // Too few lines above to fill the window: it starts with the oldest one.
  return firstPage(log, view, window).rows;
}

/** Whether a log stands at its first page, which has no bottom line: that changes with the size of the window. */
export const isAtHead = (log: LogBuffer, { anchor }: LogView): boolean => anchor !== undefined && anchor <= log.first;

/** The last rows above line `end`. */
function upFrom(log: LogBuffer, view: LogView, end: number, { rows, getRows }: Window): string[] {
  const found: (readonly string[])[] = [];
  let count = 0;
  for (let number = end - 1; number >= log.first && count < rows; number -= 1) {
    const line = log.at(number);
    if (line === undefined || !passes(view, line)) continue;
    const taken = getRows(line);
    found.push(taken);
    count += taken.length;
  }
  return rows <= 0 ? [] : found.reverse().flat().slice(-rows);
}

/** The first rows, and the number of the line after them. */
function firstPage(log: LogBuffer, view: LogView, { rows, getRows }: Window) {
  const found: string[] = [];
  let end = log.first;
  for (; end < log.end && found.length < rows; end += 1) {
    const line = log.at(end);
    if (line !== undefined && passes(view, line)) found.push(...getRows(line));
  }
  return { rows: found.slice(0, Math.max(rows, 0)), end };
}

/** Position of a log after scrolling by `lines`, up if negative. Not beyond its first and last page. */
export function scrolled(log: LogBuffer, view: LogView, lines: number, window: Window): number {
  const more = { ...window, rows: window.rows + 1 };
  let anchor = Math.min(view.anchor ?? log.end, log.end);
  if (lines > 0) anchor = Math.max(anchor, firstPage(log, view, window).end);
  for (let step = 0; step < Math.abs(lines); step += 1) {
    if (lines < 0 && upFrom(log, view, anchor, more).length < more.rows) break;
    const next = lines < 0 ? neighbour(log, view, anchor, -1) : neighbour(log, view, anchor - 1, 1);
    if (next === undefined) break;
    anchor = lines < 0 ? next : next + 1;
  }
  return anchor;
}

/** The next line that is shown, up or down from `number`, which may be hidden. */
function neighbour(log: LogBuffer, view: LogView, number: number, step: 1 | -1): number | undefined {
  for (let at = Math.max(number, log.first - 1) + step; at >= log.first && at < log.end; at += step) {
    const line = log.at(at);
    if (line !== undefined && passes(view, line)) return at;
  }
  return undefined;
}

/** The nearest line above or below line `from` that contains `query`, case-insensitive. */
export function findLine(log: LogBuffer, view: LogView, query: string, from: number, step: 1 | -1): number | undefined {
  const wanted = query.toLowerCase();
  for (let at = neighbour(log, view, from, step); at !== undefined; at = neighbour(log, view, at, step)) {
    if (
      uncoloured(log.at(at)?.text ?? '')
        .toLowerCase()
        .includes(wanted)
    )
      return at;
  }
  return undefined;
}

/** The line that is copied: the match of a search, the first one shown after a jump to the head, else the last one. */
export function currentLine(log: LogBuffer, view: LogView): LogLine | undefined {
  const { anchor = log.end, search } = view;
  if (search?.match !== undefined) return log.at(search.match);
  const number = isAtHead(log, view)
    ? neighbour(log, view, log.first - 1, 1)
    : neighbour(log, view, Math.min(anchor, log.end), -1);
  return number === undefined ? undefined : log.at(number);
}

/** Bytes that terminals accept from a program for the clipboard. */
export const MAX_COPIED = 48 * 1_024;

/** The newest lines that pass the filter, as text. */
export function logText(log: LogBuffer, view: LogView): { readonly text: string; readonly lines: number } {
  const lines: string[] = [];
  let size = 0;
  for (let number = log.end - 1; number >= log.first; number -= 1) {
    const line = log.at(number);
    if (line === undefined || !passes(view, line)) continue;
    const text = uncoloured(line.text);
    size += Buffer.byteLength(text) + 1;
    if (size > MAX_COPIED) break;
    lines.push(text);
  }
  return { text: lines.reverse().join('\n'), lines: lines.length };
}
