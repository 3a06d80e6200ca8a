import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addChain, findWallet } from './wallets.ts';

test('a wallet is asked to add the chain, with its id in hex', async () => {
  const calls: unknown[] = [];
  const provider = { request: async (call: unknown) => calls.push(call) };
  const wallet = findWallet({ info: { uuid: '1', name: 'W' }, provider });
  if (wallet === undefined) throw new Error('no wallet');
  const currency = { name: 'Ether', symbol: 'ETHERCOIN', decimals: 18 };
  await addChain(wallet.provider, { chainId: 1337n, name: 'flame', url: 'http://127.0.0.1:8545', currency });
  expect(calls).toEqual([
    {
      method: 'wallet_addEthereumChain',
      params: [
        {
          chainId: '0x539',
          chainName: 'flame',
          nativeCurrency: { name: 'Ether', symbol: 'ETHERC', decimals: 18 },
          rpcUrls: ['http://127.0.0.1:8545'],
        },
      ],
    },
  ]);
});

test('what announces itself as a wallet and is none is left out', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (info, provider) => {
      expect(findWallet({ info, provider: { ...Object(provider), request: undefined } })).toBeUndefined();
      findWallet(info);
    }),
    { numRuns: 100 },
  );
});
