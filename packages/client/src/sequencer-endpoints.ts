import type { Clock, Links, Logger } from '@switchyard/service';
import { Endpoints, pairUrls } from './endpoints.ts';
import { type SequencerClient, sequencerClient } from './sequencer.ts';

/** Blocks that a node may be behind another one before that one is used. */
const MAX_LAG = 5n;
const BAD_FOR_MS = 60_000;

export interface SequencerUrls {
  readonly grpcUrls: readonly string[];
  readonly rpcUrls: readonly string[];
  /** The settings that they come from. */
  readonly names: readonly [string, string];
  readonly maxAnswerBytes?: number;
}

interface Deps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly defer: (close: () => void) => void;
  readonly links?: Links | undefined;
}

/** The nodes of a sequencer, of which the first one is used first. @throws {Error} where the lists are not equally long. */
export function sequencerEndpoints<T>(
  { grpcUrls, rpcUrls, names, ...limits }: SequencerUrls,
  { clock, log, defer, links }: Deps,
  nodeOf: (client: SequencerClient) => T,
): Endpoints<T> {
  const pairs = pairUrls(grpcUrls, rpcUrls, names);
  // Where another one can be asked instead, one that stands still is not waited for as long.
  const timeoutMs = pairs.length > 1 ? 4_000 : 10_000;
  const all = pairs.map((urls) => {
    const client = sequencerClient({ ...urls, ...limits, timeoutMs, links });
    defer(() => client.close());
    return { url: urls.grpcUrl, client: nodeOf(client) };
  });
  return new Endpoints(all, { maxLag: MAX_LAG, badForMs: BAD_FOR_MS, clock, log });
}
