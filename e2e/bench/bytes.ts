import { randomBytes } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import { collectorClient, sequencerClient } from '@switchyard/client';
import { rollupIdFromName } from '@switchyard/protocol';
import type { Network } from '../support/network.ts';
import { pause } from './load.ts';

const SUBMISSION_BYTES = 1_000;
const BATCH = 500;
const LANES = 4;

/** Submits again and again while the composer reports a full queue. */
async function submitted(submit: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await submit();
      return;
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.ResourceExhausted) throw error;
      await pause(10);
    }
  }
}

/**
 * Megabytes (10^6) of rollup data per second that reach sequencer blocks, from the first submission to the block that holds the last. The
 * bytes belong to a rollup that has no node, so only the composer and the sequencer are measured.
 */
export async function bytesPerSecond(network: Network, { seconds }: { seconds: number }): Promise<number> {
  const rollup = rollupIdFromName(`bytes-${randomBytes(4).toString('hex')}`);
  const collector = collectorClient({ url: network.url('collector') });
  const sequencer = sequencerClient({ rpcUrl: network.url('rpc'), grpcUrl: network.url('grpc'), timeoutMs: 10_000 });
  const from = (await sequencer.latestHeight()) + 1n;
  const start = performance.now();
  let sent = 0;
  const lane = async () => {
    while (performance.now() - start < seconds * 1_000) {
      const batch = Array.from({ length: BATCH }, () => new Uint8Array(randomBytes(SUBMISSION_BYTES)));
      await submitted(() => collector.submitBatch(rollup, batch));
      sent += batch.length;
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, lane));

  // Every block counts its content, so a lost or doubled submission shows.
  let sequenced = 0;
  let height = from;
  let finished = false;
  const counting = (async () => {
    while (!finished || sequenced < sent) {
      const latest = await sequencer.latestHeight();
      for (; height <= latest; height += 1n) {
        const block = await sequencer.filteredBlock(height, rollup);
        sequenced += block.rollups[0]?.transactions.length ?? 0;
      }
      await pause(10);
    }
  })();
  await lanes;
  finished = true;
  await counting;
  const elapsed = (performance.now() - start) / 1_000;
  if (sequenced !== sent) throw new Error(`sent ${sent} submissions, found ${sequenced} in blocks`);
  return (sent * SUBMISSION_BYTES) / 1e6 / elapsed;
}
