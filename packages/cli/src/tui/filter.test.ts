import { expect, test } from 'vitest';
import { findLevel, parseFilter } from './filter.ts';

const passing = (typed: string, lines: readonly string[]) => {
  const parsed = parseFilter(typed);
  if (!parsed.ok) throw new Error(parsed.reason);
  return lines.filter((text) => parsed.filter?.passes({ service: 'a', text, at: 0, kind: 'output' }) ?? true);
};
const LINES = [
  '06:58:23.367 INFO  starting version=0.1.0',
  '\u001b[90m06:58:23.499\u001b[0m \u001b[33mWARN \u001b[0m cannot submit, error=1',
  'level=error msg="no route"',
  '{"level":"debug","msg":"x"}',
  'no level at all',
];

test.each([
  ['our own', LINES[0], 'info'],
  ['coloured', LINES[1], 'warn'],
  ['key and value', LINES[2], 'error'],
  ['JSON', LINES[3], 'debug'],
  ['of geth', 'INFO [01-01|00:00:00.000] Imported new chain segment', 'info'],
  ['of three letters', '2025-01-01T00:00:00Z ERR boom', 'error'],
  ['absent', LINES[4], undefined],
  ['a part of a word', 'information about warning-free code: terror', undefined],
])('a level is found: %s', (_, text, level) => {
  expect(findLevel(text ?? '')).toBe(level);
});

test('a level shows itself and worse', () => {
  expect(passing('warn', LINES)).toEqual([LINES[1], LINES[2]]);
  expect(passing('ERROR', LINES)).toEqual([LINES[2]]);
  expect(passing('trace', LINES)).toEqual(LINES.slice(0, 4));
});

test('anything else is a regular expression over what is seen', () => {
  expect(passing('^06:58.*(warn|version)', LINES)).toEqual(LINES.slice(0, 2));
  expect(passing('', LINES)).toEqual(LINES);
});

test('the name of a member that every object has is an expression like any other', () => {
  expect(passing('constructor', LINES)).toEqual([]);
});

test('what is no expression is refused with the reason', () => {
  expect(parseFilter('a(')).toEqual({ ok: false, reason: 'not a regular expression: /a(/i: Unterminated group' });
});

// Defect: Filter `warn` showed mostly ready services
test('lines about the life of a service pass every expression; to a level they are errors where it failed', () => {
  const life = { service: 'a', text: '[switchyard] ready after 5 ms', at: 0, kind: 'life' } as const;
  const bad = { ...life, text: '[switchyard] ended: exit code 1', kind: 'bad' } as const;
  const shows = (typed: string) => {
    const parsed = parseFilter(typed);
    return [life, bad].map((line) => parsed.ok && parsed.filter?.passes(line));
  };
  expect(['nothing like it', 'info', 'warn', 'fatal'].map(shows)).toEqual([
    [true, true],
    [true, true],
    [false, true],
    [false, false],
  ]);
});
