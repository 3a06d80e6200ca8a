import { expect, test } from 'vitest';
import { isAsciiOnly, toAscii } from './terminal.ts';

test('borders, bars and foreign letters get stand-ins of the same width; colours and the cursor stay', () => {
  expect(toAscii('╭─ a ─ ready · up 5s ─╮')).toBe('+- a - ready - up 5s -+');
  expect(toAscii('\u001b[31m│\u001b[0m日本 é e\u0301 🚀…\u001b[80G│')).toBe(
    '\u001b[31m|\u001b[0m???? ? ? ??~\u001b[80G|',
  );
  expect(toAscii('plain \u001b[1mtext\u001b[0m')).toBe('plain \u001b[1mtext\u001b[0m');
});

test.each([
  [{}, false],
  [{ LANG: 'C.UTF-8' }, false],
  [{ LANG: 'de_DE.utf8' }, false],
  [{ LANG: 'C' }, true],
  [{ LC_ALL: 'POSIX', LANG: 'en_US.UTF-8' }, true],
  [{ LC_ALL: '', LC_CTYPE: 'en_US.UTF-8', LANG: 'C' }, false],
  [{ LANG: 'en_US.ISO-8859-1' }, true],
])('%j: ASCII only is %s', (env, expected) => {
  expect(isAsciiOnly(env)).toBe(expected);
});
