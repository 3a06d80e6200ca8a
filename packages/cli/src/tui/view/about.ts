import type { AboutItem, Model } from '../model.ts';
import { filled, flow, measureWidth, shown, wrap } from '../text.ts';
import type { Theme } from '../theme.ts';

/** Before the rows that continue a command. */
const MORE = '    ';
const INDENT = '  ';
const NARROW = 40;
const MAX_LABEL = 20;

/** Arguments, with blanks only if quotes protect them; a comment stays together. */
const ARGUMENTS = /#.*$|(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

type Fact = Exclude<AboutItem, { kind: 'title' }>;

/** The items that can be selected and copied. */
export function factsOf({ about }: Pick<Model, 'about'>): readonly Fact[] {
  return about.filter((item) => item.kind !== 'title');
}

/** URLs, accounts and commands to try; if there is no room for all, those around the selected one. */
export function aboutLines(model: Model, theme: Theme, room: number): string[] {
  const { about, fact, size } = model;
  if (about.length === 0) return ['Known once all services are ready.'].map((text) => text.slice(0, size.columns));
  const selected = factsOf(model)[fact];
  const labels = about.map((item) => (item.kind === 'fact' ? measureWidth(item.label) : 0));
  const width = size.columns < NARROW ? 0 : Math.min(MAX_LABEL, Math.max(...labels));
  const rows: string[] = [];
  let [from, to] = [0, 0];
  for (const item of about) {
    const own = itemRows(item, size.columns, width, theme);
    if (item.kind === 'title' && rows.length > 0) rows.push('');
    if (item === selected) [from, to] = [rows.length, rows.length + own.length];
    rows.push(...(item === selected ? own.map((row) => theme.selected(filled(row, size.columns))) : own));
  }
  // The title above the first item is seen too.
  const wanted = fact === 0 ? 0 : from - Math.floor((room - (to - from)) / 2);
  const top = Math.max(0, Math.min(wanted, rows.length - room));
  return rows.slice(top, top + room);
}

function itemRows(item: AboutItem, columns: number, labelWidth: number, theme: Theme): string[] {
  if (item.kind === 'title') return flow(item.text.split(' '), columns, ' ').map((row) => theme.bold(row));
  const indent = INDENT.slice(0, Math.floor(columns / 8));
  if (item.kind === 'command') {
    const room = Math.max(1, columns - indent.length - MORE.length);
    const text = shown(item.value, { colour: false });
    const rows = commandRows(text, room) ?? wrap(text, room);
    return rows.map((row, index) => (index === 0 ? indent : indent + (columns < NARROW ? '' : MORE)) + row);
  }
  const { label, note } = item;
  const value = shown(item.value, { colour: false });
  const head = labelWidth === 0 ? '' : `${filled(shown(label, { colour: false }), labelWidth)}  `;
  const room = Math.max(1, columns - indent.length - head.length);
  const noted = note === undefined ? '' : `  ${shown(note, { colour: false })}`;
  const text = labelWidth === 0 && label !== '' ? `${label} ${value}` : value;
  const rows =
    measureWidth(text) + measureWidth(noted) <= room
      ? [text + theme.dim(noted)]
      : [...wrap(text, room), ...(note === undefined ? [] : wrap(noted.trim(), room).map(theme.dim))];
  return rows.map((row, index) => indent + (index === 0 ? theme.dim(head) : ' '.repeat(head.length)) + row);
}

/** Wraps between arguments, so that a shell takes the rows for one line. @returns `undefined` if an argument is longer than a row. */
function commandRows(text: string, room: number): string[] | undefined {
  const parts = text.match(ARGUMENTS) ?? [];
  const width = room - CONTINUED.length;
  if (parts.some((part) => measureWidth(part) > width)) return undefined;
  const rows = flow(parts, width, ' ');
  return rows.map((row, index) => (index < rows.length - 1 ? row + CONTINUED : row));
}

const CONTINUED = ' \\';
