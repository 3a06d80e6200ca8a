import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from '../errors.ts';
import { anyDenom } from '../testing.ts';
import { ibcForm, parseDenom } from './asset.ts';

// sequencer.md appendix A, messenger.md 11.
test.each([
  ['nria', '704031c868fd3d3c84a1cfa8cb45deba4ea746b44697f7f4a6ed1b8f6c239b82'],
  ['ntia', '54aa0250dd7fd58e88d18dc149d826c5c23bef81e53e0598b37ce5323ab36c30'],
  ['transfer/channel-0/utia', 'c3e53d20bc7a4cc993b17c7971f8ecd06a433c10b6a96f4c4c3714f0624c56da'],
])('the id of %s is the hash of its trace', (text, id) => {
  expect(parseDenom(text)).toEqual({ text, id, form: 'trace' });
});

test('both forms of an asset have one id', () => {
  const { id } = parseDenom('transfer/channel-0/utia');
  expect(parseDenom(ibcForm(id))).toEqual({ text: `ibc/${id}`, id, form: 'ibc' });
  expect(parseDenom(`ibc/${id.toUpperCase()}`)).toEqual({ text: `ibc/${id}`, id, form: 'ibc' });
});

test.each([
  '',
  'a/b',
  'a/b/c/d',
  '/a/b',
  'a//b',
  'a/b/',
  'n ria',
  'n\tria',
  'nrïa',
  'ibc/',
  'ibc/00',
  `ibc/${'0'.repeat(64)}/x`,
])('%j is not an asset', (text) => {
  expect(() => parseDenom(text)).toThrow(Rejected);
});

test('what an asset prints parses as the same asset', () => {
  fc.assert(
    fc.property(anyDenom, (denom) => {
      expect(parseDenom(denom.text)).toEqual(denom);
    }),
  );
});

test('no text makes the parser throw anything but a refusal', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(parseDenom(text).id).toMatch(/^[0-9a-f]{64}$/);
      } catch (error) {
        if (!(error instanceof Rejected)) throw error;
      }
    }),
  );
});
