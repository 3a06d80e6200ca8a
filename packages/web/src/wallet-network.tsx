import { useState } from 'react';
import { Copied } from './ui/copy.tsx';
import { FactList } from './ui/facts.tsx';
import { addChain, type Network, useWallets, type Wallet, walletMessage } from './wallets.ts';

interface WalletNetworkProps extends Pick<Network, 'name' | 'url' | 'explorerUrl'> {
  readonly chainId: string;
}

/** Facts to type into a wallet, and a button for each wallet of this browser that adds the network to it. */
export function WalletNetwork({ chainId, url, ...network }: WalletNetworkProps) {
  return (
    <>
      <FactList
        className=""
        facts={[
          ['JSON-RPC', <Copied key="url" value={url} what="the JSON-RPC address" />],
          ['Chain id', <Copied key="id" value={chainId} what="the chain id" />],
        ]}
      />
      {/^[1-9]\d{0,18}$/.test(chainId) && url !== '' && (
        <WalletButtons network={{ ...network, url, chainId: BigInt(chainId) }} />
      )}
    </>
  );
}

function WalletButtons({ network }: { readonly network: Network }) {
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
