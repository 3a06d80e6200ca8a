import { bytesOf, ZERO_HASH } from '@switchyard/protocol/ethereum';
import { object, type Read } from '@switchyard/service/input';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { Hash } from '../types.ts';
import type { Geth } from './geth.ts';
import type { StateSource } from './remote-state.ts';
import { data, hash, quantity, readResponse } from './response.ts';

const proof = object({ nonce: quantity, balance: quantity, codeHash: hash, storageHash: hash });

/** The state after a block, as geth has it. */
export function stateSourceOf(geth: Geth, block: Hash, signal: AbortSignal): StateSource {
  const at = { blockHash: block };
  const ask = async <T>(method: string, params: readonly unknown[], read: Read<T>): Promise<T> =>
    readResponse(await geth.call(method, [...params, at], { signal }), method, read);
  return {
    async account(address) {
      const { nonce, balance, codeHash, storageHash } = await ask('eth_getProof', [address, []], proof);
      const account = {
        nonce,
        balance,
        codeHash: codeHash === ZERO_HASH ? EMPTY_CODE_HASH : codeHash,
        storageRoot: storageHash,
      };
      const isEmpty = account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH;
      return isEmpty ? undefined : account;
    },
    async code(address) {
      return bytesOf(await ask('eth_getCode', [address], data));
    },
    async storage(address, slot) {
      return BigInt(await ask('eth_getStorageAt', [address, slot], hash));
    },
  };
}
