import { expect, test } from 'vitest';
import { COLOUR_NAMES, depthOf, foreground, parseColour } from './colours.ts';

test('a colour is a name of the web or red, green and blue', () => {
  expect([parseColour('blue'), parseColour(' RebeccaPurple '), parseColour('#0aF0fF')]).toEqual([
    [0, 0, 255],
    [0x66, 0x33, 0x99],
    [10, 240, 255],
  ]);
  for (const wrong of ['', 'bleu', '#12345', '#12345g', '0000ff', 'ff0000']) expect(parseColour(wrong)).toBeUndefined();
});

test('all names of the standard are there, and each has a colour', () => {
  expect(COLOUR_NAMES).toHaveLength(148);
  expect(new Set(COLOUR_NAMES).size).toBe(148);
  for (const name of COLOUR_NAMES) expect(parseColour(name)).toBeDefined();
});

test('a terminal gets as many colours as its environment declares', () => {
  expect(foreground([0, 0, 255], depthOf({ COLORTERM: 'truecolor' }))).toBe('\u001b[38;2;0;0;255m');
  expect(foreground([0, 0, 255], depthOf({ TERM: 'screen-256color' }))).toBe('\u001b[38;5;21m');
  expect(foreground([128, 128, 128], '256')).toBe('\u001b[38;5;244m');
  expect(foreground([255, 255, 255], '256')).toBe('\u001b[38;5;231m');
  expect(foreground([0, 0, 255], depthOf({ NO_COLOR: '1', COLORTERM: 'truecolor' }))).toBe('');
});
