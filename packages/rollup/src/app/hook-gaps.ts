import type { Snapshot, StateWriter } from '@switchyard/machine';
import { hookGaps } from './tables.ts';

/** Keeps that a block lacks the rows of `onBlock`. */
export function recordGap(rows: StateWriter, block: bigint): void {
  const { first, blocks } = hookGaps.get(rows) ?? { first: block, blocks: 0n };
  hookGaps.put(rows, { first, last: block, blocks: blocks + 1n });
}

/** Why rows of `onBlock` are missing; undefined if none are. */
export function gapText(snapshot: Snapshot): string | undefined {
  const gap = hookGaps.get(snapshot);
  if (gap === undefined) return undefined;
  const { first, last, blocks } = gap;
  const which = blocks === 1n ? `block ${first}` : `${blocks} blocks between ${first} and ${last}`;
  return `onBlock failed in ${which}, whose derived rows are missing: start the node with a corrected one, which writes all of them again, or reset its data`;
}
