import { sha256Hex } from '@switchyard/protocol';
import { bytesToHex, quantity } from '@switchyard/protocol/ethereum';
import type { StoredBlock, StoredReceipt } from '../../chain/chain.ts';
import { headerJson, withdrawalJson } from '../../json/format.ts';
import { transactionJson } from '../../json/format-transaction.ts';
import { index as count, quantity as number, readParams } from '../../json/params.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import type { ExplorerParts } from '../deps.ts';
import { getTransfers, type TokenTransfer } from '../index/transfers.ts';

const MAX_BLOCKS = 256;
/** An answer ends with the block that reaches it. In JSON a transfer is about ten times as long as in its block. */
const ENOUGH_BYTES = 262_144;

type FeedDeps = Pick<ExplorerParts, 'chain' | 'index' | 'hasInternalCalls'>;

/** Whole blocks for a client that keeps an index of the chain: one request instead of several for each block. */
export function feedMethods(deps: FeedDeps): RpcMethods {
  const { chain } = deps;
  return {
    /** `(from, count)`: consecutive blocks with transactions, receipts, internal calls, deposits and refused entries. */
    switchyard_getBlocks(params) {
      const [from, most] = readParams(params, [number, count]);
      const blocks: unknown[] = [];
      let bytes = 0;
      for (let at = from; at <= chain.heads.latest && blocks.length < Math.min(most, MAX_BLOCKS); at += 1n) {
        const block = chain.block(at);
        if (block === undefined || bytes >= ENOUGH_BYTES) break;
        const receipts = chain.receipts(at) ?? [];
        bytes += block.size + logBytes(receipts);
        blocks.push(fullBlockJson(deps, block, receipts));
      }
      return blocks;
    },
  };
}

function logBytes(receipts: readonly StoredReceipt[]): number {
  return receipts.reduce((sum, { logs }) => logs.reduce((all, { data }) => all + data.length, sum), 0);
}

/** @param log Position among the logs of the transaction. @param item Among the transfers of the log. */
function transferJson({ id, amount, ...rest }: TokenTransfer, log: number, item: number): Record<string, unknown> {
  return { ...rest, log, item, ...(id !== undefined && { id: quantity(id) }), amount: quantity(amount) };
}

function fullBlockJson(
  { chain, index, hasInternalCalls }: FeedDeps,
  block: StoredBlock,
  receipts: readonly StoredReceipt[],
): Record<string, unknown> {
  const { hash, header } = block;
  const transactions = block.transactions.map((transaction, position) => {
    const receipt = receipts[position];
    if (receipt === undefined) throw new Error(`block ${header.number} has no receipt ${position}`);
    const internal = hasInternalCalls ? index.internalCalls({ block: header.number, position }) : [];
    // Members are added to the one object: copies of it took half of the time of this method.
    const json = transactionJson(transaction, { hash, header, index: position });
    // Under which the sequencer knows it.
    json.submission = sha256Hex(transaction.raw);
    json.status = quantity(receipt.status);
    json.gasUsed = quantity(receipt.gasUsed);
    json.effectiveGasPrice = quantity(receipt.effectiveGasPrice);
    json.contractAddress = receipt.contractAddress ?? null;
    json.logs = receipt.logs.map(({ address, topics, data }) => ({ address, topics, data: bytesToHex(data) }));
    json.transfers = receipt.logs.flatMap((log, at) =>
      getTransfers(log).map((each, item) => transferJson(each, at, item)),
    );
    if (hasInternalCalls) json.internal = internal.map((call) => ({ ...call, value: quantity(call.value) }));
    return json;
  });
  const { logsBloom: _, ...head } = headerJson(hash, header);
  const refused = chain.refusedIn(header.number);
  return {
    ...head,
    size: quantity(block.size),
    transactions,
    withdrawals: block.withdrawals.map(withdrawalJson),
    refused: refused.map(({ entry, kind, hash: id, code, reason }) => ({ entry, kind, hash: id, code, reason })),
  };
}
