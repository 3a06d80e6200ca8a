import type { CommitmentState } from '@switchyard/protocol';
import { createMetrics } from '@switchyard/service';
import { manualClock, memoryLogger } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { Progress } from './progress.ts';
import type { VerifiedBlock } from './verify.ts';

const BLOCK_MS = 2_000;
const BLOCKS = 60;

/** Two minutes of blocks. @returns the log lines. */
async function logged(entries: number) {
  const { log, lines } = memoryLogger();
  const clock = manualClock(1_000_000);
  const progress = new Progress({
    log,
    metrics: createMetrics('test_'),
    clock,
    wall: clock,
    commitLevel: 'SoftIsFirm',
  });
  for (let number = 1n; number <= BLOCKS; number += 1n) {
    const at = { number, hash: 'a'.repeat(64), timestamp: { seconds: number, nanos: 0 } };
    const commitments = { soft: at, firm: at } as unknown as CommitmentState;
    const transactions = Array.from({ length: entries }, () => Uint8Array.of(1));
    progress.committed(commitments, [{ height: number, transactions } as unknown as VerifiedBlock]);
    await clock.advance(BLOCK_MS);
  }
  return lines;
}

test('while blocks hold something it logs every ten seconds, without anything in them once a minute', async () => {
  expect(await logged(3)).toHaveLength(12);
  const idle = await logged(0);
  expect(idle).toMatchObject([
    { msg: 'blocks executed', executed: 1, transactions: 0 },
    { msg: 'blocks executed', executed: 30, transactions: 0 },
  ]);
});
