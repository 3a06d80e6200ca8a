import { ETHER } from '@switchyard/protocol/values';
import { useEffect } from 'react';
import { createFollowed } from './ui/followed.ts';

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
  /** Its explorer, from {@link explorerOf}. */
  readonly explorerUrl: string | undefined;
}

const MAX_WALLETS = 20;
const MAX_NAME = 60;

const wallets = createFollowed<readonly Wallet[]>([]);

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
  const known = wallets.get();
  if (wallet === undefined || known.length >= MAX_WALLETS || known.some(({ id }) => id === wallet.id)) return;
  wallets.set([...known, wallet]);
}

/** The wallets that have announced themselves, which are asked to. */
export function useWallets(): readonly Wallet[] {
  useEffect(() => {
    // The browser keeps one of the same listeners.
    window.addEventListener('eip6963:announceProvider', announced);
    window.dispatchEvent(new Event('eip6963:requestProvider'));
  }, []);
  return wallets.useValue();
}

/** Address to which wallets append `/tx/0x…`, and the explorer leads from there to the page of the rollup. */
export const explorerOf = (explorer: string, rollup: string): string =>
  `${explorer.replace(/\/$/, '')}/${encodeURIComponent(rollup)}`;

const isSafe = (url: string): boolean => /^(https:|http:\/\/(localhost|127\.0\.0\.1)[:/])/.test(url);

/** Asks the wallet to add a chain, which asks its user. @throws what the wallet answers. */
export async function addChain(provider: Provider, { chainId, name, url, explorerUrl }: Network): Promise<void> {
  const chain = {
    chainId: `0x${chainId.toString(16)}`,
    chainName: name,
    rpcUrls: [url],
    nativeCurrency: ETHER,
    // Wallets refuse the whole chain for an explorer that they would not open.
    ...(explorerUrl !== undefined && isSafe(explorerUrl) && { blockExplorerUrls: [explorerUrl] }),
  };
  await provider.request({ method: 'wallet_addEthereumChain', params: [chain] });
}

/** Asks the wallet, and so its user, for an account. @throws what the wallet answers. */
export async function requestAccount(provider: Provider): Promise<string> {
  const accounts = await provider.request({ method: 'eth_requestAccounts' });
  const [account] = Array.isArray(accounts) ? accounts : [];
  if (typeof account !== 'string') throw new Error('the wallet gave no account');
  return account;
}

/** Message of a thrown value of any kind: wallets throw objects. */
export function walletMessage(error: unknown): string {
  const { message } = Object(error) as { message?: unknown };
  return typeof message === 'string' ? message : String(error);
}
