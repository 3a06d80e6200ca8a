/** JSON text in which a bigint is a number while a number can hold it, and a string from there on. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== 'bigint') return each;
    const number = Number(each);
    return Number.isSafeInteger(number) ? number : String(each);
  });
}

/** Whether a text nests lists and objects deeper than `limit`, if it is JSON. */
export function isNestedDeeper(text: string, limit: number): boolean {
  return exceedsJson(text, { maxDepth: limit, maxBrackets: Number.POSITIVE_INFINITY }) !== undefined;
}

export interface JsonBounds {
  readonly maxDepth: number;
  readonly maxBrackets: number;
  /** Lists and objects that may be members of a text that is a list. */
  readonly maxBatch?: number;
}

/**
 * Which bound on its lists and objects a text exceeds first, if it is JSON: how deep they are in each other, their
 * number, or that of the members of a batch. Looks at the characters, because a parser takes seconds for megabytes of
 * brackets, and parses all of a batch that is refused for its length.
 */
export function exceedsJson(
  text: string,
  { maxDepth, maxBrackets, maxBatch = Number.POSITIVE_INFINITY }: JsonBounds,
): 'depth' | 'brackets' | 'batch' | undefined {
  let depth = 0;
  let brackets = 0;
  let members = 0;
  let isList = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return undefined;
    } else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      depth += 1;
      brackets += 1;
      if (depth > maxDepth) return 'depth';
      if (brackets > maxBrackets) return 'brackets';
      if (brackets === 1) isList = character === OPEN_LIST;
      else if (depth === 2 && isList) {
        members += 1;
        if (members > maxBatch) return 'batch';
      }
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** End of the string that begins at `start`; -1 if it does not. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = end;
    while (text.charCodeAt(escapes - 1) === BACKSLASH) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
  }
  return -1;
}
