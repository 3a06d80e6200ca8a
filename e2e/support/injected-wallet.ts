import { createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { isNavigation, type Page } from './browser.ts';
import { getChain } from './evm.ts';
import type { Network } from './network.ts';

/** A page's request to the wallet. */
interface WalletRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * Announces itself as wallets do (EIP-6963), and leaves the page's requests outside, since the page's security policy
 * lets it connect to no other host.
 */
const INJECTED = `{
  const waiting = new Map();
  const asked = [];
  let last = 0;
  const provider = {
    request: ({ method, params = [] }) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, { resolve, reject });
        asked.push({ id: last, method, params });
      }),
  };
  window.testWallet = {
    take: () => asked.splice(0),
    answer(id, result, error) {
      const { resolve, reject } = waiting.get(id);
      if (error === undefined) resolve(result);
      else reject(Object.assign(new Error(error.message), error));
    },
  };
  const info = { uuid: 'c1a5c0de-0000-4000-8000-000000000001', name: 'Test <b>Wallet</b>', icon: 'data:,', rdns: 'test.wallet' };
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}`;

/** A browser wallet with one account, which begins on another chain and agrees to everything. */
export async function injectWallet(page: Page, network: Pick<Network, 'url'>, key: Hex) {
  await page.runFirst(INJECTED);
  const account = privateKeyToAccount(key);
  const client = createWalletClient({
    account,
    chain: getChain(network as Network),
    transport: http(network.url('evm')),
  });
  const seen: WalletRequest[] = [];
  const known = new Set(['0x1']);
  let chain = '0x1';
  let isOver = false;

  async function answerTo({ method, params }: WalletRequest): Promise<unknown> {
    const [first] = params as readonly Record<string, string>[];
    switch (method) {
      case 'eth_requestAccounts':
        return [account.address];
      case 'eth_chainId':
        return chain;
      case 'wallet_switchEthereumChain':
        if (!known.has(first?.chainId ?? '')) throw Object.assign(new Error('unknown chain'), { code: 4_902 });
        chain = first?.chainId ?? '';
        return null;
      case 'wallet_addEthereumChain':
        chain = first?.chainId ?? '';
        known.add(chain);
        return null;
      case 'eth_sendTransaction':
        return client.sendTransaction({
          to: first?.to as Hex,
          data: first?.data as Hex,
          value: BigInt(first?.value ?? 0),
        });
      default:
        throw Object.assign(new Error(`no method ${method}`), { code: 4_200 });
    }
  }

  async function serve(): Promise<void> {
    while (!isOver) {
      // The page may be on its way to another document, which has asked for nothing yet.
      const wanted = await page.evaluate('window.testWallet?.take() ?? []').catch((error: unknown) => {
        if (isNavigation(error)) return [];
        throw error;
      });
      for (const request of wanted as WalletRequest[]) {
        seen.push(request);
        const [result, error] = await answerTo(request).then(
          (value) => [value, undefined],
          (reason: Error & { code?: number }) => [undefined, { message: reason.message, code: reason.code }],
        );
        await page.evaluate(
          `window.testWallet.answer(${request.id}, ${JSON.stringify(result ?? null)}, ${JSON.stringify(error)})`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const served = serve();
  return {
    account: account.address,
    seen,
    async close() {
      isOver = true;
      await served;
    },
  };
}
