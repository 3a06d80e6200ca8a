import { useState } from 'react';
import { Copied } from '../ui/copy.tsx';
import { addChain, useWallets, type Wallet, walletMessage } from '../wallets.ts';
import type { Info } from './api.ts';

/** Adds the network to a wallet of this browser, or shows what to type into another. */
export function WalletNetwork({ info, url }: { readonly info: Info; readonly url: string }) {
  const { chainId, network, symbol } = info;
  const wallets = useWallets();
  const [result, setResult] = useState('');
  const add = ({ name, provider }: Wallet, chain: string) =>
    addChain(provider, {
      chainId: BigInt(chain),
      name: network === chain ? `Chain ${chain}` : network,
      url,
      currency: { name: symbol, symbol, decimals: 18 },
    }).then(
      () => setResult(`${name} has the network.`),
      (error: unknown) => setResult(`${name} did not add it: ${walletMessage(error).slice(0, 200)}`),
    );
  return (
    <section className="card" aria-labelledby="wallet">
      <h2 id="wallet">Wallet</h2>
      <dl>
        <div>
          <dt>JSON-RPC</dt>
          <dd>
            <Copied value={url} what="the JSON-RPC address" />
          </dd>
        </div>
        <div>
          <dt>Chain id</dt>
          <dd>
            <code>{chainId}</code>
          </dd>
        </div>
      </dl>
      {chainId !== undefined && (
        <p className="row wallets">
          {wallets.map((wallet) => (
            <button key={wallet.id} type="button" className="plain" onClick={() => void add(wallet, chainId)}>
              Add network to {wallet.name}
            </button>
          ))}
        </p>
      )}
      {wallets.length === 0 && <p className="quiet note">No wallet extension was found in this browser.</p>}
      <p role="status">{result}</p>
    </section>
  );
}
