import { addChain, type Network, type Provider, requestAccount, type Wallet } from '../../wallets.ts';

/** EIP-3326: the wallet does not know the chain. */
const UNKNOWN_CHAIN = 4_902;

/** Has the wallet use the chain, which is added if it does not know it. @throws what the wallet or its user refuses. */
async function switchChain(provider: Provider, network: Network): Promise<void> {
  const { chainId } = network;
  const hex = `0x${chainId.toString(16)}`;
  const used = async () => BigInt(String(await provider.request({ method: 'eth_chainId' })));
  if ((await used()) === chainId) return;
  try {
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: hex }] });
  } catch (error) {
    if (Object(error).code !== UNKNOWN_CHAIN) throw error;
    await addChain(provider, network);
  }
  const now = await used();
  if (now !== chainId) throw new Error(`the wallet uses chain ${now}, expected ${chainId}; switch it and try again`);
}

/** Asks the wallet to sign and send a call. @returns the hash of the transaction. */
export async function sendCall(
  { provider }: Wallet,
  network: Network,
  call: { readonly to: string; readonly data: string; readonly value: bigint },
): Promise<string> {
  const from = await requestAccount(provider);
  await switchChain(provider, network);
  const transaction = { ...call, from, value: `0x${call.value.toString(16)}` };
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [transaction] });
  if (typeof hash !== 'string' || !/^0x[0-9a-f]{64}$/i.test(hash))
    throw new Error('the wallet returned no transaction');
  return hash;
}
