import { silentLogger, systemClock, wallClock } from '@switchyard/service';
import { eventually } from '@switchyard/service/testing';
import { frameworkReader } from '../rollups/framework-reader.ts';
import { RollupIndexer } from '../rollups/rollup-indexer.ts';
import type { RollupNode } from '../rollups/rollup-node.ts';
import { Head } from '../sequencer/head.ts';
import { SequencerIndexer } from '../sequencer/indexer.ts';
import { EmbeddedStore } from '../store/embedded.ts';
import type { TestChain } from './chain.ts';

const AT_ONCE = 8;
const POLL_MS = 5;

/** Fills the index in a directory from a chain and a rollup in this process, up to their newest blocks. */
export async function fillIndex(
  directory: string,
  chain: TestChain,
  node: RollupNode,
  withinMs: number,
): Promise<void> {
  const store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const source = Object.assign(chain, {
    // biome-ignore lint/correctness/useYield: a node that does not push, so that it is polled
    async *streamFilteredBlocks(): AsyncGenerator<never> {
      throw new Error('no stream');
    },
  });
  const deps = { store, source, clock: systemClock, wall: wallClock, log: silentLogger, random: () => 0 };
  const head = new Head({ ...deps, pollMs: POLL_MS });
  const sequencer = new SequencerIndexer({ ...deps, head, concurrency: AT_ONCE, chainId: undefined });
  const rollup = new RollupIndexer({ ...deps, reader: frameworkReader(node, store), pollMs: POLL_MS });
  const over = new AbortController();
  const work = [head, sequencer, rollup].map((each) => each.run(over.signal));
  try {
    const { soft } = await node.head(over.signal);
    await eventually(() => sequencer.state().height === chain.height && rollup.state().number === soft, withinMs);
  } finally {
    over.abort(new Error('the index is filled'));
    await Promise.allSettled(work);
    await store.close();
  }
}
