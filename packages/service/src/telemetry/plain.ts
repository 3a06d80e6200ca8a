import { showHidden } from '@switchyard/protocol/hidden-characters';

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t' };

/**
 * Text of strangers as one line that is safe on a terminal: hidden characters, such as escape sequences and marks that
 * reverse the reading direction, is shown as its code.
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
