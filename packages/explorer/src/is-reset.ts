import type { Endpoint, Endpoints } from '@switchyard/client';

/** Reads by which two chains are compared. */
export interface ChainView<T> {
  latest(client: T, signal: AbortSignal): Promise<number>;
  findHash(client: T, height: number, signal: AbortSignal): Promise<string>;
}

/** Chain in the index: its newest height, and the hash of a block; undefined if it lacks that. */
export interface KnownChain {
  readonly height: number;
  findHash(height: number): Promise<string | undefined>;
}

export type IsReset = (known: KnownChain, signal: AbortSignal) => Promise<boolean>;

/**
 * Whether the chain began again, if the node in use has another one than the index. One of several nodes may be wrong by
 * itself, and emptying the index for it would lose blocks that the others confirm: so more than half of them have to have another
 * chain, and none the same one. Else the node in use is left for a while.
 */
export function isReset<T>(endpoints: Endpoints<T>, view: ChainView<T>): IsReset {
  return async (known, signal) => {
    const { all, current } = endpoints;
    if (all.length === 1) return true;
    const found = await Promise.all(all.map((endpoint) => agrees(endpoint, view, known, signal)));
    signal.throwIfAborted();
    const others = found.filter((each) => each === false).length;
    if (!found.includes(true) && others * 2 > all.length) return true;
    if (found[all.indexOf(current)] === false) {
      endpoints.reportFault(current, `it has another chain than the index, which is at block ${known.height}`);
    }
    return false;
  };
}

/** Undefined if nothing is known: the node does not answer, or has no block that the index has. */
async function agrees<T>(
  { client }: Endpoint<T>,
  { latest, findHash }: ChainView<T>,
  known: KnownChain,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  try {
    const height = Math.min(await latest(client, signal), known.height);
    const own = height === 0 ? undefined : await known.findHash(height);
    return own === undefined ? undefined : own === (await findHash(client, height, signal));
  } catch {
    return undefined;
  }
}
