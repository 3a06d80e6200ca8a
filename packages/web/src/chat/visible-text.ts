/**
 * Characters that show nothing or change how their neighbours are shown: controls, zero-width and bidirectional ones,
 * tags, fillers.
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u115f\u1160\u2800\u3164\uffa0]|\u034f|\u17b4|\u17b5/gu;
/** Joins the parts of one emoji. */
const EMOJI_JOINER = /(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})/gu;
const KEPT = '\ue000';

/** A name as it can be shown to strangers: what is hidden in it becomes visible. */
export function visibleName(name: string): string {
  const shown = visible(name, () => false)
    .replace(/\s+/gu, ' ')
    .trim();
  return shown === '' ? '(no name)' : shown;
}

/** As a name, but lines stay lines, and letters of scripts that need joiners keep them. */
export function visibleText(text: string): string {
  return visible(text, (character) => character === '\n' || character === '\t' || /[\u200c\u200d]/u.test(character));
}

function visible(text: string, isAllowed: (character: string) => boolean): string {
  const parts = text.replaceAll(KEPT, codeOf(KEPT)).replace(EMOJI_JOINER, KEPT);
  return parts.replace(HIDDEN, (character) => {
    if (character === KEPT) return '\u200d';
    return isAllowed(character) ? character : codeOf(character);
  });
}

function codeOf(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
