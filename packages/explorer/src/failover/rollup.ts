import { type Endpoint, Endpoints, type Reading, watchEndpoints } from '@switchyard/client';
import type { RollupId } from '@switchyard/protocol';
import type { Clock, Logger } from '@switchyard/service';
import { type IsReset, isReset } from '../is-reset.ts';
import type { AnyRollupNode } from '../rollups/rollup-reader.ts';
import { oneOf, Stranger } from './one-of.ts';

/** Blocks that the node in use may be behind another one. */
const MAX_LAG = 20n;
const BAD_FOR_MS = 60_000;

interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
}

export function rollupEndpoints<T extends AnyRollupNode>(nodes: readonly T[], { clock, log }: Deps): Endpoints<T> {
  const all = nodes.map((client) => ({ url: client.url, client }));
  return new Endpoints(all, { maxLag: MAX_LAG, badForMs: BAD_FOR_MS, clock, log });
}

/** The rollup behind some nodes, as if they were one. */
export function getRollup<T extends AnyRollupNode>(endpoints: Endpoints<T>): T {
  if (endpoints.all.length === 1) return endpoints.current.client;
  let expected: RollupId | undefined;
  const check = async ({ client }: Endpoint<T>, signal: AbortSignal) => {
    const { id, name } = await client.head(signal);
    expected ??= id;
    if (id !== expected) throw new Stranger(`it is a node of the rollup ${name}, not of that of the others`);
  };
  return Object.defineProperty(oneOf(endpoints, check), 'url', { get: () => endpoints.current.url });
}

export const isRollupReset = (endpoints: Endpoints<AnyRollupNode>): IsReset =>
  isReset(endpoints, {
    latest: async (client, signal) => (await client.head(signal)).soft,
    findHash: (client, number, signal) => client.findHash(number, signal),
  });

/** Leaves a node that lags, or that does not deliver its claimed blocks. Runs until the signal aborts. */
export async function watchRollup(
  endpoints: Endpoints<AnyRollupNode>,
  reading: Reading,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (endpoints.all.length === 1) return;
  await watchEndpoints(reading, {
    ...{ endpoints, clock, signal },
    latest: async (client, cut) => BigInt((await client.head(cut)).soft),
    // Rollup blocks are not signed. That the block is on the chain shows when it is read.
    async prove({ client }, claimed, cut) {
      if (claimed > 0n) await client.findHash(Number(claimed), cut);
      return claimed;
    },
  });
}
