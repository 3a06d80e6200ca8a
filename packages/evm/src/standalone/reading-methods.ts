import { quantity as asQuantity } from '@switchyard/protocol/ethereum';
import { address, quantity64, readParams } from '../json/params.ts';
import type { RpcMethods } from '../rpc/deps.ts';
import type { StandaloneNode } from './node.ts';
import type { StandalonePool } from './pool.ts';

interface ReadingDeps {
  readonly node: StandaloneNode;
  readonly pool: StandalonePool;
  /** Methods of every node with an index. */
  readonly plain: RpcMethods;
}

/** Methods beyond those of every node that change nothing. */
export function readingMethods({ node, pool, plain }: ReadingDeps): RpcMethods {
  const { eth_getTransactionByHash: byHash, ots_getTransactionBySenderAndNonce: included } = plain;
  if (!byHash || !included) throw new Error('methods are missing');
  return {
    eth_coinbase: () => node.situation.coinbase,

    async eth_getTransactionBySenderAndNonce(params, context, id) {
      const [sender, nonce] = readParams(params, [address, quantity64]);
      const hash =
        (await included([sender, asQuantity(nonce)], context, id)) ??
        pool.ofSender(sender).find((each) => each.nonce === nonce)?.hash;
      return hash === undefined ? null : byHash([hash], context, id);
    },
  };
}
