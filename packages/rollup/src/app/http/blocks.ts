import { formatAddress } from '@switchyard/protocol';
import { HttpError } from '@switchyard/service';
import type { Hono } from 'hono';
import type { RollupNode } from '../node.ts';
import { getBlock, type StoredBlock } from '../stored-blocks.ts';
import { refusalRows, skippedDeposits } from '../tables.ts';
import { rfc3339 } from '../time-text.ts';
import { integerQuery, json, parseU64, u64Query } from './parameters.ts';

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

/** Blocks with what was refused in them, and deposits that were not credited. */
export function blockRoutes<E>(app: Hono, node: RollupNode<E>): void {
  app.get('/v1/blocks/:number', (c) => {
    const number = parseU64('block number', c.req.param('number'));
    const { snapshot, lowest } = node.view;
    const isGone = number > 0n && number < lowest;
    if (isGone) throw new HttpError(410, 'pruned', notKept(number, lowest));
    const block = getBlock(snapshot, number);
    if (block === undefined)
      throw new HttpError(404, 'not-found', `no block ${number}; the newest is ${node.view.soft}`);
    return json({ ...blockJson(number, block), refusals: refusalRows.get(snapshot, number) ?? [] });
  });

  app.get('/v1/deposits/skipped', (c) => {
    const limit = integerQuery(c, 'limit', { min: 1, max: 1_000, fallback: 100 });
    const after = u64Query(c, 'after');
    const rows = skippedDeposits.range(node.view.snapshot, { limit, ...(after === undefined ? {} : { after }) });
    const deposits = Array.from(rows, ([id, { bridge, message, amount, ...deposit }]) => ({
      id,
      ...deposit,
      amount: String(amount),
      bridge: formatAddress(bridge),
      reason: message,
    }));
    return json({ deposits });
  });
}
