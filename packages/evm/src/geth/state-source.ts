import { bytesOf, ZERO_HASH } from '../hex.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { Hash } from '../types.ts';
import { read } from './answer.ts';
import type { Geth } from './geth.ts';
import type { StateSource } from './remote-state.ts';

/** The state after a block, as geth has it. */
export function stateSourceOf(geth: Geth, block: Hash, signal: AbortSignal): StateSource {
  const at = { blockHash: block };
  return {
    async account(address) {
      const proof = read.object(await geth.call('eth_getProof', [address, [], at], { signal }), 'eth_getProof');
      const found = read.hash(proof.codeHash, 'codeHash');
      const account = {
        nonce: read.quantity(proof.nonce, 'nonce'),
        balance: read.quantity(proof.balance, 'balance'),
        codeHash: found === ZERO_HASH ? EMPTY_CODE_HASH : found,
        storageRoot: read.hash(proof.storageHash, 'storageHash'),
      };
      const isEmpty = account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH;
      return isEmpty ? undefined : account;
    },
    async code(address) {
      return bytesOf(read.data(await geth.call('eth_getCode', [address, at], { signal }), 'eth_getCode'));
    },
    async storage(address, slot) {
      return BigInt(
        read.hash(await geth.call('eth_getStorageAt', [address, slot, at], { signal }), 'eth_getStorageAt'),
      );
    },
  };
}
