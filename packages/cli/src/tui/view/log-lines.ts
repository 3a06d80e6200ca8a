import { findLevel } from '../filter.ts';
import type { LogLine } from '../log-buffer.ts';
import { MERGED, type Model, toView } from '../model.ts';
import { cut, filled, highlighted, measureWidth, shown, uncoloured, wrap } from '../text.ts';
import type { Theme } from '../theme.ts';
import { clockText } from './time-text.ts';

/** How lines of a log are shown. */
export interface LineStyle {
  readonly width: number;
  readonly wrap: boolean;
  readonly times: boolean;
  readonly theme: Theme;
  readonly search: string;
  /** The line that would be copied, if it is marked. */
  readonly marked?: LogLine | undefined;
  /** Set in the merged log. */
  readonly prefix?: { readonly width: number; index(service: string): number } | undefined;
}

const MAX_PREFIX = 16;

export function lineStyle(model: Model, name: string, theme: Theme, width: number): LineStyle {
  const longest = Math.max(...model.panes.map((pane) => measureWidth(pane.name)), 'switchyard'.length);
  const indexes = new Map(model.panes.map((pane, index) => [pane.name, index]));
  return {
    width,
    wrap: model.wrap,
    times: model.times,
    theme,
    search: toView(model, name).search?.query ?? '',
    ...(name === MERGED
      ? {
          prefix: { width: Math.min(longest, MAX_PREFIX), index: (service) => indexes.get(service) ?? indexes.size },
        }
      : {}),
  };
}

/** The rows that one line takes. */
export function lineRows(line: LogLine, style: LineStyle): string[] {
  const { width, wrap: isWrapped, times, theme, search, prefix, marked } = style;
  const head =
    prefix === undefined ? '' : theme.service(prefix.index(line.service), `${filled(line.service, prefix.width)} │ `);
  const room = Math.max(1, width - (prefix === undefined ? 0 : prefix.width + 3));
  const plainText = timed(line, shown(line.text, theme), times);
  const isFound = search !== '' && plainText.toLowerCase().includes(search.toLowerCase());
  // A match may span different colours.
  const isMarked = line === marked;
  const text =
    isFound || isMarked || line.kind !== 'output' ? highlighted(plainText, search) : painted(plainText, theme);
  const rows = isWrapped ? wrap(text, room) : [cut(text, room)];
  if (isMarked && !isFound) return rows.map((row) => head + theme.inverse(uncoloured(row)));
  if (line.kind === 'output') return rows.map((row) => head + row);
  const paint = line.kind === 'bad' ? theme.death : theme.life;
  return rows.map((row) => head + paint(row));
}

const OWN_TIME = /^(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)? +/;
/** Programs of others print it anywhere near the beginning: `I[2026-01-02|03:04:05.678]`, `{"time":"…`. */
const ANY_TIME = /\d\d:\d\d:\d\d/;
const TIME_WITHIN = 48;

/** A line that prints no time gets that of its arrival; without times, a leading one is left out. */
function timed(line: LogLine, text: string, times: boolean): string {
  if (!times) return text.replace(OWN_TIME, '');
  return ANY_TIME.test(text.slice(0, TIME_WITHIN)) ? text : `${clockText(line.at)} ${text}`;
}

const LEVEL = /^(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)(?= )/;
const KEYS = /(?<= )[A-Za-z_][\w.-]*=/g;

/** Time and names of fields step back, and the level has its colour. A line with colours of its own keeps them. */
function painted(text: string, theme: Theme): string {
  if (!theme.colour || text.includes('\u001b')) return text;
  const time = OWN_TIME.exec(text)?.[0] ?? '';
  const rest = text.slice(time.length);
  const level = LEVEL.exec(rest)?.[0] ?? '';
  const keys = (part: string) => part.replace(KEYS, (key) => theme.dim(key));
  if (level === '') return theme.dim(time) + keys(rest);
  return theme.dim(time) + theme.level(findLevel(level) ?? 'info', level) + keys(rest.slice(level.length));
}

/** Message of a line, for a place without room for its time and a harmless level. */
export function gist({ text }: LogLine, theme: Theme): string {
  const plainText = shown(text, { colour: false }).replace(OWN_TIME, '');
  const level = findLevel(plainText);
  const isAlarm = level === 'warn' || level === 'error' || level === 'fatal';
  return isAlarm ? theme.level(level, plainText) : theme.dim(plainText.replace(/^(?:TRACE|DEBUG|INFO) +/, ''));
}
