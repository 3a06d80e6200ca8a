import type { ChainReader } from '../../chain/chain.ts';
import { receiptJson } from '../../rpc/format.ts';
import { transactionJson } from '../../rpc/format-transaction.ts';
import { quantity } from '../../rpc/hex.ts';
import type { Address } from '../../types.ts';
import type { AddressIndex, AddressTransaction } from '../index/address-index.ts';
import { LAST_POSITION } from '../index/keys.ts';

export interface SearchDeps {
  readonly chain: ChainReader;
  readonly index: AddressIndex;
}

export interface FoundTransactions {
  /** The newest first. */
  readonly txs: readonly unknown[];
  readonly receipts: readonly unknown[];
  /** Whether these are the newest of the address, and whether they are the oldest. */
  readonly firstPage: boolean;
  readonly lastPage: boolean;
}

const MAX_PAGE = 1_000;

/** Transactions of an address in blocks before `block`, or the newest where that is 0. Blocks are not torn apart. */
export function searchBefore(deps: SearchDeps, address: Address, block: bigint, pageSize: number): FoundTransactions {
  const before = block === 0n || block >> 63n !== 0n ? undefined : { block, position: 0 };
  const bounds = { newestFirst: true, before };
  const size = sizeOf(pageSize);
  const rows = deps.index.transactionsOf(address, { ...bounds, limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  const more = rows.length > size;
  if (last !== undefined && more) {
    const rest = { newestFirst: true, before: last, after: endOf(last.block - 1n), limit: MAX_PAGE };
    page.push(...deps.index.transactionsOf(address, rest));
  }
  const oldest = page.at(-1);
  const isLast =
    oldest === undefined || deps.index.transactionsOf(address, { ...bounds, before: oldest, limit: 1 }).length === 0;
  return answer(deps, page, { firstPage: before === undefined, lastPage: isLast });
}

/** Transactions of an address in blocks after `block`, or the oldest where that is 0; the newest first. */
export function searchAfter(deps: SearchDeps, address: Address, block: bigint, pageSize: number): FoundTransactions {
  const after = block === 0n || block >> 63n !== 0n ? undefined : endOf(block);
  const size = sizeOf(pageSize);
  const rows = deps.index.transactionsOf(address, { newestFirst: false, after, limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  if (last !== undefined && rows.length > size) {
    const rest = { newestFirst: false, after: last, before: { block: last.block + 1n, position: 0 }, limit: MAX_PAGE };
    page.push(...deps.index.transactionsOf(address, rest));
  }
  const newest = page.at(-1);
  const isFirst =
    newest === undefined ||
    deps.index.transactionsOf(address, { newestFirst: false, after: newest, limit: 1 }).length === 0;
  return answer(deps, page.reverse(), { firstPage: isFirst, lastPage: after === undefined });
}

function sizeOf(pageSize: number): number {
  return Math.min(Math.max(1, pageSize), MAX_PAGE);
}

/** The last place in a block, or the one before the first block. */
function endOf(block: bigint): { readonly block: bigint; readonly position: number } | undefined {
  return block < 0n ? undefined : { block, position: LAST_POSITION };
}

function answer(
  { chain }: SearchDeps,
  rows: readonly AddressTransaction[],
  pages: Pick<FoundTransactions, 'firstPage' | 'lastPage'>,
): FoundTransactions {
  const found = rows.flatMap(({ block: number, position }) => {
    const block = chain.block(number);
    const transaction = block?.transactions[position];
    if (block === undefined || transaction === undefined) return [];
    const { hash, header } = block;
    const receipt = receiptJson(block, chain.receipts(number) ?? [], position);
    return [
      {
        tx: transactionJson(transaction, { hash, header, index: position }),
        receipt: { ...receipt, timestamp: quantity(header.timestamp) },
      },
    ];
  });
  return { txs: found.map(({ tx }) => tx), receipts: found.map(({ receipt }) => receipt), ...pages };
}
