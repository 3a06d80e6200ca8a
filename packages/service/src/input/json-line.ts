import { pathBelow } from './input.ts';

/** Range of a value in a text, in UTF-16 units; `end` is behind it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * The first value at a path of a text that is known to be JSON.
 *
 * @param path Such as `accounts[2].balance`, as `Input` writes it; empty for the whole.
 */
export function jsonSpan(text: string, path: string): Span | undefined {
  let at = 0;
  let found: Span | undefined;
  const skip = () => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const string = (): string => {
    const start = at;
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
    at += 1;
    return JSON.parse(text.slice(start, at)) as string; // between quotes, so a string
  };
  const value = (here: string): void => {
    skip();
    const start = at;
    const open = text[at];
    if (open === '{' || open === '[') {
      at += 1;
      for (let index = 0; ; index += 1) {
        skip();
        if (text[at] === '}' || text[at] === ']') break;
        const below = open === '{' ? pathBelow(here, string()) : `${here}[${index}]`;
        skip();
        if (open === '{') at += 1;
        value(below);
        skip();
        if (text[at] === ',') at += 1;
      }
      at += 1;
    } else if (open === '"') string();
    else while (at < text.length && !/[\s,\]}]/.test(text[at] ?? '')) at += 1;
    if (here === path) found ??= { start, end: at };
  };
  value('');
  return found;
}

/** The line of a value, from 1, or of the innermost one around it that is present; undefined if that is the whole value. */
export function jsonLine(text: string, path: string): number | undefined {
  for (let around = path; around !== ''; around = around.replace(/(^|\.)("(\\.|[^"\\])*"|[\w$-]+)$|\[\d+\]$/, '')) {
    const span = jsonSpan(text, around);
    if (span !== undefined) return text.slice(0, span.start).split('\n').length;
  }
  return undefined;
}
