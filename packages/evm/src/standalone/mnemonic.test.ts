import { expect, test } from 'vitest';
import { DEV_ACCOUNTS, DEV_MNEMONIC } from '../genesis/development-accounts.ts';
import { getAccounts, mnemonic } from './mnemonic.ts';

const ZEROS = `${'abandon '.repeat(11)}about`;

test('the words of anvil and Hardhat give the published accounts', () => {
  expect(getAccounts(DEV_MNEMONIC, 10)).toEqual(DEV_ACCOUNTS);
});

test.each([
  [ZEROS, '0x9858effd232b4033e47d90003d41ec34ecaeda94'],
  [
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
    '0x58a57ed9d8d624cbd12e2c467d34787555bb1b25',
  ],
])('%s gives the account that wallets show', (words, address) => {
  expect(getAccounts(words, 1)).toMatchObject([{ address }]);
});

test('capitals and more spaces are taken', () => {
  expect(mnemonic.fromText(` ${ZEROS.toUpperCase().replaceAll(' ', '  ')}\n`)).toBe(ZEROS);
});

test.each([
  ['a wrong checksum', `${'abandon '.repeat(11)}abandon`],
  ['a word that is not in the list', `${'abandon '.repeat(11)}abou`],
  ['a word too few', 'abandon '.repeat(11).trim()],
  ['words in another order', `about ${'abandon '.repeat(11).trim()}`],
  ['nothing', ''],
])('%s is refused', (_, text) => {
  expect(mnemonic.fromText(text)).toBeUndefined();
});
