/** A key press: a character, or a key that has none. */
export type Key = { readonly char: string } | { readonly name: KeyName };

export type KeyName =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'ctrl-c';

/** What the terminal library makes of bytes; only what we use. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home?: boolean;
  readonly end?: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly meta: boolean;
}

/** The keys that one piece of input stands for: what is typed fast, or pasted, arrives together. */
export function keysOf(input: string, raw: RawKey): Key[] {
  if (raw.upArrow) return [{ name: 'up' }];
  if (raw.downArrow) return [{ name: 'down' }];
  if (raw.pageUp) return [{ name: 'page-up' }];
  if (raw.pageDown) return [{ name: 'page-down' }];
  if (raw.home) return [{ name: 'home' }];
  if (raw.end) return [{ name: 'end' }];
  if (raw.return) return [{ name: 'enter' }];
  if (raw.escape) return [{ name: 'escape' }];
  if (raw.backspace || raw.delete) return [{ name: 'backspace' }];
  if (raw.ctrl) return input === 'c' ? [{ name: 'ctrl-c' }] : [];
  // Esc and a letter typed at once look like the letter with Alt; no key with Alt means anything here.
  const before: Key[] = raw.meta ? [{ name: 'escape' }] : [];
  const typed = [...input].flatMap((char): Key[] => {
    if (char === '\r' || char === '\n') return [{ name: 'enter' }];
    if (char === '\u0003') return [{ name: 'ctrl-c' }];
    if (char === '\u007f' || char === '\b') return [{ name: 'backspace' }];
    return char < ' ' ? [] : [{ char }];
  });
  return typed.length === 0 ? [] : [...before, ...typed];
}
