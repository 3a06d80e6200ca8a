import { sequencerClient } from '@switchyard/client';
import { QUIET_BLOCK_INTERVAL_GROWS } from '@switchyard/sequencer/config';
import { type Links, loadConfig, sleep } from '@switchyard/service';
import { PROGRAMS } from '@switchyard/stack/programs';

interface Mining {
  readonly rpcUrl: string;
  readonly links: Links;
  /** After this long without a block an empty one is due. */
  readonly emptyMs: number;
  advance(ms: number): Promise<void>;
  /** Aborts when no block may come any more. */
  readonly failed: AbortSignal;
}

const POLL_MS = 2;

/** The longest time that a sequencer with these settings is without a block, in milliseconds. */
export function emptyBlockMs(env: Readonly<Record<string, string>>): number {
  const { emptyBlockIntervalMs, quietBlockIntervalMs = 0 } = loadConfig(PROGRAMS.sequencer.fields, env);
  return Math.max(emptyBlockIntervalMs, QUIET_BLOCK_INTERVAL_GROWS * quietBlockIntervalMs);
}

/** Sets the time forward until there are this many more blocks: by one interval for each, however many come on their own. */
export async function mineBlocks(count: bigint, { rpcUrl, links, emptyMs, advance, failed }: Mining): Promise<void> {
  const sequencer = sequencerClient({ rpcUrl, links });
  const heightNow = async () => (await sequencer.status(failed)).latestHeight;
  let height = await heightNow();
  for (const target = height + count; height < target; ) {
    await advance(emptyMs);
    const before = height;
    for (height = await heightNow(); height === before; height = await heightNow()) await sleep(POLL_MS, failed);
  }
}
