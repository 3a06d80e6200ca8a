import type { Hash } from '@switchyard/evm-machine/types';
import type { ChainReader, StoredBlock } from '../chain/chain.ts';
import { headerNotFound, serverError } from './errors.ts';
import type { BlockParameter } from './params.ts';

/** Number of the block that is meant; undefined if there is none. */
export function findBlock(chain: ChainReader, block: BlockParameter): bigint | 'pending' | undefined {
  if (typeof block === 'bigint') return block <= chain.heads.latest ? block : undefined;
  if (typeof block === 'object') return chain.header(block.hash)?.header.number;
  switch (block) {
    case 'pending':
      return 'pending';
    case 'earliest':
      return 0n;
    default:
      return chain.heads[block];
  }
}

/** Like `findBlock`, with the latest block for the pending one. */
export function findCommitted(chain: ChainReader, block: BlockParameter): bigint | undefined {
  const number = findBlock(chain, block);
  return number === 'pending' ? chain.heads.latest : number;
}

/** The block that is meant, with the latest for the pending one; undefined if there is none. */
export function committedBlock(chain: ChainReader, block: BlockParameter): StoredBlock | undefined {
  const number = findCommitted(chain, block);
  return number === undefined ? undefined : chain.block(number);
}

/** The header of `committedBlock`. */
export function committedHeader(chain: ChainReader, block: BlockParameter): ReturnType<ChainReader['header']> {
  const number = findCommitted(chain, block);
  return number === undefined ? undefined : chain.header(number);
}

/** A transaction that is in a block. */
export interface Located {
  readonly block: StoredBlock;
  readonly index: number;
}

export function locate(chain: Pick<ChainReader, 'transaction' | 'block'>, hash: Hash): Located | undefined {
  const place = chain.transaction(hash);
  const block = place && chain.block(place.block);
  return block && { block, index: place.index };
}

/**
 * The block whose state a call is about.
 *
 * @throws {JsonRpcError} if there is no such block.
 */
export function stateBlock(chain: ChainReader, block: BlockParameter): bigint | 'pending' {
  const number = findBlock(chain, block);
  if (number !== undefined) return number;
  throw typeof block === 'object' ? serverError('header for hash not found') : headerNotFound();
}

/** Like `stateBlock`, with the latest block for the pending one, whose transactions have no state yet. */
export function committedStateBlock(chain: ChainReader, block: BlockParameter): bigint {
  const number = stateBlock(chain, block);
  return number === 'pending' ? chain.heads.latest : number;
}

export function latestHeader(chain: Pick<ChainReader, 'heads' | 'header'>) {
  const found = chain.header(chain.heads.latest);
  if (found === undefined) throw new Error(`the latest block ${chain.heads.latest} has no header`);
  return found;
}
