import { widthOf } from './text.ts';

/** ASCII replacements of drawing characters, for terminals without these. Each takes one column, as the original. */
const STAND_INS: Readonly<Record<string, string>> = {
  '─': '-',
  '│': '|',
  '╭': '+',
  '╮': '+',
  '╰': '+',
  '╯': '+',
  '…': '~',
  '·': '-',
  '↑': '^',
  '↓': 'v',
  '▁': '_',
  '▂': '.',
  '▃': '.',
  '▄': '-',
  '▅': '-',
  '▆': '=',
  '▇': '=',
  '█': '#',
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: sequences for colours and for the cursor
const SEQUENCE = /(\u001b\[[0-9;:]*[mG])/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A row for a terminal that only has ASCII: as wide as before. */
export function asciiOf(row: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a sequence
  if (/^[\x1b\x20-\x7e]*$/.test(row)) return row;
  return row
    .split(SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : Array.from(GRAPHEMES.segment(part), letterFor).join('')))
    .join('');
}

function letterFor({ segment }: { readonly segment: string }): string {
  return /^[\x20-\x7e]$/.test(segment) ? segment : (STAND_INS[segment] ?? '?'.repeat(widthOf(segment)));
}

/** Whether the user's locale names another encoding than UTF-8. Without any locale, as in containers, terminals take UTF-8. */
export function isAsciiOnly(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = [env.LC_ALL, env.LC_CTYPE, env.LANG].find((value) => value !== undefined && value !== '');
  return locale !== undefined && !/utf-?8/i.test(locale);
}
