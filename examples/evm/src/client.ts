import { createPublicClient, createWalletClient, type Hex, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { compiledCounter, counterAbi } from './contract.ts';

/** Clients of a node for an account. */
export async function clientsOf(url: string, key: Hex) {
  const transport = http(url);
  const reader = createPublicClient({ transport, pollingInterval: 20 });
  const id = await reader.getChainId();
  const chain = {
    id,
    name: 'evm',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  };
  return { reader, writer: createWalletClient({ account: privateKeyToAccount(key), chain, transport }) };
}

/** Deploys the contract. @returns its address, once it is in a block. */
export async function deployCounter({ reader, writer }: Awaited<ReturnType<typeof clientsOf>>): Promise<Hex> {
  const hash = await writer.deployContract({ abi: counterAbi, bytecode: compiledCounter() });
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash });
  if (contractAddress == null) throw new Error(`transaction ${hash} made no contract`);
  return contractAddress;
}
