import { Copied } from '../ui/copy.tsx';
import { WalletButtons } from '../wallet-buttons.tsx';
import type { Info } from './api.ts';

/** Adds the network to a wallet of this browser, or shows what to type into another. */
export function WalletNetwork({ info, url }: { readonly info: Info; readonly url: string }) {
  const { chainId, network, symbol } = info;
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
        <WalletButtons
          network={{
            chainId: BigInt(chainId),
            name: network === chainId ? `Chain ${chainId}` : network,
            url,
            currency: { name: symbol, symbol, decimals: 18 },
          }}
        />
      )}
    </section>
  );
}
