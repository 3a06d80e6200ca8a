import { showHidden } from '@switchyard/protocol/hidden-characters';

/** A name as it can be shown to strangers: hidden characters become visible. */
export function visibleName(name: string): string {
  const shown = showHidden(name).replace(/\s+/gu, ' ').trim();
  return shown === '' ? '(no name)' : shown;
}

/** Shows a text like a name, but lines stay lines, and letters of scripts that need joiners keep them. */
export function visibleText(text: string): string {
  return showHidden(text, (character) => (/[\n\t\u200c\u200d]/.test(character) ? character : showHidden(character)));
}

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first characters of a text as readers count them, so that no emoji is cut. */
export function beginning(text: string, most: number): string {
  let [end, count] = [0, 0];
  for (const { index, segment } of characters.segment(text)) {
    if (count === most) break;
    count += 1;
    end = index + segment.length;
  }
  return text.slice(0, end);
}
