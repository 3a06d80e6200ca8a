import type { Observed, Violation } from './observed.ts';

type Seen = Pick<Observed, 'sequencerBlocks' | 'rollupBlocks' | 'genesisHeight'>;

/** Both chains without a gap, each block on the one before it, and rollup block i made from sequencer block i. */
export function checkHeights({ sequencerBlocks, rollupBlocks, genesisHeight }: Seen): Violation[] {
  const found: Violation[] = [];
  const violated = (check: string, detail: string): void => void found.push({ check, detail });
  const hashes = new Map(sequencerBlocks.map(({ height, hash }) => [height, hash]));

  for (const [index, { height, parentHash }] of sequencerBlocks.entries()) {
    const before = sequencerBlocks[index - 1];
    if (before === undefined) continue;
    if (height !== before.height + 1) violated('gap', `sequencer block ${before.height} is followed by ${height}`);
    else if (parentHash !== before.hash)
      violated('parent', `sequencer block ${height} is not on block ${before.height}`);
  }
  for (const [index, { number, parentHash, sequencerHash }] of rollupBlocks.entries()) {
    const before = rollupBlocks[index - 1];
    if (before !== undefined && number !== before.number + 1) {
      violated('gap', `rollup block ${before.number} is followed by ${number}`);
    } else if (before !== undefined && parentHash !== before.hash) {
      violated('parent', `rollup block ${number} is not on block ${before.number}`);
    }
    const made = hashes.get(genesisHeight + number);
    if (made === undefined)
      violated('ahead', `rollup block ${number}: there is no sequencer block ${genesisHeight + number}`);
    else if (made !== sequencerHash) {
      violated('commitment', `rollup block ${number} commits to ${sequencerHash}, the sequencer has ${made}`);
    }
  }
  if (sequencerBlocks.length === 0) violated('gap', 'the sequencer shows no blocks');
  if (rollupBlocks.length === 0) violated('gap', 'the rollup shows no blocks');
  return found;
}
