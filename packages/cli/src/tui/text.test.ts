import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cut, filled, flow, highlighted, measureWidth, shown, uncoloured, wrap } from './text.ts';

const red = (text: string) => `\u001b[31m${text}\u001b[0m`;
const COLOUR = { colour: true };

test.each([
  ['nothing', '', 0],
  ['letters', 'height=12', 9],
  ['wide letters', '日本', 4],
  ['an accent of its own', 'e\u0301', 1],
  ['a picture', '🚀', 2],
  ['a family, joined', '👩‍👩‍👧', 2],
  ['a flag', '🇩🇪', 2],
  ['a sign made a picture', '❤\ufe0f', 2],
  ['colours', red('ab'), 2],
  ['lines of a box', '│─╯', 3],
  ['Korean', '한글', 4],
])('%s takes as many columns as a terminal gives it', (_, text, width) => {
  expect(measureWidth(text)).toBe(width);
});

test('colours stay, everything else that a terminal would obey is shown as its code', () => {
  expect(shown(`${red('a')}\u001b[2J\u001b]0;title\u0007\tb\r\u0085\u202e`, COLOUR)).toBe(
    `${red('a')}\\u{1b}[2J\\u{1b}]0;title\\u{7}  b\\u{d}\\u{85}\\u{202e}`,
  );
  expect(shown(red('a'), { colour: false })).toBe('a');
  expect(uncoloured(red('a'))).toBe('a');
});

test('text that is cut ends in an ellipsis, and never leaves a colour open', () => {
  expect([cut('abcdef', 6), cut('abcdef', 5), cut('abcdef', 1), cut('abcdef', 0)]).toEqual([
    'abcdef',
    'abcd…',
    '…',
    '',
  ]);
  expect(cut('日本語', 5)).toBe('日本…');
  expect(cut('日本語', 4)).toBe('日…');
  expect(cut('\u001b[31mabcdef', 4)).toBe('\u001b[31mabc…\u001b[0m');
  expect(filled('ab', 4)).toBe('ab  ');
});

test('rows continue in the colour of the row before', () => {
  expect(wrap(`a${red('bcd')}e`, 2)).toEqual(['a\u001b[31mb\u001b[0m', '\u001b[31mcd\u001b[0m', 'e']);
  expect(wrap('abcde', 2)).toEqual(['ab', 'cd', 'e']);
  expect(wrap('', 2)).toEqual(['']);
});

const anyText = fc.array(
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('\u001b[31m', '\u001b[0m', '\u001b[1;38;5;9m', '\u001b[2K', '日本', '👩‍👩‍👧', '\t', 'e\u0301'),
  ),
  { maxLength: 12 },
);

test('whatever a service prints fits where it is put, and nothing but colour is sent', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 30 }), (parts, width) => {
      const text = shown(parts.join(''), COLOUR);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
      expect(uncoloured(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(measureWidth(filled(text, width))).toBe(width);
      for (const row of wrap(text, width)) expect(measureWidth(row)).toBeLessThanOrEqual(width);
      if (width > 1) {
        const together = wrap(text, width).map(uncoloured).join('');
        expect(together.replaceAll(' ', '')).toBe(uncoloured(text).replaceAll(' ', ''));
      }
    }),
  );
});

test('words flow into rows, and only one that is wider than a row is cut', () => {
  expect(flow(['one', 'two', 'three'], 8)).toEqual(['one  two', 'three']);
  expect(flow(['enormous', 'b'], 5)).toEqual(['enor…', 'b']);
  expect(flow([], 5)).toEqual([]);
});

test('what was searched for is inverted, in any letter case, and colours stay', () => {
  expect(highlighted('Block BLOCK', 'block')).toBe('\u001b[7mBlock\u001b[27m \u001b[7mBLOCK\u001b[27m');
  expect(highlighted(red('ab'), 'b')).toBe('\u001b[31ma\u001b[7mb\u001b[27m\u001b[0m');
  expect(highlighted('İb', 'b')).toBe('İb');
  expect(highlighted('ab', '')).toBe('ab');
});

test('rows break between words, and a word that is longer than a row is cut', () => {
  expect(wrap('block 12 is done', 9)).toEqual(['block 12 ', 'is done']);
  expect(wrap('block 12 is done', 8)).toEqual(['block 12', 'is done']);
  expect(wrap('ab abcdefgh ij', 4)).toEqual(['ab a', 'bcde', 'fgh ', 'ij']);
  expect(wrap(`see ${red('Größe is')} x`, 6)).toEqual(['see ', '\u001b[31mGröße \u001b[0m', '\u001b[31mis\u001b[0m x']);
});
