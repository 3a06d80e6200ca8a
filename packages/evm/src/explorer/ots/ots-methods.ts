import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import type { ChainReader, InternalCall, StoredBlock, StoredReceipt } from '../../chain/chain.ts';
import { serverError } from '../../json/errors.ts';
import { blockJson, headerJson, receiptsJson } from '../../json/format.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import {
  address,
  type BlockParameter,
  blockHash,
  blockNumber,
  blockReference,
  hash,
  quantity as number,
  index as position,
  readParams,
} from '../../json/params.ts';
import { committedBlock, committedHeader, committedStateBlock } from '../../json/resolve.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import { MOVABLE_AND_LARGE, marked } from '../../rpc/marks.ts';
import { NoopTracer } from '../../trace/small-tracers.ts';
import { Tracing } from '../../trace/tracing.ts';
import { hasCode } from '../../transactions/accounts.ts';
import type { ExplorerParts } from '../deps.ts';
import { OtsTracer } from './ots-tracer.ts';
import { searchFrom } from './search.ts';

/** Version of Otterscan's interface. */
const API_LEVEL = 8;

const OPERATIONS: Readonly<Record<InternalCall['kind'], number>> = { call: 0, selfdestruct: 1, create: 2, create2: 3 };

/** Methods that Otterscan calls in addition to those of Ethereum. */
export function otsMethods({ simulator, index }: Pick<ExplorerParts, 'simulator' | 'index'>): RpcMethods {
  const { chain } = simulator.deps;
  const tracing = new Tracing(simulator);
  const search = { chain, index };
  const traces = marked(MOVABLE_AND_LARGE, {
    async ots_traceTransaction(params) {
      const [transaction] = readParams(params, [hash]);
      const traced = await tracing.transaction(transaction, () => new OtsTracer(simulator.budget()));
      if (traced === undefined) throw serverError('transaction not found');
      return traced.replayed.result;
    },

    async ots_getTransactionError(params) {
      const [transaction] = readParams(params, [hash]);
      const place = chain.transaction(transaction);
      if (place === undefined) throw serverError('transaction not found');
      // Only failures have to be run again.
      if (chain.receipts(place.block)?.[place.index]?.status === 1) return '0x';
      const traced = await tracing.transaction(transaction, () => new NoopTracer());
      const { failure, output = new Uint8Array() } = traced?.replayed.outcome ?? {};
      return failure?.kind === 'revert' ? bytesToHex(output) : '0x';
    },
  });
  const large = marked(
    { isLarge: true },
    {
      ots_getBlockDetails: (params) => getDetails(chain, ...readParams(params, [blockNumber])),
      ots_getBlockDetailsByHash: (params) => getDetails(chain, ...readParams(params, [blockHash])),

      ots_getBlockTransactions(params) {
        const [block, page, pageSize] = readParams(params, [blockNumber, position, position]);
        const found = committedBlock(chain, block);
        return found === undefined ? null : blockPage(found, getReceipts(chain, found), page, pageSize);
      },

      ots_searchTransactionsBefore: (params) =>
        searchFrom(search, true, readParams(params, [address, number, position])),
      ots_searchTransactionsAfter: (params) =>
        searchFrom(search, false, readParams(params, [address, number, position])),
    },
  );
  return {
    ...traces,
    ...large,
    erigon_getHeaderByNumber(params) {
      const [block] = readParams(params, [blockNumber]);
      const found = committedHeader(chain, block);
      return found === undefined ? null : headerJson(found.hash, found.header);
    },

    ots_getApiLevel: () => API_LEVEL,

    ots_hasCode(params) {
      const [account, block = 'latest'] = readParams(params, [address], [blockReference]);
      return hasCode(chain.state(committedStateBlock(chain, block)), account);
    },

    ots_getTransactionBySenderAndNonce(params) {
      const [account, nonce] = readParams(params, [address, number]);
      if (nonce >> 64n !== 0n) return null;
      const place = index.bySenderAndNonce(account, nonce);
      return (place && chain.block(place.block)?.transactions[place.position]?.hash) ?? null;
    },

    ots_getContractCreator(params) {
      const [contract] = readParams(params, [address]);
      const creation = index.creation(contract);
      if (creation === undefined || !hasCode(chain.state(chain.heads.latest), contract)) return null;
      return { hash: creation.transaction, creator: creation.creator };
    },

    ots_getInternalOperations(params) {
      const [transaction] = readParams(params, [hash]);
      const place = chain.transaction(transaction);
      if (place === undefined) throw serverError('transaction not found');
      return index.internalCalls({ block: place.block, position: place.index }).map(({ kind, from, to, value }) => ({
        type: OPERATIONS[kind],
        from,
        to,
        value: quantity(value),
      }));
    },
  };
}

function getDetails(chain: ChainReader, block: BlockParameter): unknown {
  const found = committedBlock(chain, block);
  return found === undefined ? null : blockDetails(found, getReceipts(chain, found));
}

function getReceipts(chain: ChainReader, { header }: StoredBlock) {
  return chain.receipts(header.number) ?? [];
}

/** Selector of a function: 4 bytes with `0x`. */
const SELECTOR = 10;

const MAX_PAGE = 1_000;

/** A block without its transactions, and their payments. */
function blockDetails(block: StoredBlock, receipts: readonly StoredReceipt[]): Record<string, unknown> {
  const fees = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n);
  return {
    block: withoutTransactions(block),
    // Blocks have no reward.
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: quantity(fees),
  };
}

/**
 * A page of a block's transactions. Pages count from the end of the block, as all nodes with this interface have it.
 *
 * @param page From 0 on.
 */
function blockPage(block: StoredBlock, receipts: readonly StoredReceipt[], page: number, pageSize: number) {
  const size = Math.min(pageSize, MAX_PAGE);
  const end = Math.max(0, block.transactions.length - page * size);
  const start = Math.max(0, end - size);
  const { hash, header } = block;
  const transactions = block.transactions.slice(start, end).map((transaction, offset) => {
    const json = transactionJson(transaction, { hash, header, index: start + offset });
    return { ...json, input: String(json.input).slice(0, SELECTOR) };
  });
  return {
    fullblock: { ...withoutTransactions(block), transactions },
    receipts: receiptsJson(block, receipts).slice(start, end).map(shortReceipt(block)),
  };
}

/** A receipt without logs. */
function shortReceipt({ header }: StoredBlock): (receipt: Record<string, unknown>) => Record<string, unknown> {
  return (receipt) => ({ ...receipt, logs: null, logsBloom: null, timestamp: quantity(header.timestamp) });
}

function withoutTransactions(block: StoredBlock): Record<string, unknown> {
  const { transactions, ...json } = blockJson(block, false);
  // A plain number, with which pages are counted.
  return { ...json, logsBloom: null, transactionCount: block.transactions.length };
}
