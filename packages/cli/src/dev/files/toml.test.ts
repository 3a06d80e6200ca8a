import { expect, test } from 'vitest';
import { effectiveText, lowerKeys, parseToml, tomlLine } from './toml.ts';

test('keys are read in lower case, except below tables that are to be kept', () => {
  const table = parseToml('[Networks.Local]\nRollup_Name = "x"\n[networks.Local.Services.a.Env]\nMyVar = "1"\n', 'f');
  expect(() => lowerKeys(table, 'f')).toThrow('f: networks: given twice, in different letter case');
  const one = parseToml('[A.Local]\nRollup_Name = "x"\n[A.Local.Env]\nMyVar = "1"\n', 'f');
  expect(lowerKeys(one, 'f', ['env'])).toEqual({ a: { local: { rollup_name: 'x', env: { MyVar: '1' } } } });
});

const text = `# networks.local.rollup_name = "no key"
top = 1
[networks.local]
Rollup_Name = "a"

  [ networks . local . services . "my one" ]
args = [
  "x",
]
env.mode = "fast"
[networks.other]
rollup_name = "b"
`;

test.each([
  ['top', 2],
  ['networks', 3],
  ['networks.local.rollup_name', 4],
  ['networks.local.services."my one".args', 7],
  ['networks.local.services."my one".env.mode', 10],
  ['networks.other.rollup_name', 12],
  ['networks.other.start_page', undefined],
  ['rollup_name', undefined],
])('%s stands in line %s', (path, line) => {
  expect(tomlLine(text, path)).toBe(line);
});

test('the last of repeated keys and tables counts, and comments stay', () => {
  const before = `# head
a = [
  "old",
]
b = 1
[x]
gone = 1
# note
[x.y]
c = 1
[[list]]
d = 1
[[list]]
d = 2
[ x ]
e = 'new'
`;
  expect(effectiveText(before)).toBe(before.replace('[x]\ngone = 1\n', ''));
  const twice = effectiveText(`a = 1\n${before}`);
  expect(parseToml(twice, 'f')).toMatchObject({ a: ['old'], list: [{ d: 1 }, { d: 2 }], x: { e: 'new', y: { c: 1 } } });
  const own = 'a = [\n  "old",\n]\nb = 1\na = 2\n';
  expect(effectiveText(own)).toBe('b = 1\na = 2\n');
  expect(parseToml(own, 'f')).toEqual({ a: 2, b: 1 });
  // The message of a mistake has its line in the file.
  expect(() => parseToml(`${own}c = \n`, 'f')).toThrow('f:6:');
});
