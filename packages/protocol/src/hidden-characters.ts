/*
 * The one list of characters that show nothing or change how their neighbours are shown, for pages, terminals and logs.
 * It is a subpath of its own, which loads nothing else.
 */

/**
 * Controls, formats (zero-width and bidirectional ones, tags), separators of lines, private use, halves of surrogate
 * pairs, characters that Unicode has software ignore (variation selectors, fillers), and two more that are drawn as nothing.
 */
const HIDDEN_CLASS = '\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{DI}\\u2800\\u{1d159}';
/** Parts of an emoji, and variants of ideographs and Mongolian letters, which are seen. */
const SEEN = [
  '(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]',
  '(?<=[\\d#*])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{ExtPict}[\\ufe0f\\p{EMod}]?)\\u200d(?=\\p{ExtPict})',
  '(?<=\\p{Ideographic})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{Script=Mongolian})[\\u180b-\\u180f]',
].join('|');
const HIDDEN = new RegExp(`(?!${SEEN})[${HIDDEN_CLASS}]`, 'gu');
const SEEN_CHARACTER = new RegExp(`[^\\p{Z}${HIDDEN_CLASS}]`, 'u');
const PLAIN = /^[\x20-\x7e]*$/;

/** The text with each hidden character in a form that is seen: `\u{200b}`, unless the caller has another one. */
export function showHidden(text: string, show: (character: string) => string = escaped): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, show);
}

/** JSON of the same value in which nothing is hidden. */
export function showHiddenInJson(json: string): string {
  // JSON escapes controls below a space on its own: the remaining ones are between its tokens.
  return showHidden(json, (character) => (character < ' ' ? character : getUnits(character)));
}

/** Whether nothing of a text can be seen. */
export const isInvisible = (text: string): boolean => !SEEN_CHARACTER.test(text);

const escaped = (character: string) => `\\u{${character.codePointAt(0)?.toString(16)}}`;

const getUnits = (character: string) =>
  character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

/**
 * Text of strangers as one line that is safe on a terminal: hidden characters, such as escape sequences and marks that
 * reverse the reading direction, are shown as their codes.
 */
export function plain(text: string): string {
  return showHidden(text, (character) => NAMED[character] ?? showHidden(character));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour is the one control sequence that is let through
const COLOUR_SEQUENCE = /(\u001b\[[0-9;]*m)/;

/** A line whose colours stay; anything else that would move the cursor is shown as its code. */
export function printable(text: string): string {
  return text
    .split(COLOUR_SEQUENCE)
    .map((part, index) => (index % 2 === 1 ? part : plain(part.replaceAll('\t', '  '))))
    .join('');
}
