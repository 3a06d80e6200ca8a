import { useEffect, useState } from 'react';
import { CopyButton } from '../copied.tsx';
import type { Info } from './api.ts';
import { addNetwork, findWallets, type Wallet } from './wallets.ts';

/** Adds the network to a wallet of this browser, or shows what to type into another. */
export function WalletNetwork({ info }: { readonly info: Info }) {
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  const [result, setResult] = useState('');
  useEffect(() => findWallets((wallet) => setWallets((before) => [...before, wallet])), []);
  const add = (wallet: Wallet) =>
    addNetwork(wallet, info).then(
      () => setResult(`${wallet.name} has the network.`),
      (error: unknown) => setResult(`${wallet.name} did not add it: ${reasonOf(error)}`),
    );
  return (
    <section aria-labelledby="wallet">
      <h2 id="wallet">Wallet</h2>
      <p>
        JSON-RPC <code>{info.walletRpcUrl}</code> <CopyButton text={info.walletRpcUrl} what="the JSON-RPC address" />,
        chain id <code>{info.chainId}</code>
      </p>
      {info.chainId !== '' && (
        <p className="row">
          {wallets.map((wallet) => (
            <button key={wallet.id} type="button" onClick={() => void add(wallet)}>
              Add network to {wallet.name}
            </button>
          ))}
        </p>
      )}
      {wallets.length === 0 && <p className="quiet">No wallet extension was found in this browser.</p>}
      <p role="status">{result}</p>
    </section>
  );
}

function reasonOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
  return String(message).slice(0, 200);
}
