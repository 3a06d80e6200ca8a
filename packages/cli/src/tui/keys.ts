import { createInterface, emitKeypressEvents, type Key as Keypress } from 'node:readline';

/** A key press: a character, or a key that has none. */
export type Key = { readonly char: string } | { readonly name: KeyName };

/** Names of keys, by those of Node. */
const NAMES = {
  up: 'up',
  down: 'down',
  pageup: 'page-up',
  pagedown: 'page-down',
  home: 'home',
  end: 'end',
  return: 'enter',
  enter: 'enter',
  tab: 'tab',
  backspace: 'backspace',
  delete: 'backspace',
} as const;
export type KeyName = (typeof NAMES)[keyof typeof NAMES] | 'escape' | 'ctrl-c';

const isNamed = (name: string): name is keyof typeof NAMES => Object.hasOwn(NAMES, name);

/** How long an escape character may be the start of a sequence, after which it is the key Esc. */
const ESCAPE_MS = 10;

/** Reports every key press, until the returned function gives the keyboard back. */
export function listenToKeys(input: NodeJS.ReadStream, onKey: (key: Key) => void): () => void {
  // It reads no lines: Node takes the delay of Esc from an interface only.
  const reader = createInterface({ input, escapeCodeTimeout: ESCAPE_MS });
  emitKeypressEvents(input, reader);
  const pressed = (_: unknown, keypress: Keypress) => {
    for (const key of getKeys(keypress)) onKey(key);
  };
  input.setRawMode(true);
  input.on('keypress', pressed);
  return () => {
    input.off('keypress', pressed);
    input.setRawMode(false);
    reader.close();
  };
}

function getKeys({ name = '', sequence = '' }: Keypress): Key[] {
  if (isNamed(name)) return [{ name: NAMES[name] }];
  // Esc followed at once by a character is sent as the character with Alt is, which has no meaning here.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what the key Esc sends
  const [, escapes = '', char = ''] = /^(\u001b*)([^\u001b]?)$/u.exec(sequence) ?? [];
  const keys: Key[] = Array.from(escapes, () => ({ name: 'escape' }));
  if (char === '\u0003') return [...keys, { name: 'ctrl-c' }];
  return /^\P{Cc}$/u.test(char) ? [...keys, { char }] : keys;
}
