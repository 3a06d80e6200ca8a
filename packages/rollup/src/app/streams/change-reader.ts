import type { SoftView } from '../commits.ts';
import { type BlockChanges, readChanges } from './changes.ts';
import { Shared } from './shared.ts';

/** Blocks, and bytes of their lists, of which changes are sent at once: the last one may have more. */
const BLOCKS_AT_ONCE = 512n;
const BYTES_AT_ONCE = 262_144;

export interface ChangesSince {
  /** Bytes of the lists. */
  readonly size: number;
  /** Changes of the blocks that follow, up to this one. */
  readonly to: bigint;
  readonly blocks: readonly (BlockChanges & { readonly number: bigint })[];
}

/** Changes of the newest blocks, read once for all parts until the next commit. */
export class ChangeReader {
  readonly #since: Shared<bigint, ChangesSince | undefined>;

  constructor(getView: () => SoftView) {
    this.#since = new Shared(
      String,
      (block) => readSince(getView(), block),
      (found) => found?.size ?? 0,
    );
  }

  clear(): void {
    this.#since.clear();
  }

  /** Changes of some of the blocks behind this one; undefined if they are not kept. */
  since(block: bigint): ChangesSince | undefined {
    return this.#since.at(block);
  }
}

function readSince({ snapshot, soft }: SoftView, block: bigint): ChangesSince | undefined {
  const blocks: ChangesSince['blocks'][number][] = [];
  let [to, size] = [block, 0];
  while (to < soft && to < block + BLOCKS_AT_ONCE && size < BYTES_AT_ONCE) {
    to += 1n;
    const changes = readChanges(snapshot, to);
    if (changes === undefined) return undefined;
    if (changes.size > 0) blocks.push({ number: to, ...changes });
    size += changes.size;
  }
  return { to, blocks, size };
}
