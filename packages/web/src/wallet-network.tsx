import { useState } from 'react';
import { FactList } from './ui/facts.tsx';
import { Id } from './ui/id.tsx';
import { shown } from './ui/shown.ts';
import { addChain, type Network, type Provider, useWallets, type Wallet, walletMessage } from './wallets.ts';

interface WalletNetworkProps extends Pick<Network, 'name' | 'url' | 'explorerUrl'> {
  readonly chainId: string;
}

/** Facts to type into a wallet, and a button for each wallet of this browser that adds the network to it. */
export function WalletNetwork({ chainId, url, ...network }: WalletNetworkProps) {
  const wallets = useWallets();
  const add = (provider: Provider) => addChain(provider, { ...network, url, chainId: BigInt(chainId) });
  return (
    <>
      <FactList
        className=""
        facts={[
          ['JSON-RPC', <Id isWhole key="url" text={url} what="the JSON-RPC address" />],
          ['Chain id', <Id isWhole key="id" text={chainId} what="the chain id" />],
        ]}
      />
      {wallets.length === 0 && <p className="quiet note">No wallet extension was found in this browser.</p>}
      {/^[1-9]\d{0,18}$/.test(chainId) && url !== '' && (
        <WalletButtons label="Add network to" run={(provider) => add(provider).then(() => 'It has the network.')} />
      )}
    </>
  );
}

interface WalletButtonsProps {
  /** Words before the name of a wallet. */
  readonly label: string;
  /** @returns the outcome as a sentence. */
  readonly run: (provider: Provider) => Promise<string>;
}

/** A button for each wallet of this browser. */
export function WalletButtons({ label, run }: WalletButtonsProps) {
  const wallets = useWallets();
  const [result, setResult] = useState('');
  const use = async ({ name, provider }: Wallet) => {
    const outcome = await run(provider).catch(walletMessage);
    setResult(shown(`${name}: ${outcome}`.slice(0, 300)));
  };
  return (
    <>
      <p className="row wallets">
        {wallets.map((wallet) => (
          <button key={wallet.id} type="button" className="plain" onClick={() => void use(wallet)}>
            {label} {shown(wallet.name)}
          </button>
        ))}
      </p>
      <p role="status">{result}</p>
    </>
  );
}
