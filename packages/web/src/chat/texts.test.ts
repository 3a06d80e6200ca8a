import { expect, test } from 'vitest';
import { assetName, formatCoins, gains, parseCoins } from '../ui/coins.ts';
import { beginning, visibleName, visibleText } from './visible-text.ts';

test('hidden characters of a name are shown, and obeyed nowhere', () => {
  expect(visibleName('ali\u200bce')).toBe('ali\\u{200b}ce');
  expect(visibleName('\u202eecila')).toBe('\\u{202e}ecila');
  expect(visibleName('a\u2066b\u0000\n c')).toBe('a\\u{2066}b\\u{0}\\u{a} c');
  expect(visibleName('x\u{e0041}')).toBe('x\\u{e0041}');
  expect(visibleName('  ')).toBe('(no name)');
  expect(visibleName('\ue000')).toBe('\\u{e000}');
});

test('scripts that need joiners, lines and emoji are left as they are in a message', () => {
  for (const text of ['می\u200cخواهم', 'one\n\ttwo', '👩\u200d🚀 🏳\ufe0f\u200d🌈', 'שלום'])
    expect(visibleText(text)).toBe(text);
  expect(visibleName('👩🏽\u200d🚀')).toBe('👩🏽\u200d🚀');
  expect(visibleText('a\u202eb')).toBe('a\\u{202e}b');
});

test('the beginning of a text cuts no emoji', () => {
  const flags = '🏳\ufe0f\u200d🌈🇳🇴👩🏽\u200d🚀';
  expect(beginning(`a${flags}`, 2)).toBe('a🏳\ufe0f\u200d🌈');
  expect(beginning(flags, 2)).toBe('🏳\ufe0f\u200d🌈🇳🇴');
  expect(beginning(flags, 9)).toBe(flags);
});

test('amounts are shown in coins, and read back', () => {
  expect(formatCoins(100_000_000_000_000_000n, 'nria')).toBe('100,000,000 RIA');
  expect(formatCoins(1n, 'nria')).toBe('0.000000001 RIA');
  expect(formatCoins(1_500_000n, 'transfer/channel-0/utia')).toBe('1.5 TIA (transfer/channel-0)');
  expect(formatCoins(1234n, 'constructor')).toBe('1,234 constructor');
  expect(assetName(`ibc/${'ab'.repeat(32)}`)).toBe('ibc/ababab…abab');
  expect(parseCoins('1,000.5', 'nria')).toBe(1_000_500_000_000n);
  for (const bad of ['', '0', '-1', '1e3', '1.0000000001', '9'.repeat(40)])
    expect(() => parseCoins(bad, 'nria')).toThrow(/^expected /);
  expect(() => parseCoins('0,25', 'nria')).toThrow('expected 25 or 0.25, written without commas');
  expect(() => parseCoins('1,500', 'constructor')).toThrow('expected 1500 or 1.500, written without commas');
});

test('a deposit is what there is more of than before', () => {
  const before = [{ asset: 'nria', amount: 5n }];
  const after = [
    { asset: 'nria', amount: 4n },
    { asset: 'utia', amount: 2_000_000n },
  ];
  expect(gains(before, after)).toEqual(['2 TIA']);
});
