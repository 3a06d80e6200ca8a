import type { Overlay, StateWriter } from '@switchyard/machine';
import { nowRuns } from '#time-limit';
import { mayDiffer } from './bugs.ts';
import type { BlockRecord } from './commits.ts';
import { recordGap } from './hook-gaps.ts';

/** Its rows are in no state root, so that a block does without them if it has a bug. @returns the error. */
export function runHook<E>(
  onBlock: (record: BlockRecord<E>, state: StateWriter) => void,
  record: BlockRecord<E>,
  rows: Overlay,
): unknown {
  const derived = rows.child();
  nowRuns('onBlock');
  try {
    onBlock(record, derived);
    derived.apply();
    return undefined;
  } catch (cause) {
    if (mayDiffer(cause)) throw new Error('the hook of the block', { cause });
    recordGap(rows, record.number);
    return cause;
  }
}
