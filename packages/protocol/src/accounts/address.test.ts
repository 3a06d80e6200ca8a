import { bech32, bech32m } from '@scure/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Rejected } from '../errors.ts';
import { alice, anyAddress, bob, carol } from '../testing.ts';
import { addressPrefix, formatAddress, parseAddress, parseAnyAddress } from './address.ts';
import { accountBytes, accountIdFromBytes } from './ids.ts';
import { createSigner, parseSeed } from './keys.ts';

const account42 = accountIdFromBytes(new Uint8Array(20).fill(0x2a));

// sequencer.md appendix A and 10.2, messenger.md 6.4 and 11.
test('published keys and bytes have their published addresses', () => {
  expect(formatAddress(account42)).toBe('astria19g4z52329g4z52329g4z52329g4z5232ayenag');
  expect(formatAddress(accountIdFromBytes(new Uint8Array(20)))).toBe('astria1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq007erg');
  expect(formatAddress(alice.account)).toBe('astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm');
  expect(formatAddress(bob.account)).toBe('astria1yf56efahcq786pe5t7paknat40g6q4tsvqtql2');
  expect(formatAddress(carol.account)).toBe('astria1f6yydwp23ucl6kfxt2gqt9vufgpsl3zvz5hwxk');
});

test.each([
  ['934ab488f9e1900f6a08f50605ce1409ca9d95ebdc400dafc2e8a4306419fd52', 'astria1qrt4kfc9ggyy548u7rg0d64sgq5c952kzk9tg9'],
  ['dfa7108e38ab71f89f356c72afc38600d5758f11a8c337164713e4471411d2e0', 'astria13ahqz4pjqfmynk9ylrqv4fwe4957x2p0h5782u'],
  ['6015fbe1c365d3c5ef92dc891db8c5bb26ad454bec2db4762b96e9f8b2430285', 'astria1d7zjjljc0dsmxa545xkpwxym86g8uvvwhtezcr'],
  ['38a8d7a3e6ee3504f3a39eadad8c36a8cadbb7b6b9fd70c3dbd12f88b6f29441', 'astria1z523vzla0chwyfz7dnhlzwsvnjnq3lhcxgmrl6'],
  ['30cd5f982c8f3a08b72c60c36fe97b9f1da1c70d152edf1b08d1a2af89b3703e', 'astria1h7dglw48ef45fe95cr56mvru8hmlzk7gfk0e0a'],
])('development key %s is the account %s', (seed, address) => {
  expect(formatAddress(createSigner(parseSeed(seed)).account)).toBe(address);
});

test('plain bech32 is refused: it is the form of another chain', () => {
  // sequencer.md appendix A: the compatibility form of the same bytes.
  const compat = 'astriacompat19g4z52329g4z52329g4z52329g4z52322jspvr';
  expect(bech32.encode('astriacompat', bech32.toWords(accountBytes(account42)))).toBe(compat);
  expect(() => parseAddress(compat)).toThrow('expected bech32m text');
});

test('an address comes back as the account and prefix it was made from', () => {
  fc.assert(
    fc.property(anyAddress, ({ account, prefix }) => {
      const text = formatAddress(account, prefix);
      expect(parseAnyAddress(text)).toEqual({ account, prefix });
      expect(parseAddress(text)).toBe(account);
      expect(addressPrefix(text)).toBe(prefix);
    }),
  );
});

test('another prefix than the expected one is refused, with both', () => {
  expect(() => parseAddress(formatAddress(alice.account, 'foo'), 'astria')).toThrow(
    'expected prefix astria, got prefix foo',
  );
});

test('only 20 bytes are an address', () => {
  for (const length of [0, 19, 21, 32]) {
    const text = bech32m.encode('astria', bech32m.toWords(new Uint8Array(length)));
    expect(() => parseAddress(text)).toThrow(`expected 20 bytes, got ${length} bytes`);
  }
});

test('no text makes the parser throw anything but a refusal', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `astria1${text}`),
      ),
      (text) => {
        expect(() => parseAddress(text)).toThrow(Rejected);
      },
    ),
  );
});

test('a stranger does not decide how long our messages are', () => {
  expect(() => parseAddress('x'.repeat(100_000))).toThrow(/^.{0,200}$/);
});

// Defect: Mistyped address refused as one with another prefix
test('an address with a typing error has a wrong checksum, and what is no address has not', () => {
  const text = formatAddress(alice.account);
  for (const typed of [
    `${text.slice(0, -1)}q`,
    text.slice(0, -1),
    text.replace('sx', 'xs'),
    text.toUpperCase().replace('SX', 'XS'),
  ])
    expect(() => parseAddress(typed)).toThrow('problem its checksum does not fit, so a character is wrong or missing');
  for (const other of ['alice', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8', `A${text}`, `${text}b`])
    expect(() => parseAddress(other)).toThrow('expected bech32m text');
});
