import { useSyncExternalStore } from 'react';

/** A provider of EIP-1193. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

/** A wallet of this browser, as it announces itself (EIP-6963). Its name is its own choice, and shown as text. */
export interface Wallet {
  readonly id: string;
  readonly name: string;
  readonly provider: Provider;
}

/** Facts of a chain that a wallet needs to know. */
export interface Network {
  readonly chainId: bigint;
  readonly name: string;
  readonly url: string;
  readonly currency: { readonly name: string; readonly symbol: string; readonly decimals: number };
}

const MAX_WALLETS = 20;
const MAX_NAME = 60;

const listeners = new Set<() => void>();
let wallets: readonly Wallet[] = [];

/** Reads an announcement of an extension, which may be anything. */
export function findWallet(detail: unknown): Wallet | undefined {
  const { info, provider } = Object(detail) as { info?: unknown; provider?: unknown };
  const { uuid, name } = Object(info) as { uuid?: unknown; name?: unknown };
  if (typeof uuid !== 'string' || typeof name !== 'string' || typeof Object(provider).request !== 'function')
    return undefined;
  return { id: uuid, name: name.slice(0, MAX_NAME), provider: provider as Provider };
}

function announced(event: Event): void {
  const wallet = findWallet((event as CustomEvent<unknown>).detail);
  if (wallet === undefined || wallets.length >= MAX_WALLETS || wallets.some(({ id }) => id === wallet.id)) return;
  wallets = [...wallets, wallet];
  for (const listener of listeners) listener();
}

/** The wallets that have announced themselves; asks for them when it is first used. */
export function useWallets(): readonly Wallet[] {
  return useSyncExternalStore(subscribe, () => wallets);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The browser keeps one of the same listeners.
  window.addEventListener('eip6963:announceProvider', announced);
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  return () => void listeners.delete(listener);
}

/** Asks the wallet to add a chain, which asks its user. @throws what the wallet answers. */
export async function addChain(provider: Provider, { chainId, name, url, currency }: Network): Promise<void> {
  const chain = {
    chainId: `0x${chainId.toString(16)}`,
    chainName: name,
    rpcUrls: [url],
    // Wallets take symbols of 2 to 6 characters.
    nativeCurrency: { ...currency, symbol: currency.symbol.slice(0, 6) },
  };
  await provider.request({ method: 'wallet_addEthereumChain', params: [chain] });
}

/** Message of a thrown value of any kind: wallets throw objects. */
export function walletMessage(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
