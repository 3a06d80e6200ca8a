import { formatAddress } from '@switchyard/protocol';
import { expect, test } from 'vitest';
import { parseSequencerAddress } from './address.ts';

const ALICE = 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm';

test.each([ALICE, ALICE.toUpperCase(), ` ${ALICE} `])('reads %s', (text) => {
  expect(formatAddress(parseSequencerAddress(text, 'astria'))).toBe(ALICE);
});

test.each([
  ['a wrong character', ALICE.replace('cfgm', 'cfgn'), /its checksum does not fit/],
  [
    'another prefix',
    formatAddress(parseSequencerAddress(ALICE, 'astria'), 'other'),
    /expected prefix astria, got prefix other/,
  ],
  ['an address of an EVM chain', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', /got an address of an EVM chain/],
  ['the same without 0x', '70997970C51812dc3A010C7d01b50e0d17dc79C8', /got an address of an EVM chain/],
  ['a name', 'alice', /expected an address that begins with astria1/],
])('refuses %s', (_, text, problem) => {
  expect(() => parseSequencerAddress(text, 'astria')).toThrow(problem);
});
