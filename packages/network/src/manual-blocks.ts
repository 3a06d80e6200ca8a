import { httpApi } from '@switchyard/client/http-api';
import type { MakeBlock } from '@switchyard/sequencer/process';
import { type Links, sleep } from '@switchyard/service';
import type { AnyProcess } from './programs.ts';
import type { ShiftedTime } from './shifted-time.ts';

const POLL_MS = 2;
/** The longest time that a composer may try in vain. */
const TRIES_MS = 1_000;

/** Time of the first block of a network with a seed, and between two of them. */
export const SEEDED_START = Date.UTC(2025, 0, 1);
const SEEDED_BLOCK_MS = 1_000;

/** Blocks of a sequencer that makes them on demand. */
export class ManualBlocks {
  /** The sequencer that was started last has given it. */
  #makeBlock: MakeBlock | undefined;
  #nextAt: number | undefined;
  /** Time of the newest block, if times follow from their number. */
  #seededAt: number | undefined;

  constructor(isSeeded: boolean) {
    if (isSeeded) this.#seededAt = SEEDED_START;
  }

  /** The process of the sequencer, to be started any number of times. */
  async process(): Promise<AnyProcess> {
    const { sequencerOnDemand } = await import('@switchyard/sequencer/process');
    const process = sequencerOnDemand((makeBlock) => {
      this.#makeBlock = makeBlock;
    });
    // Its fields and its `main` belong together, which the type of any process cannot say.
    return process as unknown as AnyProcess;
  }

  /** The next block has this time. */
  nextAt(unixMs: number): void {
    this.#nextAt = unixMs;
  }

  /** Makes exactly this many, one after the other. @throws {Error} if the sequencer ends in the meantime. */
  async make(count: number, time: Pick<ShiftedTime, 'at'>): Promise<void> {
    for (let made = 0; made < count; made += 1) {
      if (this.#makeBlock === undefined) throw new Error('the sequencer is not ready');
      if (this.#seededAt !== undefined) this.#seededAt += SEEDED_BLOCK_MS;
      const at = this.#nextAt ?? this.#seededAt;
      this.#nextAt = undefined;
      if (at === undefined) await this.#makeBlock();
      else await time.at(at, this.#makeBlock);
    }
  }
}

/**
 * Resolves when the sequencer has got all that a composer has acknowledged. Waits a second at most for a composer that cannot hand
 * it over at the moment.
 *
 * @param url Address of the composer's health.
 */
export async function handedOver(url: string, { fetch }: Links, failed: AbortSignal): Promise<void> {
  const ask = httpApi('composer', { url, fetch });
  for (let fine = performance.now(); performance.now() - fine < TRIES_MS; ) {
    const status = await ask('/status', { signal: failed }).catch(() => undefined);
    if (status === undefined) return;
    if (status.at('itemsUnsent').value === 0) return;
    if (status.at('trouble').value === undefined) fine = performance.now();
    await sleep(POLL_MS, failed);
  }
}
