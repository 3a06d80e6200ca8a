import { expect, test } from 'vitest';
import { addressOfKey, checksummed, parseEthereumAddress } from './address.ts';
import { hexToBytes } from './hex.ts';

test('has the published address of a published key', () => {
  const key = hexToBytes('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
  expect(addressOfKey(key)).toBe('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
});

// Vectors of EIP-55.
test.each(['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'])(
  '%s is its own checksum',
  (text) => {
    const address = text.toLowerCase();
    expect([checksummed(address), checksummed(address.slice(2))]).toEqual([text, text]);
    const digits = text.slice(2);
    for (const spelling of [text, digits, digits.toLowerCase(), `0x${digits.toUpperCase()}`]) {
      expect(parseEthereumAddress(spelling)).toBe(address);
    }
    expect(parseEthereumAddress(text.replace('B', 'b'))).toBeUndefined();
  },
);

test.each([
  '',
  '0x',
  'alice',
  `0x${'11'.repeat(19)}`,
  `0x${'11'.repeat(21)}`,
  `${'11'.repeat(20)} `,
  `0X${'11'.repeat(20)}`,
])('an address %j is refused and not guessed', (text) => {
  expect(parseEthereumAddress(text)).toBeUndefined();
});
