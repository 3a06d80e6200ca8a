import { expect, test } from 'vitest';
import { strictObject, text } from '../input/index.ts';
import { parseInput } from '../input/parse-input.ts';
import { readJsonFile } from './read-json-file.ts';

test('a mistake is reported with its line, where a file has several', () => {
  const read = strictObject({ rollup_name: text });
  const lines = '{\n  "rollup_name": "a",\n  "rolup_nam": "b"\n}\n';
  expect(() => readJsonFile(lines, 'x.json', read)).toThrow(
    'x.json:3: rolup_nam: expected a known key, such as "rollup_name"',
  );
  expect(() => readJsonFile('{"rollup_name": 1}', 'x.json', read)).toThrow('x.json: rollup_name: expected text');
});

// Defect: Files with a byte order mark refused as no JSON
test('a byte order mark before JSON is skipped, and one within it is not', () => {
  const marked = '\ufeff{"a": 1}';
  expect(readJsonFile(marked, 'x.json', (input) => input.at('a').value)).toBe(1n);
  expect(parseInput(marked, 'x').at('a').value).toBe(1);
  for (const text of ['\ufeff\ufeff1', '{"a": \ufeff1}']) {
    expect(() => readJsonFile(text, 'x.json', () => 1)).toThrow('x.json: expected JSON');
    expect(() => parseInput(text, 'x')).toThrow('JSON');
  }
});
