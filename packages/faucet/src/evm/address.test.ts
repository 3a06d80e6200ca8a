import { expect, test } from 'vitest';
import { parseEvmAddress } from './address.ts';

const ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const digits = ADDRESS.slice(2);

test.each([
  ['with its checksum', ADDRESS],
  ['in small letters', ADDRESS.toLowerCase()],
  ['in capital letters', `0x${digits.toUpperCase()}`],
  ['in capital letters altogether', ADDRESS.toUpperCase()],
  ['without 0x', digits],
  ['with white space', ` ${ADDRESS}\n`],
])('an address %s', (_, text) => {
  expect(parseEvmAddress(text)).toBe(ADDRESS);
});

test.each([
  ['an invalid checksum', ADDRESS.replace('dc79C8', 'dC79C8'), /problem invalid EIP-55 checksum/],
  ['a digit too few', ADDRESS.slice(0, -1), /got 39 digits/],
  ['other characters', ADDRESS.replace('7', 'x'), /expected an address of 0x and 40 hexadecimal digits$/],
  ['a name', 'alice.eth', /expected an address of 0x/],
  ['an address of the sequencer', 'astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm', /got an address of the sequencer/],
])('refuses %s', (_, text, problem) => {
  expect(() => parseEvmAddress(text)).toThrow(problem);
});
