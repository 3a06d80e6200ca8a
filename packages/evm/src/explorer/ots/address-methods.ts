import { quantity } from '@switchyard/protocol/ethereum';
import { bool, type Read } from '@switchyard/service/input';
import type { ChainReader } from '../../chain/chain.ts';
import { serverError } from '../../json/errors.ts';
import { receiptJson, withdrawalJson } from '../../json/format.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import { address, index as count, getObject, hash, readParams } from '../../json/params.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import type { ExplorerParts } from '../deps.ts';
import type { Page } from '../index/address-index.ts';
import type { Place } from '../index/keys.ts';

const MAX_PAGE = 1_000;
const DEFAULT_PAGE = 25;

/** Beginning of a page: decimal digits with colons between, as the previous page gave it. */
const cursor: Read<Place> = (input) => {
  const { value } = input;
  const [, block, position, item] =
    typeof value === 'string' ? (/^(\d{1,18}):(\d{1,9})(?::(\d{1,4}))?$/.exec(value) ?? []) : [];
  if (block === undefined) return input.fail('next of the page before');
  return { block: BigInt(block), position: Number(position), ...(item === undefined ? {} : { item: Number(item) }) };
};

const pageOptions = getObject({ cursor, limit: count, oldestFirst: bool });

/** Methods about an address, for explorers. Pages go from the newest to the oldest, unless `oldestFirst` is set. */
export function addressMethods({ chain, index }: Pick<ExplorerParts, 'chain' | 'index'>): RpcMethods {
  const read = (params: unknown) => {
    const [account, options = {}] = readParams(params, [address], [pageOptions]);
    const { cursor: from, limit = DEFAULT_PAGE, oldestFirst = false } = options;
    const size = Math.min(Math.max(1, limit), MAX_PAGE);
    const start = oldestFirst ? { after: from } : { before: from };
    // One more shows whether there is another page.
    const page: Page = { ...start, newestFirst: !oldestFirst, limit: size + 1 };
    return { account, page, size };
  };
  const placed = ({ block, position }: Place, name: string): Record<string, unknown> => {
    const header = chain.header(block)?.header;
    return {
      blockNumber: quantity(block),
      blockTimestamp: quantity(header?.timestamp ?? 0n),
      [name]: quantity(position),
    };
  };
  return {
    switchyard_getTransactionsByAddress(params) {
      const { account, page, size } = read(params);
      const rows = index.getTransactions(account, page);
      const transactions = rows.slice(0, size).map((row) => ({ roles: row.roles, ...transactionAt(chain, row) }));
      return { transactions, next: getNext(rows, size) };
    },

    switchyard_getTransfersByAddress(params) {
      const { account, page, size } = read(params);
      const rows = index.getTransfers(account, page);
      const transfers = rows
        .slice(0, size)
        .map(({ standard, token, from, to, id, amount, transactionIndex, ...row }) => ({
          ...placed(row, 'logIndex'),
          transactionHash: chain.block(row.block)?.transactions[transactionIndex]?.hash,
          ...{ standard, token, from, to, amount: quantity(amount) },
          ...(id === undefined ? {} : { id: quantity(id) }),
        }));
      return { transfers, next: getNext(rows, size) };
    },

    switchyard_getWithdrawalsByAddress(params) {
      const { account, page, size } = read(params);
      const rows = index.getWithdrawals(account, page);
      const withdrawals = rows.slice(0, size).map((row) => ({ ...placed(row, 'position'), ...withdrawalJson(row) }));
      return { withdrawals, next: getNext(rows, size) };
    },

    switchyard_getInternalCalls(params) {
      const [transaction] = readParams(params, [hash]);
      const place = chain.transaction(transaction);
      if (place === undefined) throw serverError('transaction not found');
      const calls = index.internalCalls({ block: place.block, position: place.index });
      return calls.map(({ kind, from, to, value, depth }) => ({ kind, from, to, value: quantity(value), depth }));
    },

    switchyard_getContractCreator(params) {
      const [contract] = readParams(params, [address]);
      return index.creation(contract) ?? null;
    },
  };
}

/** Cursor of the next page; null on the last one. */
function getNext(rows: readonly Place[], size: number): string | null {
  const last = rows[size - 1];
  if (last === undefined || rows.length <= size) return null;
  const { block, position, item } = last;
  return [block, position, ...(item === undefined ? [] : [item])].join(':');
}

function transactionAt(chain: ChainReader, { block: number, position }: Place): Record<string, unknown> {
  const block = chain.block(number);
  const transaction = block?.transactions[position];
  if (block === undefined || transaction === undefined) return {};
  const { hash: blockHash, header } = block;
  const receipt = receiptJson(block, chain.receipts(number) ?? [], position);
  return {
    transaction: transactionJson(transaction, { hash: blockHash, header, index: position }),
    status: receipt?.status,
    gasUsed: receipt?.gasUsed,
    contractAddress: receipt?.contractAddress,
  };
}
