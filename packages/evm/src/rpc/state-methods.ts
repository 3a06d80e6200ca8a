import type { AccountState, StateReader } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, quantity, toWord } from '@switchyard/protocol/ethereum';
import { Input, list } from '@switchyard/service/input';
import type { ChainReader } from '../chain/chain.ts';
import { CODES, invalidParams, rpcError } from '../json/errors.ts';
import { proofJson } from '../json/format.ts';
import { address, type BlockParameter, blockReference, hash, mapOf, readParams, slot, text } from '../json/params.ts';
import { committedStateBlock } from '../json/resolve.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';

/** go-ethereum's limit on storage slots in one call. */
const MAX_SLOTS = 1_024;

/** Methods that read the state of accounts. */
export function stateMethods({ chain, pool }: Pick<RpcDeps, 'chain' | 'pool'>): RpcMethods {
  const at = (block: BlockParameter): StateReader => chain.state(committedStateBlock(chain, block));
  return {
    eth_getBalance(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      return quantity(at(block).account(account)?.balance ?? 0n);
    },

    eth_getTransactionCount(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      if (block === 'pending') return quantity(pool.nextNonce(account));
      return quantity(at(block).account(account)?.nonce ?? 0n);
    },

    eth_getCode(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      const state = at(block);
      return bytesToHex(getCode(state, state.account(account)));
    },

    eth_getStorageAt(params) {
      const [account, key, block = 'latest'] = readParams(params, [address, slot], [blockReference]);
      return toWord(at(block).storage(account, key));
    },

    eth_getStorageValues(params) {
      const [wanted, block = 'latest'] = readParams(params, [storageRequest], [blockReference]);
      const total = [...wanted.values()].reduce((sum, { length }) => sum + length, 0);
      if (total === 0) throw invalidParams('empty request');
      if (total > MAX_SLOTS) throw rpcError(CODES.clientLimit, `too many slots (max ${MAX_SLOTS})`);
      const state = at(block);
      return Object.fromEntries(
        [...wanted].map(([account, keys]) => [account, keys.map((key) => toWord(state.storage(account, key)))]),
      );
    },

    eth_getProof(params) {
      const [account, keys, block = 'latest'] = readParams(params, [address, proofKeys], [blockReference]);
      return proof(chain, account, keys, committedStateBlock(chain, block));
    },
  };
}

const storageRequest = mapOf(address, list(hash, MAX_SLOTS), MAX_SLOTS);
const proofKeys = list(text(200), MAX_SLOTS);

function getCode(state: StateReader, account: AccountState | undefined): Uint8Array {
  return account === undefined ? new Uint8Array() : state.code(account.codeHash);
}

async function proof(chain: ChainReader, account: Address, keys: readonly string[], block: bigint): Promise<unknown> {
  const slots = keys.map((key) => slot(new Input(key, '')));
  return proofJson(account, await chain.proof(block, account, slots), keys.map(outputKey));
}

/** A key of 32 bytes is answered unchanged; any other as a number, which older clients sent. */
function outputKey(key: string): string {
  const whole: Hash = slot(new Input(key, ''));
  return /^(0x)?.{64}$/i.test(key) ? whole : quantity(BigInt(whole));
}
