import { HttpError } from '@switchyard/service';
import { type AnyRoute, route, schema } from '@switchyard/service/api';
import type { RollupNode } from '../node.ts';
import { getBlock, type StoredBlock } from '../stored-blocks.ts';
import { refusalRows } from '../tables.ts';
import { rfc3339 } from '../time-text.ts';
import { pageOf } from './page.ts';
import { blockSchema, fullBlockSchema } from './schemas.ts';

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

const TAG = 'Blocks';

/** Blocks with what was refused in them. */
export function blockRoutes<E>(node: RollupNode<E>): readonly AnyRoute[] {
  return [listBlocks(node), oneBlock(node)];
}

function listBlocks<E>(node: RollupNode<E>): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/blocks',
    id: 'listBlocks',
    tag: TAG,
    summary: 'Blocks, newest first',
    description: 'Pages in both directions: pass `older` as `before`, or `newer` as `after`',
    query: {
      before: schema.optional(schema.u64Digits('Only blocks below this number')),
      after: schema.optional(schema.u64Digits('Only blocks above this number: those that follow it')),
      limit: schema.optional(schema.integer('Blocks of the page', { min: 1, max: 100 }), 50),
    },
    answers: {
      200: schema.object(
        {
          blocks: schema.list(blockSchema),
          older: schema.nullable(schema.u64('`before` of the page of older blocks')),
          newer: schema.u64('`after` of the page of newer blocks'),
        },
        { name: 'BlockPage' },
      ),
    },
    handle({ query }) {
      const { snapshot, lowest, soft } = node.view;
      const { first, last, older, newer } = pageOf({ first: lowest, next: soft + 1n }, query);
      const blocks = [];
      for (let number = last; number >= first; number -= 1n) {
        const block = getBlock(snapshot, number);
        if (block !== undefined) blocks.push(blockJson(number, block));
      }
      return { status: 200, body: { blocks, older, newer } };
    },
  });
}

function oneBlock<E>(node: RollupNode<E>): AnyRoute {
  return route({
    method: 'get',
    url: '/v1/blocks/{number}',
    id: 'getBlock',
    tag: TAG,
    summary: 'One block, with what was refused in it',
    path: { number: schema.u64Digits('Number of the block') },
    answers: { 200: fullBlockSchema },
    errors: { 404: 'There is no such block yet', 410: 'This node does not keep the block any more' },
    handle({ path: { number } }) {
      const { snapshot, lowest, soft } = node.view;
      if (number > 0n && number < lowest) throw new HttpError(410, 'pruned', notKept(number, lowest));
      const block = getBlock(snapshot, number);
      if (block === undefined) throw new HttpError(404, 'not-found', `no block ${number}; the newest is ${soft}`);
      const refusals = refusalRows.get(snapshot, number) ?? [];
      return { status: 200, body: { ...blockJson(number, block), refusals }, etag: block.hash };
    },
  });
}
