import { expect, test } from 'vitest';
import { getDoubts, keyOfUse } from '../../ui/look-alike.ts';
import { namesOfMessages, namesOfTokens } from './names.ts';

// Defect: a name that looks like that of an earlier author stood in the explorer's list without a mark
test('the later author of two that look alike is in doubt, though the list begins with the newest message', () => {
  const rows = [
    { sender: '\u0430lice', address: 'later' },
    { sender: 'alice', address: 'first' },
  ];
  const doubts = getDoubts([], namesOfMessages(rows));
  expect([...doubts.keys()]).toEqual([keyOfUse('\u0430lice', 'later')]);
});

test('a token with few transfers does not take the symbol of one with many', () => {
  const rows = [
    { name: null, symbol: 'USDC', address: 'used' },
    { name: 'USD Coin', symbol: 'USDC', address: 'other' },
  ];
  const doubts = getDoubts([], namesOfTokens(rows));
  expect([...doubts.keys()]).toEqual([keyOfUse('USDC', 'other')]);
});
