import { showHidden } from '@switchyard/protocol/hidden-characters';

/** A name as it can be shown to strangers: what is hidden in it becomes visible. */
export function visibleName(name: string): string {
  const shown = showHidden(name, codeOf).replace(/\s+/gu, ' ').trim();
  return shown === '' ? '(no name)' : shown;
}

/** Shows a text like a name, but lines stay lines, and letters of scripts that need joiners keep them. */
export function visibleText(text: string): string {
  return showHidden(text, (character) => (/[\n\t\u200c\u200d]/.test(character) ? character : codeOf(character)));
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
