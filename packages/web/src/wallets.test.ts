import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addChain, explorerOf, findWallet } from './wallets.ts';

// Defect: a wallet that a page gave a chain had no explorer for it, and so no link to a transaction
test('a wallet is asked to add the chain, with its id in hex', async () => {
  const calls: unknown[] = [];
  const provider = { request: async (call: unknown) => calls.push(call) };
  const wallet = findWallet({ info: { uuid: '1', name: 'W' }, provider });
  if (wallet === undefined) throw new Error('no wallet');
  const explorerUrl = explorerOf('http://127.0.0.1:3033/', 'flame');
  await addChain(wallet.provider, { chainId: 1337n, name: 'flame', url: 'http://127.0.0.1:8545', explorerUrl });
  expect(calls).toEqual([
    {
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId: '0x539',
          chainName: 'flame',
          nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          rpcUrls: ['http://127.0.0.1:8545'],
          blockExplorerUrls: ['http://127.0.0.1:3033/flame'],
        },
      ],
    },
  ]);
});

test.each([
  ['https://explorer.example/flame', true],
  ['http://localhost:3033/flame', true],
  ['http://explorer.example/flame', false],
  ['http://localhost.example/flame', false],
])(
  'a wallet that opens no plain HTTP of other machines takes the chain all the same: %s',
  async (explorerUrl, isGiven) => {
    const calls: { readonly params?: readonly unknown[] }[] = [];
    const provider = { request: async (call: object) => calls.push(call) };
    await addChain(provider, { chainId: 1n, name: 'flame', url: 'http://127.0.0.1:8545', explorerUrl });
    expect(Object.hasOwn(Object(calls[0]?.params?.[0]), 'blockExplorerUrls')).toBe(isGiven);
  },
);

test('what announces itself as a wallet and is none is left out', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (info, provider) => {
      expect(findWallet({ info, provider: { ...Object(provider), request: undefined } })).toBeUndefined();
      findWallet(info);
    }),
    { numRuns: 100 },
  );
});
