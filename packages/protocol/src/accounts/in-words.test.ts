import { expect, test } from 'vitest';
import { alice } from '../testing.ts';
import { assetIdFromTrace } from './ids.ts';
import { inWords } from './in-words.ts';

test('a refusal names assets and accounts as people know them', () => {
  const message = `insufficient balance: account ${alice.account}, asset ${assetIdFromTrace('nria')}, held 1`;
  expect(inWords(message, ['ntia', 'nria'])).toBe(
    'insufficient balance: account astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm, asset nria, held 1',
  );
  expect(inWords(message, [], 'other')).toMatch(/^insufficient balance: account other1\w+, asset ibc\/704031c8/);
  const other = `transaction ${'ab'.repeat(32)} of ${'ab'.repeat(20)}`;
  expect(inWords(other, ['nria'])).toBe(other);
});
