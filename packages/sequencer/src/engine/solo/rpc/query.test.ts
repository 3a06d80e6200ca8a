import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactly, matches, parseQuery } from './query.ts';

const keys = new Map([
  ['tm.event', ['Tx']],
  ['tx.hash', ['AB12']],
  ['tx.height', ['15']],
  ['tx.fees.asset', ['nria', 'ibc/ff']],
  ['tx.time', ['2025-06-01T12:00:00Z']],
]);

test.each([
  ["tm.event='Tx'", true],
  ["tm.event = 'Tx'", true],
  ["  tm.event='Tx'   AND tx.hash = 'AB12' ", true],
  ["tm.event='Tx' AND tx.hash='ab12'", false],
  ["tm.event='NewBlock'", false],
  ['tx.height = 15', true],
  ["tx.height = '15'", true],
  ['tx.height > 14 AND tx.height <= 15', true],
  ['tx.height < 15', false],
  ['tx.height >= 15.5', false],
  ["tx.fees.asset = 'ibc/ff'", true],
  ["tx.fees.asset CONTAINS 'ri'", true],
  ["tx.fees.asset CONTAINS 'x'", false],
  ['tx.fees.asset EXISTS', true],
  ['tx.deposit.amount EXISTS', false],
  ['tx.time >= TIME 2025-06-01T12:00:00Z', true],
  ['tx.time < DATE 2025-06-01', false],
  ["tm.event = 'AND'", false],
])('%s holds: %s', (text, expected) => {
  expect(matches(parseQuery(text).conditions, keys)).toBe(expected);
});

test.each([
  '',
  ' ',
  "'Tx'",
  'tm.event',
  'tm.event =',
  "tm.event='Tx",
  "tm.event='Tx' AND",
  "tm.event='Tx' OR a=1",
  'a ! b',
  "a < 'b'",
  'a CONTAINS 5',
  'a = TIME 99:99',
  'a=1 b=2',
  '=1',
  "a == 'b'",
])('refuses %j with one line', (text) => {
  expect(() => parseQuery(text)).toThrow(/^[^\n]+$/);
});

test('finds what a key must equal', () => {
  const query = parseQuery("tx.hash='AB' AND tx.height=5 AND a > 3").conditions;
  expect([exactly(query, 'tx.hash'), exactly(query, 'tx.height'), exactly(query, 'a')]).toEqual(['AB', '5', undefined]);
});

test('any text is a query or an error', () => {
  const pieces = fc.constantFrom(
    'tm.event',
    "'",
    '=',
    ' ',
    'AND',
    '<',
    'EXISTS',
    'TIME ',
    '5',
    '.',
    'CONTAINS',
    "'x'",
    '\u0000',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces).map((each) => each.join('')),
      ),
      (text) => {
        try {
          matches(parseQuery(text).conditions, keys);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
          expect(error).not.toBeInstanceOf(TypeError);
        }
      },
    ),
  );
});
