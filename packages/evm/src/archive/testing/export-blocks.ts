import { encodeBlock } from '../../blocks/block.ts';
import type { ChainReader } from '../../chain/chain.ts';

/** RLP of blocks, as `importBlocks` and stock clients take them. @param from At least 1 for stock clients. */
export function* exportBlocks(
  chain: Pick<ChainReader, 'block' | 'heads'>,
  from: bigint,
  to: bigint,
): Generator<Uint8Array> {
  for (let number = from; number <= to; number++) {
    const block = chain.block(number);
    if (block === undefined) throw new Error(`there is no block ${number}: the newest is ${chain.heads.latest}`);
    yield encodeBlock(block);
  }
}
