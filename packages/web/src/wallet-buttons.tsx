import { useState } from 'react';
import { addChain, type Network, useWallets, type Wallet, walletMessage } from './wallets.ts';

/** One button for each wallet of this browser, which adds the network to it. */
export function WalletButtons({ network }: { readonly network: Network }) {
  const wallets = useWallets();
  const [result, setResult] = useState('');
  const add = ({ name, provider }: Wallet) =>
    addChain(provider, network).then(
      () => setResult(`${name} has the network.`),
      (error: unknown) => setResult(`${name} did not add it: ${walletMessage(error).slice(0, 200)}`),
    );
  return (
    <>
      {wallets.length === 0 ? (
        <p className="quiet note">No wallet extension was found in this browser.</p>
      ) : (
        <p className="row wallets">
          {wallets.map((wallet) => (
            <button key={wallet.id} type="button" className="plain" onClick={() => void add(wallet)}>
              Add network to {wallet.name}
            </button>
          ))}
        </p>
      )}
      <p role="status">{result}</p>
    </>
  );
}
