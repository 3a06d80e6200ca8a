import { useSyncExternalStore } from 'react';

/** A provider of EIP-1193. */
export interface Provider {
  request(request: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A wallet of this browser, as it announces itself (EIP-6963). Its name is its own choice, and shown as text. */
export interface Wallet {
  readonly id: string;
  readonly name: string;
  readonly provider: Provider;
}

/** What a wallet needs to know of a chain. */
export interface Network {
  readonly chainId: number;
  readonly name: string;
  readonly url: string;
  readonly currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
}

const MAX_WALLETS = 20;
const MAX_NAME = 60;
/** EIP-3326: the wallet does not know the chain. */
const UNKNOWN_CHAIN = 4_902;

const listeners = new Set<() => void>();
let wallets: readonly Wallet[] = [];

window.addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = Object((event as CustomEvent<unknown>).detail) as { info?: unknown; provider?: unknown };
  const { uuid, name } = Object(info) as { uuid?: unknown; name?: unknown };
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof Object(provider).request !== 'function') return;
  if (wallets.length >= MAX_WALLETS || wallets.some(({ id }) => id === uuid)) return;
  wallets = [...wallets, { id: uuid, name: name.slice(0, MAX_NAME), provider: provider as Provider }];
  for (const listener of listeners) listener();
});

/** The wallets that have announced themselves; asks for them when it is first used. */
export function useWallets(): readonly Wallet[] {
  return useSyncExternalStore(subscribe, () => wallets);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => void listeners.delete(listener);
}

/** Has the wallet use the chain, which is added where it does not know it. @throws what the wallet or its user refuses. */
export async function switchChain(provider: Provider, { chainId, name, url, currency }: Network): Promise<void> {
  const hex = `0x${chainId.toString(16)}`;
  if (Number(await provider.request({ method: 'eth_chainId' })) === chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] });
  } catch (error) {
    if (Object(error).code !== UNKNOWN_CHAIN) throw error;
    const chain = { chainId: hex, chainName: name, rpcUrls: [url], nativeCurrency: currency };
    await provider.request({ method: 'wallet_addEthereumChain', params: [chain] });
  }
  const used = Number(await provider.request({ method: 'eth_chainId' }));
  if (used !== chainId) throw new Error(`the wallet uses chain ${used}, expected ${chainId}; switch it and try again`);
}

/** Asks the wallet to sign and send a call. @returns the hash of the transaction. */
export async function sendCall(
  { provider }: Wallet,
  network: Network,
  call: { readonly to: string; readonly data: string; readonly value: bigint },
): Promise<string> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const [from] = Array.isArray(accounts) ? accounts : [];
  if (typeof from !== 'string') throw new Error('the wallet gave no account');
  await switchChain(provider, network);
  const transaction = { ...call, from, value: `0x${call.value.toString(16)}` };
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] });
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new Error('the wallet returned no transaction');
  return hash;
}

/** What went wrong, from whoever threw it: wallets throw objects. */
export function walletMessage(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
