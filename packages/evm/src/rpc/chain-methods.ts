import type { Header } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { bool } from '@switchyard/service/input';
import { blockJson, headerJson, receiptsJson, uncleJson } from '../json/format.ts';
import {
  type BlockParameter,
  blockHash,
  blockNumber,
  blockReference,
  hash,
  index,
  readParams,
} from '../json/params.ts';
import { committedBlock, findBlock } from '../json/resolve.ts';
import type { RpcDeps, RpcMethods } from './deps.ts';
import { pendingBlockJson, pendingHeaderJson, pendingTransactions } from './pending-block.ts';

/** Blocks and headers. Missing ones are answered with null. */
export function chainMethods(deps: Pick<RpcDeps, 'chain' | 'pool' | 'wall' | 'next' | 'syncing'>): RpcMethods {
  const { chain, syncing } = deps;
  const transactionCount = (block: BlockParameter): unknown => {
    const number = findBlock(chain, block);
    if (number === 'pending') return quantity(pendingTransactions(deps).length);
    const found = number === undefined ? undefined : chain.header(number);
    return found === undefined ? null : quantity(found.transactions);
  };
  const findUncles = (block: BlockParameter): readonly Header[] | undefined => {
    const found = committedBlock(chain, block);
    return found && (found.uncles ?? []);
  };
  const uncleCount = (block: BlockParameter): unknown => {
    const uncles = findUncles(block);
    return uncles === undefined ? null : quantity(uncles.length);
  };
  const uncleAt = (block: BlockParameter, position: number): unknown => {
    const uncle = findUncles(block)?.[position];
    return uncle === undefined ? null : uncleJson(uncle);
  };

  return {
    eth_chainId(params) {
      readParams(params, []);
      return quantity(chain.chainId);
    },

    eth_blockNumber(params) {
      readParams(params, []);
      return quantity(chain.heads.latest);
    },

    eth_syncing(params) {
      readParams(params, []);
      const progress = syncing?.();
      if (progress === undefined) return false;
      return {
        startingBlock: quantity(progress.startingBlock),
        currentBlock: quantity(progress.currentBlock),
        highestBlock: quantity(progress.highestBlock),
      };
    },

    eth_getBlockByNumber(params) {
      const [number, full = false] = readParams(params, [blockNumber], [bool]);
      if (number === 'pending') return pendingBlockJson(deps, full);
      const block = committedBlock(chain, number);
      return block === undefined ? null : blockJson(block, full);
    },

    eth_getBlockByHash(params) {
      const [block, full = false] = readParams(params, [hash], [bool]);
      const found = chain.block(block);
      return found === undefined ? null : blockJson(found, full);
    },

    eth_getHeaderByNumber(params) {
      const [number] = readParams(params, [blockNumber]);
      const resolved = findBlock(chain, number);
      if (resolved === 'pending') return pendingHeaderJson(deps);
      const found = resolved === undefined ? undefined : chain.header(resolved);
      return found === undefined ? null : headerJson(found.hash, found.header);
    },

    eth_getHeaderByHash(params) {
      const found = chain.header(readParams(params, [hash])[0]);
      return found === undefined ? null : headerJson(found.hash, found.header);
    },

    eth_getBlockReceipts(params) {
      const [block] = readParams(params, [blockReference]);
      const number = findBlock(chain, block);
      // No pending transaction has been executed.
      if (number === 'pending') return [];
      const found = number === undefined ? undefined : chain.block(number);
      return found === undefined ? null : receiptsJson(found, chain.receipts(found.header.number) ?? []);
    },

    eth_getBlockTransactionCountByNumber: (params) => transactionCount(...readParams(params, [blockNumber])),
    eth_getBlockTransactionCountByHash: (params) => transactionCount(...readParams(params, [blockHash])),
    eth_getUncleCountByBlockNumber: (params) => uncleCount(...readParams(params, [blockNumber])),
    eth_getUncleCountByBlockHash: (params) => uncleCount(...readParams(params, [blockHash])),
    eth_getUncleByBlockNumberAndIndex: (params) => uncleAt(...readParams(params, [blockNumber, index])),
    eth_getUncleByBlockHashAndIndex: (params) => uncleAt(...readParams(params, [blockHash, index])),
  };
}
