import {
  type Chain,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type Hex,
  type PrivateKeyAccount,
  type PublicClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { Front } from './front.ts';

export interface DeployedRollup {
  /** @param part `executor`, `faucet` and so on. */
  host(part: string): string;
  readonly reader: PublicClient<Transport, Chain>;
  getWallet(key: Hex): WalletClient<Transport, Chain, PrivateKeyAccount>;
}

/** A deployed EVM rollup as its users reach it: through the ingress, by host name. */
export function deployedRollup(front: Pick<Front, 'post'>, name: string, id: number): DeployedRollup {
  const host = (part: string) => `${part}.${name}.localhost`;
  const chain = defineChain({
    ...{ id, name, nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 } },
    rpcUrls: { default: { http: [`http://${host('executor')}`] } },
  });
  const transport = custom(
    {
      async request({ method, params }: { readonly method: string; readonly params?: unknown }) {
        const { status, text } = await front.post(host('executor'), '/', { jsonrpc: '2.0', id: 1, method, params });
        if (status !== 200) throw new Error(`${method}: ${status} ${text.slice(0, 200)}`);
        const { result, error } = JSON.parse(text);
        if (error !== undefined) throw Object.assign(new Error(error.message), error);
        return result;
      },
    },
    { retryCount: 0 },
  );
  return {
    host,
    reader: createPublicClient({ chain, transport, pollingInterval: 200 }),
    getWallet: (key: Hex) => createWalletClient({ chain, transport, account: privateKeyToAccount(key) }),
  };
}
