import { hexData, Input } from '@switchyard/service/input';

/** Calls to an EVM node about contracts. */
export interface ContractNode {
  call(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown>;
  /** Executes a transaction again. @param hash Without `0x`. */
  trace(hash: string, options: object, signal: AbortSignal): Promise<unknown>;
}

/** The code of an account, hex without `0x`; empty if it has none. @param address With `0x`. */
export async function getCode(node: ContractNode, address: string, signal: AbortSignal): Promise<string> {
  const code = await node.call('eth_getCode', [address, 'latest'], signal);
  return hexData()(new Input(code, 'eth_getCode')).slice(2);
}

export async function getSlot(node: ContractNode, address: string, slot: string, signal: AbortSignal): Promise<string> {
  const value = await node.call('eth_getStorageAt', [address, slot, 'latest'], signal);
  return hexData()(new Input(value, 'eth_getStorageAt')).slice(2).padStart(64, '0');
}
