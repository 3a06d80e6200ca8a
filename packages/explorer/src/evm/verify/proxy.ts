import { JsonRpcError } from '@switchyard/service';
import { hexData, Input } from '@switchyard/service/input';
import { type ContractNode, getSlot } from './contract-node.ts';

/** Which contract runs in the place of a proxy, and by which standard that is known. */
export interface ProxyTarget {
  readonly standard: 'eip-1167' | 'eip-1967' | 'eip-1967-beacon' | 'eip-1822';
  /** With `0x`, in lower case. */
  readonly implementation: string;
}

const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
const BEACON_SLOT = '0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50';
const PROXIABLE_SLOT = '0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7';
/** The selector of `implementation()`. */
const IMPLEMENTATION = '0x5c60da1b';
const MINIMAL = /^363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3$/;
const DELEGATECALL = 'f4';
const BEACON_GAS = '0x30d40';

/**
 * @param address With `0x`.
 * @param code Of that address, hex without `0x`.
 * @returns undefined for contracts that are no proxy of these standards.
 */
export async function proxyTarget(
  node: ContractNode,
  address: string,
  code: string,
  signal: AbortSignal,
): Promise<ProxyTarget | undefined> {
  const [, minimal] = MINIMAL.exec(code) ?? [];
  if (minimal !== undefined) return { standard: 'eip-1167', implementation: `0x${minimal}` };
  const inSlot = async (slot: string) => addressIn(await getSlot(node, address, slot, signal));
  // Code that never delegates has no need of these.
  if (!code.includes(DELEGATECALL)) return undefined;
  const implementation = await inSlot(IMPLEMENTATION_SLOT);
  if (implementation !== undefined) return { standard: 'eip-1967', implementation };
  const beacon = await inSlot(BEACON_SLOT);
  const beaconTarget = beacon === undefined ? undefined : await implementationOfBeacon(node, beacon, signal);
  if (beaconTarget !== undefined) return { standard: 'eip-1967-beacon', implementation: beaconTarget };
  const proxiable = await inSlot(PROXIABLE_SLOT);
  return proxiable === undefined ? undefined : { standard: 'eip-1822', implementation: proxiable };
}

async function implementationOfBeacon(node: ContractNode, beacon: string, signal: AbortSignal) {
  try {
    const call = { to: beacon, data: IMPLEMENTATION, gas: BEACON_GAS };
    const answer = hexData()(new Input(await node.call('eth_call', [call, 'latest'], signal), 'eth_call')).slice(2);
    return answer.length === 64 ? addressIn(answer) : undefined;
  } catch (error) {
    // A beacon that reverts leads nowhere.
    if (error instanceof JsonRpcError) return undefined;
    throw error;
  }
}

/** Undefined for zero and for words that are no address. @param word 64 hex digits. */
function addressIn(word: string): string | undefined {
  const address = word.slice(24);
  return /^0{24}$/.test(word.slice(0, 24)) && !/^0{40}$/.test(address) ? `0x${address}` : undefined;
}
