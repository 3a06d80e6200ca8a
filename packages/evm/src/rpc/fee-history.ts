import type { Watch } from '@switchyard/evm-machine/interface';
import type { LruCache } from '@switchyard/evm-machine/lru-cache';
import type { Data, Header } from '@switchyard/evm-machine/types';
import { quantity } from '@switchyard/protocol/ethereum';
import { blobBaseFee, MAX_BLOB_GAS, nextBlobBaseFee } from '../blocks/blob-fees.ts';
import type { ChainReader } from '../chain/chain.ts';
import { serverError } from '../json/errors.ts';
import type { BlockTag } from '../json/params.ts';
import { findCommitted } from '../json/resolve.ts';
import { nextBaseFee } from '../rules/rules.ts';

const MAX_BLOCKS = 1_024;
const MAX_PERCENTILES = 100;

/** Tips by the hash of the block and percentiles. */
type Tips = LruCache<string, readonly Data[]>;

export interface FeeHistoryRequest {
  readonly blocks: bigint;
  readonly newest: bigint | BlockTag;
  readonly percentiles: readonly number[];
}

/**
 * `eth_feeHistory`: base fees of some blocks and of the one after them, how full they were, and their tips at
 * percentiles of their gas.
 *
 * @param tips Earlier results.
 * @param watch Called for each block.
 */
export function feeHistory(
  chain: ChainReader,
  { blocks, newest, percentiles }: FeeHistoryRequest,
  tips: Tips,
  watch: Watch,
): Record<string, unknown> {
  checkPercentiles(percentiles);
  const last = findCommitted(chain, newest);
  if (last === undefined)
    throw serverError(`request beyond head block: requested ${String(newest)}, head ${chain.heads.latest}`);
  const wanted = Math.min(Number(blocks), MAX_BLOCKS);
  if (wanted === 0) return { oldestBlock: '0x0', gasUsedRatio: [] };
  const count = last + 1n < BigInt(wanted) ? Number(last + 1n) : wanted;
  const oldest = last + 1n - BigInt(count);

  const headers: Header[] = [];
  const reward: (readonly Data[])[] = [];
  for (let position = 0; position < count; position += 1) {
    const number = oldest + BigInt(position);
    const found = chain.header(number);
    if (found === undefined) throw new Error(`block ${number} has no header`);
    headers.push(found.header);
    if (percentiles.length > 0)
      reward.push(remember(tips, `${found.hash} ${percentiles}`, () => getTips(chain, found, percentiles)));
    watch(0);
  }
  return { oldestBlock: quantity(oldest), ...(percentiles.length > 0 ? { reward } : {}), ...toFees(headers) };
}

function toFees(headers: readonly Header[]): Record<string, unknown> {
  const newest = headers.at(-1);
  const baseFees = headers.map(({ baseFeePerGas }) => baseFeePerGas ?? 0n);
  const blobFees = headers.map(blobBaseFee);
  if (newest !== undefined) {
    baseFees.push(nextBaseFee(newest));
    blobFees.push(nextBlobBaseFee(newest));
  }
  return {
    baseFeePerGas: baseFees.map(quantity),
    gasUsedRatio: headers.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    baseFeePerBlobGas: blobFees.map(quantity),
    blobGasUsedRatio: headers.map(({ blobGasUsed = 0n }) => Number(blobGasUsed) / Number(MAX_BLOB_GAS)),
  };
}

/** Tips on which the percentiles of a block's gas fall, with its transactions by ascending tip. */
function getTips(
  chain: ChainReader,
  { header, transactions }: { readonly header: Header; readonly transactions: number },
  percentiles: readonly number[],
): readonly Data[] {
  const receipts = transactions === 0 ? [] : (chain.receipts(header.number) ?? []);
  const paid = receipts
    .map(({ gasUsed, effectiveGasPrice }) => ({ gasUsed, tip: effectiveGasPrice - (header.baseFeePerGas ?? 0n) }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0));
  let position = 0;
  let sum = paid[0]?.gasUsed ?? 0n;
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100));
    while (sum < threshold && position < paid.length - 1) {
      position += 1;
      sum += paid[position]?.gasUsed ?? 0n;
    }
    return quantity(paid[position]?.tip ?? 0n);
  });
}

function remember(known: Tips, key: string, compute: () => readonly Data[]): readonly Data[] {
  const computed = known.get(key) ?? compute();
  known.put(key, computed);
  return computed;
}

function checkPercentiles(percentiles: readonly number[]): void {
  if (percentiles.length > MAX_PERCENTILES)
    throw serverError(`invalid reward percentile: over the query limit ${MAX_PERCENTILES}`);
  percentiles.forEach((percentile, position) => {
    const before = percentiles[position - 1] ?? -1;
    if (!(percentile >= 0 && percentile <= 100)) throw serverError(`invalid reward percentile: ${percentile}`);
    if (percentile <= before)
      throw serverError(`invalid reward percentile: #${position - 1}:${before} >= #${position}:${percentile}`);
  });
}
