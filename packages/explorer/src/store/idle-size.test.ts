import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rollupIdFromName } from '@switchyard/protocol';
import { alice } from '@switchyard/protocol/testing';
import { silentLogger, wallClock } from '@switchyard/service';
import { expect, test } from 'vitest';
import { rollupBlockRows } from '../rollups/rollup-rows.ts';
import type { BlockFacts } from '../sequencer/block-facts.ts';
import { blockRows } from '../sequencer/block-rows.ts';
import { EmbeddedStore } from './embedded.ts';

const getHash = (name: string, height: number) => createHash('sha256').update(`${name} ${height}`).digest('hex');

/** An empty block of the sequencer, and that of a rollup made from it. */
function emptyBlock(height: number) {
  const [hash, time] = [getHash('block', height), 1_700_000_000_000 + 12_000 * height];
  const facts: BlockFacts = {
    ...{ height, hash, parentHash: getHash('block', height - 1), time, proposer: alice.account, size: 500 },
    ...{ transactions: [], submissions: [], deposits: [], bridges: [], withdrawals: [], lastCommit: undefined },
  };
  const counts = { executed: 0, refused: 0, deposits: 0, skippedDeposits: 0, refusals: [] };
  const rollupBlock = { ...counts, hash: getHash('rollup', height), parentHash: getHash('rollup', height - 1) };
  const numbered = { ...rollupBlock, number: height, time, sequencerBlockHash: hash };
  return [...blockRows(facts), ...rollupBlockRows(rollupIdFromName('chat'), [numbered], time)];
}

// Defect: Empty block took 800 bytes of the explorer's index
test('an empty block adds at most 650 bytes to the index, that of one rollup with it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-index-'));
  const store = new EmbeddedStore({ directory, log: silentLogger, wall: wallClock });
  const bytes = async () => {
    const [size] = await store.read('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size');
    return Number(size?.bytes);
  };
  let height = 0;
  const add = async (count: number) => {
    for (const end = height + count; height < end; height += 8) {
      await store.write(Array.from({ length: 8 }, (_, at) => emptyBlock(height + at + 1)).flat());
    }
  };
  try {
    await add(1_000);
    const before = await bytes();
    await add(4_000);
    expect((await bytes()) - before).toBeLessThan(4_000 * 650);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
});
