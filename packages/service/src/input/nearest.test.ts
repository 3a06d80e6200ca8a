import fc from 'fast-check';
import { expect, test } from 'vitest';
import { didYouMean, nearest } from './nearest.ts';

const NAMES = ['local', 'remote', 'composer', 'conductor', 'sequencer', 'svc_composer_fee_asset'];

test.each([
  ['locla', 'local'],
  ['Local', 'local'],
  ['loca', 'local'],
  ['seqencer', 'sequencer'],
  ['conducter', 'conductor'],
  ['svc_composer_feeasset', 'svc_composer_fee_asset'],
  ['moon', undefined],
  ['', undefined],
  ['x', undefined],
])('%j is nearest to %s', (got, expected) => {
  expect(nearest(got, NAMES)).toBe(expected);
});

test('with two candidates the nearer wins, with none there is no phrase', () => {
  expect(nearest('dust', ['dawn', 'dusk'])).toBe('dusk');
  expect([didYouMean('dust', ['dusk']), didYouMean('dust', [])]).toEqual(['; did you mean "dusk"?', '']);
});

test('a name is nearest to itself, and to itself with two neighbours swapped', () => {
  const name = fc.stringMatching(/^[a-z_]{4,30}$/);
  fc.assert(
    fc.property(name, fc.array(name), fc.nat(), (wanted, others, seed) => {
      expect(nearest(wanted, [...others, wanted])).toBe(wanted);
      const at = seed % (wanted.length - 1);
      const swapped = `${wanted.slice(0, at)}${wanted[at + 1]}${wanted[at]}${wanted.slice(at + 2)}`;
      expect(nearest(swapped, [wanted])).toBe(wanted);
    }),
  );
});
