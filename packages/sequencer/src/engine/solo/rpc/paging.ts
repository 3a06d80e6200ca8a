import { internalError } from '@switchyard/service';
import type { Chain } from '../chain.ts';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;
/** Size of transactions and blocks in one answer. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export function toPerPage(perPage: number | undefined): number {
  return perPage === undefined || perPage < 1 ? DEFAULT_PER_PAGE : Math.min(perPage, MAX_PER_PAGE);
}

/** The items of a page, which counts from 1. @throws {JsonRpcError} for a page that there is not. */
export function getPage<T>(items: readonly T[], page: number | undefined, perPage: number | undefined): readonly T[] {
  const size = toPerPage(perPage);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const wanted = page ?? 1;
  if (wanted < 1 || wanted > pages) throw internalError(`page should be within [1, ${pages}] range, given ${wanted}`);
  return items.slice((wanted - 1) * size, wanted * size);
}

/** @throws {JsonRpcError} for an order that is neither. */
export function isDescending(orderBy: string, byDefault: boolean): boolean {
  if (orderBy === '') return byDefault;
  if (orderBy !== 'asc' && orderBy !== 'desc') {
    throw internalError('expected order_by to be either `asc` or `desc` or empty');
  }
  return orderBy === 'desc';
}

/** Counts the bytes of one answer. @throws {JsonRpcError} when it is too much. */
export function answerBudget(): (bytes: number) => void {
  let left = MAX_ANSWER_BYTES;
  return (bytes) => {
    left -= bytes;
    if (left < 0)
      throw internalError(`the answer would be longer than ${MAX_ANSWER_BYTES} bytes, ask for a smaller page`);
  };
}

/**
 * The height that is meant: the latest, if none was given.
 *
 * @param latest Up to which height there is something to say.
 * @throws {JsonRpcError} for a height that there is not, in CometBFT's words.
 */
export function getHeight(chain: Chain, height: bigint | undefined, latest = chain.height): bigint {
  if (height === undefined) return latest;
  if (height <= 0n) throw internalError(`height must be greater than 0, but got ${height}`);
  if (height > latest) {
    throw internalError(`height ${height} must be less than or equal to the current blockchain height ${latest}`);
  }
  if (height < chain.first) throw internalError(`height ${height} is not available, lowest height is ${chain.first}`);
  return height;
}
