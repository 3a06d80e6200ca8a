import { expect, test } from 'vitest';
import { isInvisible, showHidden, showHiddenInJson } from './hidden-characters.ts';

// Defect: Zero-width characters and soft hyphens in names were printed unescaped
test.each([
  ['zero\u200bwidth', 'zero\\u{200b}width'],
  ['\u061c\u00ad\ufeff\u2060', '\\u{61c}\\u{ad}\\u{feff}\\u{2060}'],
  ['a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['\u0000\n\u001b[2J\u009b', '\\u{0}\\u{a}\\u{1b}[2J\\u{9b}'],
  ['\ud800 \udc00', '\\u{d800} \\u{dc00}'],
  ['ali\ufe0fce1\ufe0f', 'ali\\u{fe0f}ce1\\u{fe0f}'],
  ['x\u{e0041}y\u{e0100}', 'x\\u{e0041}y\\u{e0100}'],
  ['\u3164\uffa0\u2800\u115f\u034f', '\\u{3164}\\u{ffa0}\\u{2800}\\u{115f}\\u{34f}'],
  ['two\u2028lines\ue000', 'two\\u{2028}lines\\u{e000}'],
])('shows what is hidden in %j', (text, shown) => {
  expect(showHidden(text)).toBe(shown);
  expect(JSON.parse(showHiddenInJson(JSON.stringify({ text }, undefined, 2)))).toEqual({ text });
  expect(showHidden(showHiddenInJson(JSON.stringify(text)))).toBe(showHiddenInJson(JSON.stringify(text)));
});

test.each(['👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 ❤\ufe0f 1\ufe0f\u20e3 葛\u{e0100}', 'z\u0351a\u0361lgo', 'שלום', 'naïve'])(
  'leaves %j as it is',
  (text) => {
    expect(showHidden(text)).toBe(text);
    expect(isInvisible(text)).toBe(false);
  },
);

test.each(['', ' \n\t', '\u00a0\u3000\u2003', '\u200b\u2060', '\u3164 \u2800', '\ufe0f\u200d', '\ud800'])(
  'nothing of %j is seen',
  (text) => {
    expect(isInvisible(text)).toBe(true);
  },
);
