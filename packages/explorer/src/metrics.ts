import type { Metrics } from '@switchyard/service';
import type { RollupIndexer } from './rollups/rollup-indexer.ts';
import type { SequencerIndexer } from './sequencer/indexer.ts';

/** Shows the explorer's numbers. */
export function observe(
  metrics: Metrics,
  { sequencer, rollups }: { readonly sequencer: SequencerIndexer; readonly rollups: readonly RollupIndexer[] },
): void {
  const height = metrics.gauge('indexed_height', 'newest sequencer block in the index');
  const latest = metrics.gauge('latest_height', 'newest block of the sequencer');
  const away = metrics.gauge('rollups_away', 'rollups whose node does not answer');
  metrics.beforeText(() => {
    const state = sequencer.state();
    height.set(state.height);
    latest.set(state.latest);
    away.set(rollups.filter((each) => each.state().awaySince !== undefined).length);
  });
}
