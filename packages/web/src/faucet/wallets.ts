/** A wallet of the browser, as it announces itself (EIP-6963). */
export interface Wallet {
  readonly id: string;
  readonly name: string;
  request(call: { readonly method: string; readonly params: readonly unknown[] }): Promise<unknown>;
}

const MAX_WALLETS = 10;
const MAX_NAME = 40;

/** Calls back with each wallet, now and later. @returns a function that ends it. */
export function findWallets(onWallet: (wallet: Wallet) => void): () => void {
  const seen = new Set<string>();
  const announced = (event: Event) => {
    const wallet = walletOf((event as CustomEvent<unknown>).detail);
    if (wallet === undefined || seen.has(wallet.id) || seen.size >= MAX_WALLETS) return;
    seen.add(wallet.id);
    onWallet(wallet);
  };
  window.addEventListener('eip6963:announceProvider', announced);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => window.removeEventListener('eip6963:announceProvider', announced);
}

/** What an extension announces may be anything. */
export function walletOf(detail: unknown): Wallet | undefined {
  if (!isRecord(detail) || !isRecord(detail.info) || !isRecord(detail.provider)) return undefined;
  const { uuid, name } = detail.info;
  const { provider } = detail;
  const { request } = provider;
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof request !== 'function') return undefined;
  return {
    id: uuid,
    name: name.slice(0, MAX_NAME),
    request: async (call) => (await request.call(provider, call)) as unknown,
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

interface Network {
  readonly chainId: string;
  readonly network: string;
  readonly symbol: string;
  readonly walletRpcUrl: string;
}

/** Asks the wallet to add the network, which asks its user. @throws what the wallet answers. */
export async function addNetwork(wallet: Wallet, { chainId, network, symbol, walletRpcUrl }: Network): Promise<void> {
  const chain = {
    chainId: `0x${BigInt(chainId).toString(16)}`,
    chainName: network === chainId ? `Chain ${chainId}` : network,
    // Wallets take symbols of 2 to 6 characters and 18 decimals.
    nativeCurrency: { name: symbol, symbol: symbol.slice(0, 6), decimals: 18 },
    rpcUrls: [walletRpcUrl],
  };
  await wallet.request({ method: 'wallet_addEthereumChain', params: [chain] });
}
