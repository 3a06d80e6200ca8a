import { hexOf } from '@switchyard/protocol/ethereum';
import type { StoredBlock } from '../chain/chain.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { receiptJson } from './format.ts';
import { type TransactionBytes, transactionJson } from './format-transaction.ts';

import { type BlockParameter, blockNumber, hash, index, readParams } from './params.ts';
import { pendingTransactions } from './pending-block.ts';
import { findBlock } from './resolve.ts';

interface Located {
  readonly block: StoredBlock;
  readonly index: number;
}

/** Transactions and their receipts. What is not there is answered with null. */
export function transactionMethods({ chain, pool }: Pick<RpcDeps, 'chain' | 'pool'>): RpcMethods {
  const locate = (params: unknown): Located | undefined => {
    const place = chain.transaction(readParams(params, [hash])[0]);
    const block = place === undefined ? undefined : chain.block(place.block);
    return place === undefined || block === undefined ? undefined : { block, index: place.index };
  };
  const pending = (params: unknown): TransactionBytes | undefined => pool.get(readParams(params, [hash])[0]);
  const at = (block: BlockParameter, position: number): unknown => {
    const number = findBlock(chain, block);
    if (number === 'pending') return json(pendingTransactions({ pool })[position], undefined);
    const found = number === undefined ? undefined : chain.block(number);
    return found === undefined ? null : json(found.transactions[position], { block: found, index: position });
  };
  const rawAt = (block: BlockParameter, position: number): unknown => {
    const number = findBlock(chain, block);
    if (number === 'pending') return raw(pendingTransactions({ pool })[position]);
    return raw(number === undefined ? undefined : chain.block(number)?.transactions[position]);
  };

  return {
    eth_getTransactionByHash(params) {
      const located = locate(params);
      if (located === undefined) return json(pending(params), undefined);
      return json(located.block.transactions[located.index], located);
    },

    eth_getTransactionByBlockNumberAndIndex: (params) => at(...readParams(params, [blockNumber, index])),
    eth_getTransactionByBlockHashAndIndex(params) {
      const [block, position] = readParams(params, [hash, index]);
      return at({ hash: block, requireCanonical: false }, position);
    },

    eth_getRawTransactionByHash(params) {
      const located = locate(params);
      return raw(located === undefined ? pending(params) : located.block.transactions[located.index]);
    },

    eth_getRawTransactionByBlockNumberAndIndex: (params) => rawAt(...readParams(params, [blockNumber, index])),
    eth_getRawTransactionByBlockHashAndIndex(params) {
      const [block, position] = readParams(params, [hash, index]);
      return rawAt({ hash: block, requireCanonical: false }, position);
    },

    eth_getTransactionReceipt(params) {
      const located = locate(params);
      if (located === undefined) return null;
      const receipts = chain.receipts(located.block.header.number) ?? [];
      return receiptJson(located.block, receipts, located.index) ?? null;
    },
  };
}

function json(transaction: TransactionBytes | undefined, place: Located | undefined): unknown {
  if (transaction === undefined) return null;
  if (place === undefined) return transactionJson(transaction, undefined);
  const { hash: blockHash, header } = place.block;
  return transactionJson(transaction, { hash: blockHash, header, index: place.index });
}

function raw(transaction: TransactionBytes | undefined): unknown {
  return transaction === undefined ? null : hexOf(transaction.raw);
}
