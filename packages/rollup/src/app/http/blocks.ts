import { listBlocks as blocksRoute, getBlock as oneBlockRoute } from '@switchyard/client/rollup-contract';
import { HttpError } from '@switchyard/service';
import { type AnyRoute, serve } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { getBlock, type StoredBlock } from '../stored-blocks.ts';
import { refusalRows } from '../tables.ts';
import { rfc3339 } from '../time-text.ts';
import { toPage } from './page.ts';

/** A block as HTTP shows it. */
export function blockJson(number: bigint, block: StoredBlock) {
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    time: rfc3339(block),
    sequencerBlockHash: block.sequencerBlockHash,
    stateRoot: block.stateRoot,
    executed: block.executed,
    refused: block.refused,
    deposits: block.deposits,
    skippedDeposits: block.skippedDeposits,
  };
}

function notKept(number: bigint, lowest: bigint): string {
  return `block ${number} is not kept by this node, lowest is ${lowest}; RETAIN_BLOCKS=all keeps all that come`;
}

/** Blocks with the transactions refused in them. */
export function blockRoutes(node: RollupNode): readonly AnyRoute[] {
  const list = serve(blocksRoute, ({ query }) => {
    const { snapshot, lowest, soft } = node.view;
    const { first, last, older, newer } = toPage({ first: lowest, next: soft + 1n }, query);
    const blocks = [];
    for (let number = last; number >= first; number -= 1n) {
      const block = getBlock(snapshot, number);
      if (block !== undefined) blocks.push(blockJson(number, block));
    }
    return { status: 200, body: { blocks, older, newer } };
  });
  const one = serve(oneBlockRoute, ({ path: { number } }) => {
    const { snapshot, lowest, soft } = node.view;
    if (number > 0n && number < lowest) throw new HttpError(410, 'pruned', notKept(number, lowest));
    const block = getBlock(snapshot, number);
    if (block === undefined) throw new HttpError(404, 'not-found', `no block ${number}; the newest is ${soft}`);
    const refusals = (refusalRows.get(snapshot, number) ?? []).map(({ facts: _, ...refusal }) => refusal);
    return { status: 200, body: { ...blockJson(number, block), refusals }, etag: block.hash };
  });
  return [list, one];
}
