import type { Address } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { receiptJson } from '../../json/format.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import type { ExplorerParts } from '../deps.ts';
import type { AddressTransaction, Page } from '../index/address-index.ts';
import { LAST_POSITION, type Place } from '../index/keys.ts';

type SearchDeps = Pick<ExplorerParts, 'chain' | 'index'>;

export interface FoundTransactions {
  /** The newest first. */
  readonly txs: readonly unknown[];
  readonly receipts: readonly unknown[];
  /** Whether these are the newest of the address, and whether they are the oldest. */
  readonly firstPage: boolean;
  readonly lastPage: boolean;
}

const MAX_PAGE = 1_000;

/**
 * Transactions of an address, the newest first. Blocks are not torn apart.
 *
 * @param backwards In blocks before `block`, or the newest if that is 0; otherwise after it, or the oldest.
 */
export function searchFrom(
  deps: SearchDeps,
  backwards: boolean,
  [address, block, pageSize]: readonly [Address, bigint, number],
): FoundTransactions {
  const getRows = (bounds: Omit<Page, 'newestFirst'>) =>
    deps.index.getTransactions(address, { newestFirst: backwards, ...bounds });
  const beyond = (place: Place | undefined) => (backwards ? { before: place } : { after: place });
  const isOpen = block === 0n || block >> 63n !== 0n;
  const start = backwards ? { block, position: 0 } : findEnd(block);
  const size = Math.min(Math.max(1, pageSize), MAX_PAGE);
  const rows = getRows({ ...beyond(isOpen ? undefined : start), limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  if (last !== undefined && rows.length > size) {
    const bounds = backwards
      ? { after: findEnd(last.block - 1n) }
      : { before: { block: last.block + 1n, position: 0 } };
    page.push(...getRows({ ...beyond(last), ...bounds, limit: MAX_PAGE }));
  }
  const end = page.at(-1);
  const isEnd = end === undefined || getRows({ ...beyond(end), limit: 1 }).length === 0;
  if (backwards) return answer(deps, page, { firstPage: isOpen, lastPage: isEnd });
  return answer(deps, page.reverse(), { firstPage: isEnd, lastPage: isOpen });
}

/** The last place in a block, or the one before the first block. */
function findEnd(block: bigint): { readonly block: bigint; readonly position: number } | undefined {
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
