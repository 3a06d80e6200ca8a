import { quantity } from '@switchyard/protocol/ethereum';
import type { StoredBlock, StoredReceipt } from '../../chain/chain.ts';
import { blockJson, receiptsJson } from '../../json/format.ts';
import { transactionJson } from '../../json/format-transaction.ts';

/** Selector of a function: 4 bytes with `0x`. */
const SELECTOR = 10;

const MAX_PAGE = 1_000;

/** A block without its transactions, and their payments. */
export function blockDetails(block: StoredBlock, receipts: readonly StoredReceipt[]): Record<string, unknown> {
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
export function blockPage(
  block: StoredBlock,
  receipts: readonly StoredReceipt[],
  page: number,
  pageSize: number,
): Record<string, unknown> {
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
export function shortReceipt({ header }: StoredBlock): (receipt: Record<string, unknown>) => Record<string, unknown> {
  return (receipt) => ({ ...receipt, logs: null, logsBloom: null, timestamp: quantity(header.timestamp) });
}

function withoutTransactions(block: StoredBlock): Record<string, unknown> {
  const { transactions, ...json } = blockJson(block, false);
  // A plain number, with which pages are counted.
  return { ...json, logsBloom: null, transactionCount: block.transactions.length };
}
