import { expect, test } from 'vitest';
import { background, COLOUR_NAMES, computeDepth, foreground, parseColour } from './colours.ts';

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
  expect(foreground([0, 0, 255], computeDepth({ COLORTERM: 'truecolor' }))).toBe('\u001b[38;2;0;0;255m');
  expect(foreground([0, 0, 255], computeDepth({ TERM: 'screen-256color' }))).toBe('\u001b[38;5;21m');
  expect(foreground([128, 128, 128], '256')).toBe('\u001b[38;5;244m');
  expect(foreground([255, 255, 255], '256')).toBe('\u001b[38;5;231m');
  expect(foreground([0, 0, 255], computeDepth({ NO_COLOR: '1', COLORTERM: 'truecolor' }))).toBe('');
  expect(foreground([0, 0, 255], computeDepth({ TERM: 'vt100' }))).toBe('');
  expect(foreground([30, 144, 255], computeDepth({ TERM: 'linux' }))).toBe('\u001b[94m');
  expect(foreground([200, 10, 10], computeDepth({ TERM: 'xterm' }))).toBe('\u001b[31m');
});

test('text on coloured ground is dark on light ground and light on dark ground', () => {
  expect(background([255, 255, 0], 'all')).toBe('\u001b[48;2;255;255;0m\u001b[30m');
  expect(background([0, 0, 255], '256')).toBe('\u001b[48;5;21m\u001b[97m');
  expect(background([30, 144, 255], '16')).toBe('\u001b[104m\u001b[97m');
  expect(background([1, 2, 3], 'none')).toBe('');
});
