import { plain } from '@switchyard/protocol/hidden-characters';
import stringWidth from 'string-width';

/*
 * Output of services on a terminal: its visible form, its width, its cuts. Colours are kept; every other control
 * character is shown as its code.
 */

const ESCAPE = '\u001b';
export const RESET = `${ESCAPE}[0m`;
export const INVERSE = `${ESCAPE}[7m`;
export const BOLD = `${ESCAPE}[1m`;
export const DIM = `${ESCAPE}[2m`;
const NOT_INVERSE = `${ESCAPE}[27m`;

/** Longest line that is shown, which bounds the work for programs that print very long ones. */
const LONGEST_SHOWN = 4_000;

const PLAIN_ASCII = /^[\x20-\x7e]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is the one control sequence that is let through
const COLOUR = /(\u001b\[[0-9;:]*m)/;

/** A piece of a line: a colour sequence of no width, a run of plain letters, or one character as people count them. */
interface Piece {
  readonly text: string;
  readonly width: number;
  readonly kind: 'colour' | 'run' | 'character';
}

export interface TextOptions {
  /** Without it, a program's own colours are left out. */
  readonly colour: boolean;
}

/** A line as it can be shown: one line, colours at most. */
export function shown(line: string, { colour }: TextOptions): string {
  const text = line.length > LONGEST_SHOWN ? line.slice(0, LONGEST_SHOWN) : line;
  if (PLAIN_ASCII.test(text)) return text;
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 0 ? plain(part.replaceAll('\t', '  ')) : colour ? part : ''))
    .join('');
}

/** The line without its colours, for searching. */
export function uncoloured(line: string): string {
  return line.includes(ESCAPE)
    ? line
        .split(COLOUR)
        .filter((_, index) => index % 2 === 0)
        .join('')
    : line;
}

/** Terminal columns of a text that has been through {@link shown}. */
export function measureWidth(text: string): number {
  if (PLAIN_ASCII.test(text)) return text.length;
  let width = 0;
  for (const piece of pieces(text)) width += piece.width;
  return width;
}

/** The beginning of `text` that fits; if something is cut off, the last column is an ellipsis. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN_ASCII.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  const end = text.includes(ESCAPE) ? RESET : '';
  if (fits(text, width)) return text + end;
  let out = '';
  let room = width - 1;
  for (const { text: piece, width: columns, kind } of pieces(text)) {
    out += columns <= room ? piece : kind === 'run' ? piece.slice(0, room) : '';
    room -= columns;
    if (room < 0) break;
  }
  return `${out}…${end}`;
}

function fits(text: string, width: number): boolean {
  let used = 0;
  for (const piece of pieces(text)) {
    used += piece.width;
    if (used > width) return false;
  }
  return true;
}

/** `text`, cut or filled with blanks to exactly `width` columns. */
export function filled(text: string, width: number): string {
  const short = cut(text, width);
  return short + ' '.repeat(Math.max(0, width - measureWidth(short)));
}

/**
 * `text` in rows of at most `width` columns, broken between words if that is possible; blanks at a break are dropped.
 * Each row begins in the colours that the one before ended in.
 */
export function wrap(text: string, width: number): string[] {
  if (width <= 0) return [];
  if (PLAIN_ASCII.test(text) && text.length <= width) return [text];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  let colours = '';
  const endRow = () => {
    rows.push(colours === '' ? row : row + RESET);
    row = colours;
    used = 0;
  };
  for (const word of iterateWords(text)) {
    const isBlank = word.every(({ text: piece, width: columns }) => columns === 0 || piece === ' ');
    const columns = word.reduce((sum, piece) => sum + piece.width, 0);
    if (!isBlank && used > 0 && used + columns > width && columns <= width) endRow();
    for (const piece of word) {
      if (piece.kind === 'colour') {
        colours = NO_COLOURS.test(piece.text) ? '' : (colours + piece.text).slice(-200);
        row += piece.text;
        continue;
      }
      if (isBlank && used + piece.width > width) continue;
      // A column too narrow for a wide character shows none.
      if (piece.width > width) continue;
      if (used + piece.width > width) endRow();
      row += piece.text;
      used += piece.width;
    }
  }
  rows.push(colours === '' ? row : row + RESET);
  return rows;
}

/** Words and the blanks between them, as single characters. A character of two columns may be broken before and after. */
function* iterateWords(text: string): Iterable<readonly Piece[]> {
  let word: Piece[] = [];
  for (const piece of characters(text)) {
    const [last] = word.slice(-1);
    if (last !== undefined && ((piece.text === ' ') !== (last.text === ' ') || piece.width === 2 || last.width === 2)) {
      yield word;
      word = [];
    }
    word.push(piece);
  }
  if (word.length > 0) yield word;
}

function* characters(text: string): Iterable<Piece> {
  for (const piece of pieces(text)) {
    if (piece.kind !== 'run') yield piece;
    else for (const char of piece.text) yield { text: char, width: 1, kind: 'character' };
  }
}

/** Words in rows of at most `width` columns; none is cut as long as it fits a row on its own. */
export function flow(words: readonly string[], width: number, gap = '  '): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of words) {
    const longer = row === '' ? word : row + gap + word;
    if (row === '' || measureWidth(longer) <= width) row = longer;
    else {
      rows.push(row);
      row = word;
    }
  }
  if (row !== '') rows.push(row);
  return rows.map((each) => cut(each, width));
}

/** `text` with every occurrence of `query` inverted, regardless of letter case. */
export function highlighted(text: string, query: string): string {
  if (query === '') return text;
  const wanted = query.toLowerCase();
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : markAll(part, wanted)))
    .join('');
}

function markAll(part: string, wanted: string): string {
  const lower = part.toLowerCase();
  // Some letters change their length with their case, which would shift the positions.
  if (lower.length !== part.length) return part;
  let out = '';
  let from = 0;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, from)) {
    out += part.slice(from, at) + INVERSE + part.slice(at, at + wanted.length) + NOT_INVERSE;
    from = at + wanted.length;
  }
  return out + part.slice(from);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what begins a colour sequence
const NO_COLOURS = /^\u001b\[0*m$/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function* pieces(text: string): Iterable<Piece> {
  for (const [index, part] of text.split(COLOUR).entries()) {
    if (part === '') continue;
    if (index % 2 === 1) yield { text: part, width: 0, kind: 'colour' };
    else if (PLAIN_ASCII.test(part)) yield { text: part, width: part.length, kind: 'run' };
    else {
      for (const { segment } of GRAPHEMES.segment(part)) {
        // Terminals have no character of more columns.
        yield { text: segment, width: Math.min(2, stringWidth(segment)), kind: 'character' };
      }
    }
  }
}
