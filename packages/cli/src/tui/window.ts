import type { LogBuffer, LogLine } from './log-buffer.ts';
import type { Anchor, LogView } from './model.ts';
import { uncoloured } from './text.ts';

/*
 * Which lines of a log are on the screen. Only those are read: a log may be long and change a thousand times a second.
 */

export interface Window {
  readonly rows: number;
  /** The rows that a line takes. */
  rowsOf(line: LogLine): readonly string[];
}

const passes = ({ filter, checks }: LogView, line: LogLine) =>
  (checks === true || line.isCheck !== true) && (filter?.passes(line) ?? true);

/** The rows to show, at most as many as there is room for. */
export function windowRows(log: LogBuffer, view: LogView, window: Window): string[] {
  const { anchor } = view;
  if (anchor?.kind === 'top') {
    const rows = downFrom(log, view, anchor.number, window);
    return rows.length >= window.rows ? rows : upFrom(log, view, log.end, window);
  }
  const end = Math.min(anchor?.number ?? log.end, log.end);
  const rows = upFrom(log, view, end, window);
  if (rows.length >= window.rows || anchor === undefined) return rows;
  // Too few lines above to fill the window: it starts with the oldest one.
  return downFrom(log, view, log.first, window);
}

/** The last rows above line `end`. */
function upFrom(log: LogBuffer, view: LogView, end: number, { rows, rowsOf }: Window): string[] {
  const found: (readonly string[])[] = [];
  let count = 0;
  for (let number = end - 1; number >= log.first && count < rows; number -= 1) {
    const line = log.at(number);
    if (line === undefined || !passes(view, line)) continue;
    const taken = rowsOf(line);
    found.push(taken);
    count += taken.length;
  }
  return rows <= 0 ? [] : found.reverse().flat().slice(-rows);
}

function downFrom(log: LogBuffer, view: LogView, start: number, { rows, rowsOf }: Window): string[] {
  const found: string[] = [];
  for (let number = Math.max(start, log.first); number < log.end && found.length < rows; number += 1) {
    const line = log.at(number);
    if (line !== undefined && passes(view, line)) found.push(...rowsOf(line));
  }
  return found.slice(0, Math.max(rows, 0));
}

/** Position of a log after scrolling by `lines`, up if negative. Not beyond its first and last page. */
export function scrolled(log: LogBuffer, view: LogView, lines: number, window: Window): Anchor {
  let anchor = view.anchor ?? { kind: 'end', number: log.end };
  for (let step = 0; step < Math.abs(lines); step += 1) {
    const next = lines < 0 ? above(log, view, anchor, window) : below(log, view, anchor, window);
    if (next === undefined) break;
    anchor = next;
  }
  return anchor;
}

function above(log: LogBuffer, view: LogView, { kind, number }: Anchor, window: Window): Anchor | undefined {
  if (kind === 'top') {
    const previous = neighbour(log, view, Math.min(number, log.end), -1);
    return previous === undefined ? undefined : { kind, number: previous };
  }
  const more = { ...window, rows: window.rows + 1 };
  if (upFrom(log, view, number, more).length < more.rows) return undefined;
  const last = neighbour(log, view, Math.min(number, log.end), -1);
  return last === undefined ? undefined : { kind, number: last };
}

function below(log: LogBuffer, view: LogView, { kind, number }: Anchor, window: Window): Anchor | undefined {
  if (kind === 'top') {
    const current = neighbour(log, view, Math.max(number, log.first) - 1, 1);
    const next = current === undefined ? undefined : neighbour(log, view, current, 1);
    if (next === undefined) return undefined;
    // The last page is on the screen.
    const full = downFrom(log, view, next, window).length >= window.rows;
    return full ? { kind, number: next } : { kind: 'end', number: log.end };
  }
  const next = neighbour(log, view, number - 1, 1);
  return next === undefined ? undefined : { kind, number: next + 1 };
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
  const { anchor, search } = view;
  if (search?.match !== undefined) return log.at(search.match);
  const number =
    anchor?.kind === 'top'
      ? neighbour(log, view, anchor.number - 1, 1)
      : neighbour(log, view, Math.min(anchor?.number ?? log.end, log.end), -1);
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
