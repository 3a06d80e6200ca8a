import { hexOf, wordOf } from '@switchyard/protocol/ethereum';
import type { AccountAccess, Change } from '../access-lists/access-list.ts';
import { decodeAccessList } from '../access-lists/decode.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { CODES, rpcError } from './errors.ts';
import { quantity } from './hex.ts';
import { type BlockParameter, blockReference, readParams } from './params.ts';
import { findCommitted } from './resolve.ts';

/** Access lists of blocks (EIP-7928). Blocks before Amsterdam have none. */
export function accessListMethods({ chain }: Pick<RpcDeps, 'chain'>): RpcMethods {
  const listIn = (block: BlockParameter): Uint8Array | undefined => {
    const number = findCommitted(chain, block);
    // A block that was deleted is refused as such.
    return number === undefined || chain.header(number) === undefined ? undefined : chain.accessListIn(number);
  };
  return {
    eth_getBlockAccessList(params) {
      const list = listIn(readParams(params, [blockReference])[0]);
      return list === undefined ? null : decodeAccessList(list).map(accountJson);
    },

    debug_getRawBlockAccessList(params) {
      const list = listIn(readParams(params, [blockReference])[0]);
      if (list === undefined) throw rpcError(CODES.notFound, 'resource not found: the block has no access list');
      return hexOf(list);
    },
  };
}

function accountJson(account: AccountAccess) {
  const { address, storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } = account;
  return {
    address,
    storageChanges: storageChanges.map(({ slot, changes }) => ({
      key: slot,
      changes: changes.map(changeJson(wordOf)),
    })),
    storageReads,
    balanceChanges: balanceChanges.map(changeJson(quantity)),
    nonceChanges: nonceChanges.map(changeJson(quantity)),
    codeChanges: codeChanges.map(({ index, value }) => ({ index: quantity(index), code: hexOf(value) })),
  };
}

function changeJson(format: (value: bigint) => string) {
  return ({ index, value }: Change<bigint>) => ({ index: quantity(index), value: format(value) });
}
