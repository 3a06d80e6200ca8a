import { bytesToHex } from '@switchyard/protocol/ethereum';
import { receiptJson } from '../json/format.ts';
import { type TransactionBytes, transactionJson } from '../json/format-transaction.ts';
import { type BlockParameter, blockHash, blockNumber, hash, index, readParams } from '../json/params.ts';
import { findBlock, type Located, locate } from '../json/resolve.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { pendingTransactions } from './pending-block.ts';

/** Transactions and their receipts. Missing ones are answered with null. */
export function transactionMethods({ chain, pool }: Pick<RpcDeps, 'chain' | 'pool'>): RpcMethods {
  const located = (params: unknown): Located | undefined => locate(chain, readParams(params, [hash])[0]);
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
      const found = located(params);
      if (found === undefined) return json(pending(params), undefined);
      return json(found.block.transactions[found.index], found);
    },

    eth_getTransactionByBlockNumberAndIndex: (params) => at(...readParams(params, [blockNumber, index])),
    eth_getTransactionByBlockHashAndIndex: (params) => at(...readParams(params, [blockHash, index])),

    eth_getRawTransactionByHash(params) {
      const found = located(params);
      return raw(found === undefined ? pending(params) : found.block.transactions[found.index]);
    },

    eth_getRawTransactionByBlockNumberAndIndex: (params) => rawAt(...readParams(params, [blockNumber, index])),
    eth_getRawTransactionByBlockHashAndIndex: (params) => rawAt(...readParams(params, [blockHash, index])),

    eth_getTransactionReceipt(params) {
      const found = located(params);
      if (found === undefined) return null;
      const receipts = chain.receipts(found.block.header.number) ?? [];
      return receiptJson(found.block, receipts, found.index) ?? null;
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
  return transaction === undefined ? null : bytesToHex(transaction.raw);
}
