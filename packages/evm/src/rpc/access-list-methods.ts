import { decodeAccessList } from '@switchyard/evm-machine/access-lists/decode';
import { accessListJson } from '@switchyard/evm-machine/access-lists/json';
import { bytesToHex } from '@switchyard/protocol/ethereum';
import { CODES, rpcError } from '../json/errors.ts';
import { type BlockParameter, blockReference, readParams } from '../json/params.ts';
import { findCommitted } from '../json/resolve.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';

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
      return list === undefined ? null : accessListJson(decodeAccessList(list));
    },

    debug_getRawBlockAccessList(params) {
      const list = listIn(readParams(params, [blockReference])[0]);
      if (list === undefined) throw rpcError(CODES.notFound, 'resource not found: the block has no access list');
      return bytesToHex(list);
    },
  };
}
