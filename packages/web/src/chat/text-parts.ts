/** A piece of a message's text, shown by its kind. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  /** The address is also the shown text: no text can promise another place. */
  | { readonly kind: 'link'; readonly href: string }
  | { readonly kind: 'mention'; readonly name: string };

/** Longer addresses stay text, and so do links and mentions beyond the first ones of a message. */
const MAX_LINK = 500;
const MAX_FOUND = 30;
/**
 * An address ends before a space, a quotation mark, or a backslash, which browsers read as a slash and with which a character
 * that was made visible begins. Characters that join others would make an address look like another one.
 */
const CANDIDATE = /(?<![\p{L}\p{N}])https?:\/\/[^\s<>"'`{}|\\^\u200c\u200d]+|(?<![\p{L}\p{N}@/])@[\p{L}\p{N}_.-]+/giu;

/**
 * Splits a text into links, mentions of known names, and the text between. Only `http` and `https` are links; an address
 * with a user name in it, which hides its host behind another one, is no link.
 *
 * @param isName Whether an account uses this name.
 */
export function getParts(text: string, isName: (name: string) => boolean): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  let count = 0;
  for (const { 0: found, index } of text.matchAll(CANDIDATE)) {
    const read = found.startsWith('@') ? mention(found, isName) : link(found);
    if (read === undefined) continue;
    count += 1;
    if (count > MAX_FOUND) break;
    if (index > end) parts.push({ kind: 'text', text: text.slice(end, index) });
    parts.push(read.part);
    end = index + read.length;
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

/** Names that a text may mention, whether or not an account uses them, in each form that could be meant. */
export function mentionsIn(text: string): readonly string[] {
  const names: string[] = [];
  getParts(text, (name) => {
    names.push(name);
    return false;
  });
  return names;
}

interface Found {
  readonly part: Part;
  /** Length of the text that it takes the place of. */
  readonly length: number;
}

/** The longest known name, without points and dashes that end a sentence. */
function mention(found: string, isName: (name: string) => boolean): Found | undefined {
  for (let name = found.slice(1); name !== ''; name = name.slice(0, -1)) {
    if (isName(name)) return { part: { kind: 'mention', name }, length: name.length + 1 };
    if (!/[.-]$/.test(name)) return undefined;
  }
  return undefined;
}

function link(found: string): Found | undefined {
  if (found.length > MAX_LINK) return undefined;
  const typed = withoutEnd(found);
  // `http://` alone is no link.
  if (!URL.canParse(typed)) return undefined;
  const url = new URL(typed);
  if (url.username !== '' || url.password !== '' || url.href.length > MAX_LINK) return undefined;
  return { part: { kind: 'link', href: url.href }, length: typed.length };
}

/** Without what belongs to the sentence around it: full stops, and a bracket that was opened before the address. */
function withoutEnd(address: string): string {
  const shorter = address.replace(/[.,;:!?…]+$/u, '');
  const isBalanced = shorter.split('(').length >= shorter.split(')').length;
  return shorter.endsWith(')') && !isBalanced ? withoutEnd(shorter.slice(0, -1)) : shorter;
}
